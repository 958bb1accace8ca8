import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "../../../packages/runtime/client/src/actors/actor-handle.js";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import { gotOrCreated } from "./named-actors.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { ActorPlan } from "./sim-actor.js";
import type { SimDurable } from "./sim-durable.js";
import type { World } from "./world.js";

class PlannedDurable {
  readonly plan: ActorPlan;
  constructor(plan: ActorPlan) {
    this.plan = plan;
  }
}

const source = { module: "@palimpsest/simulation", exportName: "SimDurable" } as const;
const faults = ["ALREADY_EXISTS", "NOT_FOUND", "UNAVAILABLE", "GET_TIMEOUT", "ACTOR_DIED", "OWNER_DIED"];

/** Gets or creates durable actors by their names, calls them in bursts, and ends some, through the product's client. */
export class DurableUser {
  readonly #world: World;
  readonly #name: string;
  readonly #process: SimProcess;
  readonly #random: Random;
  /** All handles are kept, because the garbage collector does not follow the seed. */
  readonly #kept: ActorHandle<SimDurable>[] = [];
  #called = 0;
  #created = 0;

  constructor(world: World, name: string, process: SimProcess) {
    this.#world = world;
    this.#name = name;
    this.#process = process;
    this.#random = new Random(`${world.seed}/${name}/durables`);
  }

  wants(): boolean {
    return this.#world.settings.kinds && this.#random.chance(0.5);
  }

  async operate(cluster: Cluster): Promise<void> {
    const random = this.#random;
    const name = `durable-${random.below(3)}`;
    const handle = await this.#get(cluster, name);
    if (handle === undefined) return;
    this.#kept.push(handle);
    if (random.chance(0.05)) {
      this.#world.story.tell(this.#name, () => `kills ${name} ${handle.actorId}`);
      this.#world.durables.killing(handle.actorId);
      await handle.kill().catch((reason: unknown) => this.#expect(reason, [...faults, "ACTOR_UNAVAILABLE"]));
      return;
    }
    const burst = 1 + random.below(4);
    for (let index = 0; index < burst; index++) void this.#call(handle, name);
  }

  async #get(cluster: Cluster, name: string): Promise<ActorHandle<SimDurable> | undefined> {
    const world = this.#world;
    const key = `${this.#name}-${name}-${++this.#created}`;
    const plan: ActorPlan = { key, throws: false, startMs: 0 };
    const options = { name, resources: { cpu: 0.5 }, maxRestarts: -1, detached: true, durable: true };
    const planned = world.records.spawning(plan, options, cluster.sessionId);
    try {
      const type = cluster.actor(PlannedDurable, source, options);
      const handle = (await type.getOrCreate(plan)) as unknown as ActorHandle<SimDurable>;
      planned.actorId = handle.actorId;
      gotOrCreated(world, planned);
      return handle;
    } catch (reason) {
      this.#expect(reason, faults);
      return undefined;
    }
  }

  async #call(handle: ActorHandle<SimDurable>, name: string): Promise<void> {
    const random = this.#random;
    const { durables } = this.#world;
    const draw = random.float();
    const what = draw < 0.1 ? "refuse" : draw < 0.3 ? "later" : "add";
    const key = `${this.#name}/${what}-${++this.#called}`;
    const call = durables.calling({ key, name, fails: what === "refuse", process: this.#process });
    const crashMs = random.chance(0.1) ? random.between(0.5, 15) : 0;
    const waitMs = random.chance(0.2) ? random.between(100, 10_000) : random.between(0.1, 20);
    try {
      if (what === "refuse") durables.answered(call, Number(await handle.refuse(key)));
      else
        durables.answered(
          call,
          await (what === "add" ? handle.add(key, waitMs, crashMs) : handle.later(key, 1_000 + 10 * waitMs)),
        );
    } catch (reason) {
      durables.failed(call, PalimpsestError.from(reason));
    }
  }

  #expect(reason: unknown, codes: readonly string[]): void {
    const error = PalimpsestError.from(reason);
    if (codes.includes(error.code)) return;
    this.#world.records.violation(
      "ERRORS",
      `${this.#name} got ${error.message} of a durable actor, which no fault explains`,
    );
  }
}

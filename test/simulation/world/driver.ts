import { type Network, PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "../../../packages/runtime/client/src/actors/actor-handle.js";
import { actorType } from "../../../packages/runtime/client/src/actors/actor-type.js";
import { type ActorOptions, parseConnectOptions } from "../../../packages/runtime/client/src/base/config.js";
import { HeadClient } from "../../../packages/runtime/client/src/base/head-client.js";
import { loadConfig } from "../../../packages/runtime/client/src/base/load-config.js";
import { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import { ConnectionEnvironment } from "../../../packages/runtime/client/src/jobs/runtime-environment.js";
import type { TaskCall } from "../../../packages/runtime/client/src/tasks/task-call.js";
import { taskType } from "../../../packages/runtime/client/src/tasks/task-type.js";
import type { ValueStore } from "../../../packages/runtime/client/src/values/value-store.js";
import { laterService } from "./builds.js";
import { DurableUser } from "./durable-user.js";
import { GroupUser } from "./group-user.js";
import { JobUser } from "./job-user.js";
import { MeshUser } from "./mesh-user.js";
import { gotOrCreated } from "./named-actors.js";
import { ObjectUser } from "./object-user.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { ActorPlan, CallPlan, SimActor } from "./sim-actor.js";
import { TaskUser, taskSource } from "./task-user.js";
import { ValueUser } from "./value-user.js";
import type { World } from "./world.js";

interface Held {
  readonly actorId: string;
  readonly handle: ActorHandle<SimActor>;
}

class PlannedActor {
  readonly plan: ActorPlan;
  constructor(plan: ActorPlan) {
    this.plan = plan;
  }
}

const source = { module: "@palimpsest/simulation", exportName: "SimActor" } as const;

/** One driver: the product's client does what the seed says, and records what it asked and what it received. */
export class SimDriver {
  readonly name: string;
  readonly process: SimProcess;
  readonly #world: World;
  readonly #random: Random;
  readonly #jobs: JobUser;
  readonly #objects: ObjectUser;
  readonly #groups: GroupUser;
  readonly #tasks: TaskUser;
  readonly #values: ValueUser;
  readonly #durables: DurableUser;
  readonly #meshes: MeshUser;
  readonly #held = new Map<string, Held>();
  /**
   * All handles are kept, because the garbage collector, which decides about dropped ones, does not follow the seed.
   */
  readonly #kept: ActorHandle<SimActor>[] = [];
  /** The number of calls to each actor so far; an actor that was dropped may be found again by its name. */
  readonly #calls = new Map<string, number>();
  #cluster: Cluster | undefined;
  #spawned = 0;
  sessionId = "";
  over = false;

  constructor(world: World, name: string, machine: string) {
    this.name = name;
    this.#world = world;
    this.#random = new Random(`${world.seed}/${name}`);
    this.#jobs = new JobUser(world, name);
    this.#groups = new GroupUser(world, name);
    this.process = world.process(machine, name);
    this.#objects = new ObjectUser(world, name, this.process);
    this.#tasks = new TaskUser(world, name, this.process);
    this.#values = new ValueUser(world, name, this.process);
    this.#durables = new DurableUser(world, name, this.process);
    this.#meshes = new MeshUser(world, name, this.process);
    this.process.onEnd(() => {
      this.over = true;
      if (this.sessionId !== "") world.records.sessionGone(this.sessionId, "killed");
    });
    world.scheduler.after(0, this.process, () => void this.#live());
  }

  async #live(): Promise<void> {
    const world = this.#world;
    const options = parseConnectOptions({
      address: world.headAddresses,
      token: "token-of-the-simulation",
      name: this.name,
      callTimeoutMs: world.settings.callTimeoutMs,
      connectTimeoutMs: 60_000,
      controlTimeoutMs: 60_000,
      // They follow the clock of this machine, and would stand in the output of tests.
      notices: false,
    });
    const network = world.network.of(this.process);
    while (this.#cluster === undefined) {
      this.#cluster = await Cluster.over(network, options).catch(() => undefined);
      if (this.#cluster === undefined) await pause(5_000);
    }
    this.sessionId = this.#cluster.sessionId;
    world.plant.values(valuesOf(this.#cluster));
    world.records.sessionOpened(this.sessionId);
    world.story.tell(this.name, () => `connected as ${this.sessionId}`);
    while (!world.calm) {
      await pause(-Math.log(1 - this.#random.float()) * world.settings.operationEveryMs * world.quiet);
      if (world.calm) break;
      if (this.#random.chance(0.02)) return void (await this.#leave());
      void this.#operate(this.#cluster);
      if (world.settings.versions && this.#random.chance(0.1)) void this.#callLater(network);
      if (this.#tasks.wants()) this.#tasks.operate(this.#cluster);
      if (this.#durables.wants()) void this.#durables.operate(this.#cluster);
      if (this.#meshes.wants()) void this.#meshes.operate(this.#cluster);
      if (this.#values.wants()) {
        const actors = [...this.#held.values()].map(({ handle }) => handle);
        void this.#values.operate(this.#cluster, actors);
      }
      if (this.#objects.wants()) void this.#objects.operate(this.#cluster, [...this.#held.keys()]);
    }
    // Half of the calm period is for the consequences of earlier faults.
    await pause(world.settings.calmMs / 2);
    this.#values.releaseAll();
    await this.#objects.getAll(this.#cluster);
  }

  /** PROTOCOL-2: calls a method that only the next version has, if this driver has it. */
  async #callLater(network: Network): Promise<void> {
    const world = this.#world;
    if (world.builds.of(this.process).name !== "next") return;
    const head = new HeadClient(network, world.headAddresses, 60_000);
    try {
      await head.call(laterService.later, {});
    } catch (reason) {
      const { code, rawMessage } = PalimpsestError.from(reason);
      const { since } = laterService.later;
      if (code === "PROTOCOL_MISMATCH") world.records.counts.mismatches++;
      const isTold = rawMessage.startsWith(`Head.Later needs protocol ${since}, and the head at `);
      if (code === "PROTOCOL_MISMATCH" ? !isTold : !["UNAVAILABLE", "GET_TIMEOUT"].includes(code))
        world.records.violation(
          "PROTOCOL-2",
          `a method that the head does not know was answered ${code}: ${rawMessage}`,
        );
    } finally {
      head.close();
    }
  }

  /** Reads or frees an object while something happens to it. */
  meddle(objectId: string): void {
    if (this.#cluster && !this.over) void this.#objects.meddle(this.#cluster, objectId);
  }

  async #leave(): Promise<void> {
    this.#world.story.tell(this.name, () => "says goodbye");
    this.#world.records.sessionGone(this.sessionId, "goodbye");
    this.over = true;
    await this.#cluster?.close();
    this.process.kill();
  }

  async #operate(cluster: Cluster): Promise<void> {
    if (this.#jobs.wants()) return this.#jobs.operate(cluster);
    if (this.#groups.wants()) return this.#groups.operate(cluster);
    const draw = this.#random.float();
    const target = this.#random.pick([...this.#held.values()]);
    if (target === undefined || (draw < 0.2 && this.#held.size < 6)) await this.#spawn(cluster);
    else if (draw < 0.3) await this.#kill(target);
    else if (draw < 0.33) await this.#adoptNamed(cluster);
    else if (draw < 0.35) await this.#getOrCreate(cluster);
    else this.#call(target);
  }

  async #spawn(cluster: Cluster): Promise<void> {
    const random = this.#random;
    const world = this.#world;
    const key = `${this.name}-${++this.#spawned}`;
    const plan: ActorPlan = { key, throws: random.chance(0.05), startMs: random.between(0, 2_000) };
    const unshared = {
      name: random.chance(0.3) ? `name-${random.below(4)}` : "",
      resources: { cpu: 1 + random.below(2) },
      maxRestarts: random.pick([0, 1, 3, -1]) ?? 0,
      detached: random.chance(0.15),
    };
    const options = {
      ...unshared,
      ...(world.settings.shares ? this.#shared(unshared.maxRestarts) : {}),
      ...(world.settings.kinds && random.chance(0.6) ? { process: "shared" as const } : {}),
      ...this.#placed(),
    };
    const planned = world.records.spawning(plan, options, this.sessionId);
    try {
      const type = cluster.actor(PlannedActor, source, world.plant.actorOptions(options));
      const handle = (await type.spawn(plan)) as unknown as ActorHandle<SimActor>;
      this.#kept.push(handle);
      planned.actorId = handle.actorId;
      world.records.spawned(planned);
      world.story.tell(this.name, () => `spawned ${handle.actorId} ${JSON.stringify(options)}`);
      this.#held.set(handle.actorId, { actorId: handle.actorId, handle });
    } catch (reason) {
      const codes = ["ALREADY_EXISTS", "UNAVAILABLE", "GET_TIMEOUT", "ACTOR_DIED", "OWNER_DIED"];
      // The actor's placement group may have been removed.
      this.#expect(reason, "placement" in options ? [...codes, "NOT_FOUND"] : codes);
      world.story.tell(this.name, () => `spawn failed: ${PalimpsestError.from(reason).message}`);
    }
  }

  /** Returns a scope, a namespace and whether they may be stopped for others, each for some actors. Names belong to the default namespace. */
  #shared(maxRestarts: number): Pick<ActorOptions, "maxConcurrent" | "namespace" | "preemptible"> {
    const random = this.#random;
    const max = random.pick([1, 2, 3]) ?? 1;
    return {
      ...(random.chance(0.4) ? { maxConcurrent: { scope: "s", max } } : {}),
      ...(random.chance(0.4) ? { namespace: "side", name: "" } : {}),
      preemptible: maxRestarts !== 0 && random.chance(0.7),
    };
  }

  /** Places the actor in a bundle, each of which has at least one cpu, or anywhere. */
  #placed(): Pick<ActorOptions, "placement" | "resources"> {
    const placement = this.#groups.placement();
    return placement === undefined ? {} : { placement, resources: { cpu: 1 } };
  }

  async #kill(target: Held): Promise<void> {
    const restart = this.#random.chance(0.4);
    if (!restart) this.#held.delete(target.actorId);
    const world = this.#world;
    world.story.tell(this.name, () => `kills ${target.actorId}${restart ? ", may restart" : ""}`);
    const { losses } = world.redis;
    try {
      await target.handle.kill({ restart });
      if (!restart) world.records.killed(target.actorId, losses);
    } catch (reason) {
      this.#expect(reason, ["NOT_FOUND", "UNAVAILABLE", "GET_TIMEOUT", "ACTOR_UNAVAILABLE"]);
    }
  }

  /** Gets another driver's named actor. */
  async #adoptNamed(cluster: Cluster): Promise<void> {
    const name = `name-${this.#random.below(4)}`;
    try {
      const handle = await cluster.getActor<SimActor>(name, { timeoutMs: 30_000 });
      this.#kept.push(handle);
      if (!this.#held.has(handle.actorId)) {
        this.#held.set(handle.actorId, { actorId: handle.actorId, handle });
      }
      this.#world.records.resolved(name, handle.actorId);
    } catch (reason) {
      this.#expect(reason, ["NOT_FOUND", "ACTOR_DIED", "UNAVAILABLE", "GET_TIMEOUT"]);
    }
  }

  /**
   * Gets or creates the actor of a name, with one or two cpus, so that some requests do not match the existing actor.
   */
  async #getOrCreate(cluster: Cluster): Promise<void> {
    const random = this.#random;
    const world = this.#world;
    const key = `${this.name}-${++this.#spawned}`;
    const plan: ActorPlan = { key, throws: false, startMs: random.between(0, 2_000) };
    const options = {
      name: `name-${random.below(4)}`,
      resources: { cpu: 1 + random.below(2) },
      maxRestarts: 1,
      detached: false,
    };
    const planned = world.records.spawning(plan, options, this.sessionId);
    try {
      const type = cluster.actor(PlannedActor, source, world.plant.actorOptions(options));
      const handle = (await type.getOrCreate(plan)) as unknown as ActorHandle<SimActor>;
      this.#kept.push(handle);
      planned.actorId = handle.actorId;
      gotOrCreated(world, planned);
      world.story.tell(this.name, () => `got or created ${handle.actorId} ${JSON.stringify(options)}`);
      if (!this.#held.has(handle.actorId))
        this.#held.set(handle.actorId, { actorId: handle.actorId, handle });
    } catch (reason) {
      this.#expect(reason, ["ALREADY_EXISTS", "UNAVAILABLE", "GET_TIMEOUT", "ACTOR_DIED", "OWNER_DIED"]);
    }
  }

  #call(target: Held): void {
    const random = this.#random;
    const burst = random.chance(0.3) ? 1 + random.below(6) : 1;
    for (let index = 0; index < burst; index++) {
      const number = (this.#calls.get(target.actorId) ?? 0) + 1;
      this.#calls.set(target.actorId, number);
      const plan: CallPlan = {
        key: `${this.sessionId}/${target.actorId}/${number}`,
        number,
        runMs: random.chance(0.1) ? random.between(100, 20_000) : random.between(0.1, 50),
        outcome: random.chance(0.03) ? "crash" : random.chance(0.05) ? "throw" : "value",
      };
      const retries = random.chance(0.2) ? 1 + random.below(2) : 0;
      void this.#callOnce(target, plan, retries);
    }
  }

  async #callOnce(target: Held, plan: CallPlan, retries: number): Promise<void> {
    const { records } = this.#world;
    const record = records.calling({
      ...plan,
      actorId: target.actorId,
      caller: this.name,
      retries,
      process: this.process,
    });
    try {
      const settings = { retries: this.#world.plant.retries(retries) };
      const value = await target.handle.with(settings).work(plan, this.name);
      records.answered(record, value);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      records.failed(record, error);
      if (error.code === "ACTOR_DIED") this.#held.delete(target.actorId);
    }
  }

  #expect(reason: unknown, codes: readonly string[]): void {
    const error = PalimpsestError.from(reason);
    if (codes.includes(error.code)) return;
    this.#world.records.violation(
      "ERRORS",
      `${this.name} got ${error.message}, which no fault explains: ${error.stack}`,
    );
  }
}

/** Loads what the client loads on first use, because a run must not do real input. */
export async function warmUp(): Promise<void> {
  await loadConfig();
  const handle = {} as ActorHandle<never>;
  const environment = new ConnectionEnvironment();
  const deps = {
    ownerId: "",
    namespace: "",
    capturedBy: "",
    environment,
    ownerIncarnation: 0,
    jobId: "",
    upload: async () => undefined,
    create: async () => ({}),
    putArguments: async () => ({ objectId: "", sizeBytes: 0 }),
    holdValues: async () => undefined,
  };
  await new Promise<void>((resolve) => {
    const call = { promise: Promise.resolve() } as unknown as TaskCall;
    const pool = {
      call: () => call,
      submit: () => resolve(),
      values: undefined,
      capturedBy: "",
      environment,
    };
    void taskType<() => void>(undefined, taskSource, {}, pool)();
  });
  await actorType(PlannedActor, source, {}, { ...deps, handle: () => handle as never }).spawn({
    key: "",
    throws: false,
    startMs: 0,
  });
}

/** Gives planted bugs access to a cluster's values, which programs only reach through the cluster. */
function valuesOf(cluster: Cluster): ValueStore {
  return Reflect.get(cluster, "values") as ValueStore;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

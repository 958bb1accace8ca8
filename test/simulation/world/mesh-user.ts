import { PalimpsestError } from "@palimpsest/wire";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import type { Mesh } from "../../../packages/runtime/client/src/mesh/mesh.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { ActorPlan, SimActor } from "./sim-actor.js";
import type { World } from "./world.js";

class PlannedActor {
  readonly plan: ActorPlan;
  constructor(plan: ActorPlan) {
    this.plan = plan;
  }
}

const source = { module: "@palimpsest/simulation", exportName: "SimActor" } as const;
const spawnFaults = ["UNAVAILABLE", "GET_TIMEOUT", "ACTOR_DIED", "OWNER_DIED", "UNSCHEDULABLE", "CANCELLED"];
const width = 4;

/** Has a mesh of light actors, and calls all of them or slices, through the product's client. */
export class MeshUser {
  readonly #world: World;
  readonly #name: string;
  readonly #process: SimProcess;
  readonly #random: Random;
  #mesh: Mesh<SimActor> | undefined;
  #spawning = false;
  #called = 0;
  #created = 0;

  constructor(world: World, name: string, process: SimProcess) {
    this.#world = world;
    this.#name = name;
    this.#process = process;
    this.#random = new Random(`${world.seed}/${name}/meshes`);
  }

  wants(): boolean {
    return this.#world.settings.kinds && this.#random.chance(0.4);
  }

  async operate(cluster: Cluster): Promise<void> {
    const mesh = this.#mesh;
    if (mesh === undefined) await this.#spawn(cluster);
    else if (this.#random.chance(0.03)) await this.#end(mesh);
    else await this.#call(mesh);
  }

  async #spawn(cluster: Cluster): Promise<void> {
    if (this.#spawning) return;
    this.#spawning = true;
    const world = this.#world;
    const options = { resources: { cpu: 0.125 }, maxRestarts: 3, process: "shared" } as const;
    const planned = Array.from({ length: width }, () => {
      const key = `${this.#name}-member-${++this.#created}`;
      return world.records.spawning({ key, throws: false, startMs: 0 }, options, cluster.sessionId);
    });
    try {
      const type = cluster.mesh(PlannedActor, source, { ...options, shape: { lane: width } });
      const mesh = (await type.spawnEach(({ lane = 0 }) => {
        const one = planned[lane];
        return [one?.plan ?? { key: "", throws: false, startMs: 0 }];
      })) as unknown as Mesh<SimActor>;
      for (const [index, { actor }] of mesh.members.entries()) {
        const one = planned[index];
        if (one === undefined) continue;
        one.actorId = actor.actorId;
        world.records.spawned(one);
      }
      this.#mesh = mesh;
    } catch (reason) {
      this.#expect(reason, spawnFaults);
    } finally {
      this.#spawning = false;
    }
  }

  /** Ends the mesh; another one takes its place. */
  async #end(mesh: Mesh<SimActor>): Promise<void> {
    this.#mesh = undefined;
    for (const { actor } of mesh.members)
      await actor
        .kill()
        .catch((reason: unknown) => this.#expect(reason, [...spawnFaults, "NOT_FOUND", "ACTOR_UNAVAILABLE"]));
  }

  async #call(mesh: Mesh<SimActor>): Promise<void> {
    const random = this.#random;
    const slice = random.chance(0.3) ? mesh.slice({ lane: [0, 1 + random.below(width - 1)] }) : mesh;
    const key = `${this.#name}/mesh-${++this.#called}`;
    const actorIds = slice.members.map(({ actor }) => actor.actorId);
    const { meshes } = this.#world;
    const call = meshes.calling({ key, actorIds, process: this.#process });
    const runMs = random.chance(0.2) ? random.between(100, 5_000) : random.between(0.1, 20);
    // Occasionally one of the members ends their process.
    const crashes = random.chance(0.05) ? (random.pick(actorIds) ?? "") : "";
    meshes.answered(call, await slice.call.visit(key, runMs, crashes));
  }

  #expect(reason: unknown, codes: readonly string[]): void {
    const error = PalimpsestError.from(reason);
    if (codes.includes(error.code)) return;
    this.#world.records.violation(
      "ERRORS",
      `${this.#name} got ${error.message} of a mesh, which no fault explains`,
    );
  }
}

/**
 * Responsibility: the lease of a task worker while its task waits for other tasks: everything but its CPU, so that
 * these find room and nested tasks cannot deadlock.
 * Not responsible for: the worker's life, which is that of an actor.
 *
 * Invariants:
 * - TASKWORKER-1. Of several requests about one worker the one with the highest revision counts, in whatever order
 *   they arrive.
 * - TASKWORKER-2. A worker that continues gets its CPU back at once, even if the node has less available: running
 *   work is not stopped, and nothing more is placed until there is room (as in Ray).
 * - TASKWORKER-3. A waiting worker still lends its CPU after its node has come back.
 */
import type { Quantities } from "@palimpsest/scheduler";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Actor } from "../tables/actor.js";
import { leaseOf, leaseOptionsOf } from "../tables/actor-lease.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { NodeTable } from "../tables/node-table.js";

export class TaskWorkers {
  readonly #actors: ActorTable;
  readonly #nodes: NodeTable;
  /** What each worker has reported last, by actor id. An entry is removed when the actor dies. */
  readonly #told = new Map<
    string,
    { readonly incarnation: number; readonly revision: number; readonly waiting: boolean }
  >();

  constructor(actors: ActorTable, nodes: NodeTable) {
    this.#actors = actors;
    this.#nodes = nodes;
    actors.onChange((actor) => {
      if (actor.state === "DEAD" && this.#told.delete(actor.spec.actorId)) this.#leaseWhole(actor);
    });
  }

  /**
   * Leases all of its resources to a worker that is being stopped. It lends nothing, because its process may still run.
   */
  #leaseWhole(actor: Actor): void {
    const { spec, nodeId, incarnation } = actor;
    const lease = leaseOf(spec.actorId, incarnation);
    if (!this.#nodes.leasesOn(nodeId).has(lease)) return;
    const options = leaseOptionsOf(actor, actor.gpuIds, actor.bundle);
    this.#nodes.reserve(nodeId, lease, spec.resources, options);
  }

  /** Returns the resources that the actor leases from its node now. */
  leasedBy({ spec, incarnation }: Pick<Actor, "spec" | "incarnation">): Quantities {
    const told = this.#told.get(spec.actorId);
    if (!told?.waiting || told.incarnation !== incarnation) return spec.resources;
    const { cpu: _cpu, ...others } = spec.resources;
    return others;
  }

  /** @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT */
  setWaiting({ actorId, incarnation, waiting, revision }: proto.SetWaitingRequest.$Properties): void {
    const id = actorId ?? "";
    const actor = this.#actors.get(id);
    if (actor === undefined) throw new PalimpsestError("NOT_FOUND", `actor ${id} is not known`);
    if (!actor.spec.taskWorker) {
      throw new PalimpsestError("INVALID_ARGUMENT", `actor_id is ${id}, which is not a task worker`);
    }
    if (actor.state !== "ALIVE" || actor.incarnation !== incarnation) return;
    const before = this.#told.get(id);
    const latest = { incarnation, revision: revision ?? 0, waiting: waiting ?? false };
    if (before?.incarnation === incarnation && latest.revision <= before.revision) return;
    this.#told.set(id, latest);
    const options = leaseOptionsOf(actor, actor.gpuIds, actor.bundle);
    this.#nodes.reserve(actor.nodeId, leaseOf(id, incarnation), this.leasedBy(actor), options);
  }
}

/**
 * Responsibility: what a worker for tasks leases while it waits for tasks of its own: all but its cpu, so that these find
 * room and nested tasks cannot wait for each other for ever.
 * Not responsible for: the worker's life, which is that of an actor.
 *
 * Invariants:
 * - TASKWORKER-1. Of requests about one worker the one with the highest revision counts, in whatever order they come.
 * - TASKWORKER-2. A worker that goes on has its cpu again at once, also where the node has less free: what runs is not
 *   stopped, and nothing more is placed until there is room (as Ray does it).
 */
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { leaseOf, leaseOptionsOf } from "./actor-supervision.js";
import type { ActorTable } from "./actor-table.js";
import type { NodeTable } from "./node-table.js";

export class TaskWorkers {
  readonly #actors: ActorTable;
  readonly #nodes: NodeTable;
  /** By actor id; forgotten when it dies. */
  readonly #revisions = new Map<string, number>();

  constructor(actors: ActorTable, nodes: NodeTable) {
    this.#actors = actors;
    this.#nodes = nodes;
    actors.onChange(({ spec, state }) => {
      if (state === "DEAD") this.#revisions.delete(spec.actorId);
    });
  }

  /** @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT */
  setWaiting({ actorId, incarnation, waiting, revision }: proto.SetWaitingRequest.$Properties): void {
    const id = actorId ?? "";
    const actor = this.#actors.get(id);
    if (actor === undefined) throw new PalimpsestError("NOT_FOUND", `actor ${id} is not known`);
    if (!actor.spec.taskWorker) {
      throw new PalimpsestError("INVALID_ARGUMENT", `actor_id is ${id}, which is no worker for tasks`);
    }
    if (actor.state !== "ALIVE" || actor.incarnation !== incarnation) return;
    const latest = revision ?? 0;
    if (latest <= (this.#revisions.get(id) ?? 0)) return;
    this.#revisions.set(id, latest);
    const { cpu: _cpu, ...others } = actor.spec.resources;
    const lease = leaseOf(id, actor.incarnation);
    const options = leaseOptionsOf(actor, actor.gpuIds, actor.bundle);
    this.#nodes.reserve(actor.nodeId, lease, waiting ? others : actor.spec.resources, options);
  }
}

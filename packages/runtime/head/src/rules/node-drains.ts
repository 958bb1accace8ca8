/**
 * Responsibility: draining nodes that are to be removed, and ending them.
 * Not responsible for: choosing where actors go (placement), moving one actor (the lifecycle), or copying objects (the
 * node).
 *
 * Invariants:
 * - DRAIN-1. From the first request on nothing is placed on the node, even if its link breaks and comes back.
 * - DRAIN-2. Actors that can restart are restarted elsewhere without using up a restart. Those in placement groups
 *   restart when the node leaves, together with their bundle. Other actors, task workers and drivers are waited for
 *   until the deadline.
 * - DRAIN-3. Before the deadline the node leaves only when nothing runs there and no object is held only there.
 * - DRAIN-4. Draining an idle node for the autoscaler loses nothing: if its objects are not moved in time, the node is
 *   used again.
 *
 * A drain is kept in memory: a restarted head forgets it, and the next request for its progress begins it again.
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Actor } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { ClusterEvents } from "../tables/history/cluster-events.js";
import type { JobTable } from "../tables/job-table.js";
import type { NodeTable } from "../tables/node-table.js";
import type { ObjectDirectory } from "../tables/object-directory.js";
import type { ActorLifecycle } from "./actors/actor-lifecycle.js";

const defaultDeadlineMs = 600_000;
const maxDeadlineMs = 24 * 3_600_000;
const reason = "its node is drained";

export interface NodeDrainsDeps {
  readonly nodes: NodeTable;
  readonly actors: ActorTable;
  readonly jobs: JobTable;
  readonly objects: ObjectDirectory;
  readonly lifecycle: Pick<ActorLifecycle, "move">;
  readonly events: ClusterEvents;
  readonly clock: Clock;
}

interface Drain {
  readonly deadlineAtMs: number;
  /** The reason that the node receives when it is ordered to leave. */
  readonly why: string;
  /** Whether DRAIN-4 applies. */
  readonly yields: boolean;
  /** Whether the node is to be started again. */
  readonly restart: boolean;
  stopped: boolean;
}

export class NodeDrains {
  readonly #deps: NodeDrainsDeps;
  readonly #drains = new Map<string, Drain>();
  readonly #begun = new Set<() => void>();

  constructor(deps: NodeDrainsDeps) {
    this.#deps = deps;
    deps.nodes.onDead(({ nodeId }, why) => {
      if (this.#drains.delete(nodeId)) deps.events.add("drain ended", nodeId, { nodeId, message: why });
    });
  }

  /** Begins to drain the node, or continues. @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT */
  drain({
    nodeId,
    deadlineMs,
    restart,
  }: proto.DrainNodeRequest.$Properties): proto.DrainNodeResponse.$Properties {
    const id = nodeId ?? "";
    const waitMs = deadlineMs || defaultDeadlineMs;
    if (waitMs < 0 || waitMs > maxDeadlineMs)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `deadline_ms is ${waitMs}: it must be from 1 to ${maxDeadlineMs}`,
      );
    const node = this.#deps.nodes.get(id);
    if (node === undefined)
      throw new PalimpsestError("NOT_FOUND", `node ${id} is not known: \`palimpsest list nodes\` lists all`);
    if (node.state === "DEAD") return { done: true };
    if (this.#drains.get(id)?.yields ?? true)
      this.#begin(id, { waitMs, why: "it was drained", yields: false, restart: restart ?? false });
    return this.#progress(id);
  }

  /** Returns whether nothing would be lost with the node, or what would be lost can be moved. */
  canDrainIdle(nodeId: string): boolean {
    return !this.#deps.objects.holdsAlone(nodeId) || this.#takers(nodeId).length > 0;
  }

  /** Drains an idle node and ends it, for the autoscaler (DRAIN-4). @returns whether it has been ordered to end */
  drainIdle(nodeId: string, why: string): boolean {
    if (!this.#drains.has(nodeId))
      this.#begin(nodeId, { waitMs: defaultDeadlineMs, why, yields: true, restart: false });
    return this.#drains.get(nodeId)?.stopped ?? false;
  }

  #begin(
    nodeId: string,
    { waitMs, ...drain }: Pick<Drain, "why" | "yields" | "restart"> & { readonly waitMs: number },
  ): void {
    const deadlineAtMs = this.#deps.clock.monotonicMs() + waitMs;
    this.#drains.set(nodeId, { ...drain, deadlineAtMs, stopped: false });
    const { why, yields } = drain;
    const message = `${yields ? `${why}, ` : ""}at most ${Math.round(waitMs / 1_000)} s`;
    this.#deps.events.add("drain began", nodeId, { nodeId, message });
    for (const wake of [...this.#begun]) wake();
    this.tick();
  }

  /** Returns the owner's task workers that should be returned. */
  workersToRetire(ownerId: string): readonly string[] {
    const ids: string[] = [];
    for (const nodeId of this.#drains.keys())
      for (const { spec } of this.#deps.actors.onNode(nodeId))
        if (spec.taskWorker && spec.ownerId === ownerId) ids.push(spec.actorId);
    return ids;
  }

  /** Calls back when a drain begins. The returned function removes the listener. */
  onBegin(listener: () => void): () => void {
    this.#begun.add(listener);
    return () => void this.#begun.delete(listener);
  }

  /** Continues the drains. It must be called about once per second. */
  tick(): void {
    for (const [nodeId, drain] of this.#drains) this.#goOn(nodeId, drain);
  }

  #goOn(nodeId: string, drain: Drain): void {
    const { nodes, lifecycle, events, clock } = this.#deps;
    // DRAIN-1
    nodes.retire(nodeId);
    if (drain.stopped || nodes.get(nodeId)?.state !== "ALIVE") return;
    const isOverdue = clock.monotonicMs() >= drain.deadlineAtMs;
    const { movable, others } = this.#actorsOn(nodeId);
    for (const { spec, incarnation } of movable) {
      if (lifecycle.move(spec.actorId, reason))
        events.add("actor moved", spec.actorId, {
          nodeId,
          jobId: spec.jobId,
          message: `${spec.role}: incarnation ${incarnation} is stopped, because ${reason}`,
        });
    }
    const { objects } = this.#deps.objects.heldOnlyOn(nodeId);
    if (objects > 0) this.#moveObjects(nodeId);
    const isEmpty = movable.length + others.length + this.#drivers(nodeId) + objects === 0;
    if (!isEmpty && !isOverdue) return;
    if (!isEmpty && drain.yields) {
      this.#drains.delete(nodeId);
      nodes.restore(nodeId);
      const message = "its objects could not be moved in time: it is used again";
      events.add("drain ended", nodeId, { nodeId, message });
      return;
    }
    drain.stopped = true;
    // DRAIN-2: those of placement groups, and at the deadline every actor that can restart.
    for (const { spec } of [...movable, ...others]) lifecycle.move(spec.actorId, reason, true);
    if (drain.restart) nodes.restarts(nodeId);
    nodes.send(nodeId, { stopNode: { reason: drain.why, restart: drain.restart } });
  }

  #moveObjects(nodeId: string): void {
    const addresses = this.#takers(nodeId);
    if (addresses.length > 0) this.#deps.nodes.send(nodeId, { drainObjects: { addresses } });
  }

  /** Returns the nodes to which the node's objects can be moved. */
  #takers(nodeId: string): string[] {
    return this.#deps.nodes
      .all()
      .filter((node) => node.state === "ALIVE" && node.nodeId !== nodeId && !this.#drains.has(node.nodeId))
      .map(({ objectsAddress }) => objectsAddress)
      .filter((address) => address !== "");
  }

  /** Returns the node's actors: those that are moved now, and those that are waited for. */
  #actorsOn(nodeId: string): { readonly movable: readonly Actor[]; readonly others: readonly Actor[] } {
    const movable: Actor[] = [];
    const others: Actor[] = [];
    for (const actor of this.#deps.actors.onNode(nodeId)) {
      const { maxRestarts, placement, taskWorker } = actor.spec;
      const canMove = maxRestarts !== 0 && placement === undefined && !taskWorker;
      // An actor of a placement group restarts where its bundle is, and the bundle moves when the node leaves.
      if (canMove) movable.push(actor);
      else if (maxRestarts === 0 || taskWorker) others.push(actor);
    }
    return { movable, others };
  }

  #drivers(nodeId: string): number {
    return [...this.#deps.jobs.all()].filter((job) => job.nodeId === nodeId && job.status === "RUNNING")
      .length;
  }

  #progress(nodeId: string): proto.DrainNodeResponse.$Properties {
    const { movable, others } = this.#actorsOn(nodeId);
    const { objects, bytes } = this.#deps.objects.heldOnlyOn(nodeId);
    const leftMs = Math.round((this.#drains.get(nodeId)?.deadlineAtMs ?? 0) - this.#deps.clock.monotonicMs());
    const taskWorkers = others.filter(({ spec }) => spec.taskWorker).length;
    return {
      done: this.#deps.nodes.get(nodeId)?.state === "DEAD",
      overdue: leftMs <= 0,
      movingActors: movable.length,
      waitingActors: others.length - taskWorkers,
      taskWorkers,
      drivers: this.#drivers(nodeId),
      objects,
      objectBytes: bytes,
      leftMs: Math.max(0, leftMs),
    };
  }
}

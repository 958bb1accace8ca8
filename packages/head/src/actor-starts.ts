/**
 * Responsibility: an actor's way from its request to a process that is alive.
 * Not responsible for: whether it is to be started (again): actor-lifecycle.ts and actor-deaths.ts decide.
 *
 * Invariants:
 * - ACTOR-1. A node is told to start an actor only after the store holds that decision.
 */
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, specToProto } from "./actor.js";
import { leaseOf } from "./actor-lease.js";
import { type ActorSupervision, noProcess, pendingKey, stopActor } from "./actor-supervision.js";
import { requestOf } from "./scheduling.js";
import { freshStart } from "./start-retries.js";

export class ActorStarts {
  readonly #deps: ActorSupervision;
  readonly #giveUp: (actor: Actor, reason: string) => void;

  /** @param giveUp ends an actor that can never be placed */
  constructor(deps: ActorSupervision, giveUp: (actor: Actor, reason: string) => void) {
    this.#deps = deps;
    this.#giveUp = giveUp;
  }

  /** Places the actor and starts it there, as soon as no earlier process of it may run. */
  seek(actor: Actor): void {
    const { actorId } = actor.spec;
    this.#deps.fences.whenFree(actor, () => {
      const now = this.#deps.actors.get(actorId);
      if (now?.state !== actor.state) return;
      const key = pendingKey(actorId);
      const leaseId = leaseOf(actorId, now.incarnation + 1);
      const { placement, resources, ownerId } = actor.spec;
      if (placement === undefined) {
        const onPlaced = (nodeId: string) => void this.#start(actorId, nodeId, undefined);
        this.#deps.pendingQueue.enqueue(key, { leaseId, request: requestOf(actor.spec), ownerId, onPlaced });
        return;
      }
      const { groupId, bundle } = placement;
      const onPlaced = (nodeId: string, index: number) => void this.#start(actorId, nodeId, index);
      const queue = this.#deps.groups.queueOf(groupId);
      if (queue) queue.enqueue(key, { leaseId, resources, bundle, ownerId, onPlaced });
      else this.#giveUp(now, `its placement group ${groupId} is not known any more`);
    });
  }

  started(nodeId: string, message: proto.ActorStarted.$Properties): void {
    const actorId = message.actorId ?? "";
    const actor = this.#deps.actors.get(actorId);
    if (actor?.nodeId !== nodeId || actor.state === "DEAD") {
      stopActor(this.#deps.nodes, nodeId, actorId, 0, "it is not wanted on this node");
      return;
    }
    if (actor.incarnation !== message.incarnation || actor.state !== "STARTING") return;
    this.alive(actor, nodeId, message);
    const seconds = (this.#deps.clock.now() - actor.createdAtMs) / 1000;
    if (actor.incarnation === 1)
      this.#deps.metrics.histogram("palimpsest_head_placement_seconds").observe(seconds);
  }

  /** Enters the process that the node reports. */
  alive(actor: Actor, nodeId: string, report: proto.RunningActor.$Properties): void {
    const { actorId } = actor.spec;
    this.#deps.delays.alive(actorId);
    void this.#deps.actors.update(actorId, {
      state: "ALIVE",
      nodeId,
      incarnation: report.incarnation ?? actor.incarnation,
      address: report.address ?? "",
      metricsAddress: report.metricsAddress ?? "",
      pid: report.pid ?? 0,
      constructorError: undefined,
      ...freshStart,
    });
    this.#deps.logger.info(
      { actorId, nodeId, incarnation: report.incarnation, pid: report.pid },
      "actor alive",
    );
  }

  /** Tells a node once more to start what it did not list; the decision may not be in the store yet (ACTOR-1). */
  async orderAgain(nodeId: string, { spec, incarnation }: Actor): Promise<void> {
    const { actors } = this.#deps;
    await actors.durable(spec.actorId);
    const actor = actors.get(spec.actorId);
    if (actor?.state !== "STARTING" || actor.incarnation !== incarnation || actor.nodeId !== nodeId) return;
    this.#sendStart(actor);
  }

  async #start(actorId: string, nodeId: string, bundle: number | undefined): Promise<void> {
    const { actors, nodes } = this.#deps;
    const incarnation = (actors.get(actorId)?.incarnation ?? 0) + 1;
    const gpuIds = nodes.gpusOf(nodeId, leaseOf(actorId, incarnation));
    await actors.update(actorId, { state: "STARTING", nodeId, incarnation, ...noProcess, gpuIds, bundle });
    const actor = actors.get(actorId);
    if (actor?.state !== "STARTING" || actor.incarnation !== incarnation) {
      // Killed meanwhile: no process was ever started, so nobody else gives the lease back.
      if (actor === undefined || actor.incarnation === incarnation)
        nodes.release(nodeId, leaseOf(actorId, incarnation));
      this.#deps.fences.ended(actorId, nodeId, incarnation);
      return;
    }
    // Without a link now it is repeated when the node has registered again, see #settle.
    this.#sendStart(actor);
  }

  #sendStart({ spec, nodeId, incarnation, restarts, gpuIds, bundle }: Actor): void {
    // A node describes it so to a head that has lost it: with the bundle that it lies in.
    const placement = spec.placement && { ...spec.placement, bundle };
    this.#deps.nodes.send(nodeId, {
      startActor: { spec: specToProto({ ...spec, placement }), incarnation, restarts, gpuIds: [...gpuIds] },
    });
  }
}

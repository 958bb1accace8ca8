/**
 * Responsibility: an actor's start, from its placement request until its process is alive.
 * Not responsible for: deciding whether it is to be started or restarted (actor-lifecycle.ts and actor-deaths.ts do).
 *
 * Invariants:
 * - ACTOR-1. A node is ordered to start an actor only after the store holds that decision.
 * - ACTOR-12. What is held for a process that a node may run is given back only when the node reports its end, or comes back
 *   without it.
 */
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, specToProto } from "../../tables/actor.js";
import { leaseOf } from "../../tables/actor-lease.js";
import { requestOf } from "../../tables/scheduling.js";
import { type ActorSupervision, noProcess, pendingKey, stopActor } from "./actor-supervision.js";
import { type ActorEvent, permits, transit } from "./actor-transitions.js";
import { freshStart } from "./start-retries.js";

export class ActorStarts {
  readonly #deps: ActorSupervision;
  readonly #giveUp: (actor: Actor, reason: string) => void;
  /** The leases of the actors whose orders are to be repeated. */
  readonly #again = new Set<string>();

  /** @param giveUp ends an actor that can never be placed */
  constructor(deps: ActorSupervision, giveUp: (actor: Actor, reason: string) => void) {
    this.#deps = deps;
    this.#giveUp = giveUp;
  }

  /** Requests a node for the actor and starts it there, as soon as no earlier process of it may still run. */
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
        const request = { ...requestOf(actor.spec), claim: this.#deps.claims.of(actor.spec) };
        this.#deps.pendingQueue.enqueue(key, { leaseId, request, ownerId, onPlaced });
        return;
      }
      const { groupId, bundle } = placement;
      const onPlaced = (nodeId: string, index: number) => void this.#start(actorId, nodeId, index);
      const queue = this.#deps.groups.queueOf(groupId);
      const claim = this.#deps.claims.inBundle(actor.spec);
      if (queue) queue.enqueue(key, { leaseId, resources, bundle, ownerId, claim, onPlaced });
      else this.#giveUp(now, `its placement group ${groupId} is not known any more`);
    });
  }

  started(nodeId: string, message: proto.ActorStarted.$Properties): void {
    const actorId = message.actorId ?? "";
    const actor = this.#deps.actors.get(actorId);
    if (actor?.nodeId !== nodeId || actor.state === "DEAD") {
      stopActor(this.#deps.nodes, nodeId, actorId, 0, "the head no longer wants it on this node");
      return;
    }
    if (actor.incarnation !== message.incarnation || !permits("started", actor)) return;
    this.alive(actor, nodeId, message, "started");
    const seconds = (this.#deps.clock.now() - actor.createdAtMs) / 1000;
    if (actor.incarnation === 1)
      this.#deps.metrics.histogram("palimpsest_head_placement_seconds").observe(seconds);
  }

  /** Records the process that the node reports as ALIVE. */
  alive(
    actor: Actor,
    nodeId: string,
    report: proto.RunningActor.$Properties,
    event: Extract<ActorEvent, "started" | "found running">,
  ): void {
    const { actorId } = actor.spec;
    this.#deps.delays.alive(actorId);
    void transit(this.#deps.actors, actorId, event, {
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

  /** Repeats the order to start an actor that the node did not list, once the decision is in the store (ACTOR-1). */
  async orderAgain(nodeId: string, before: Actor): Promise<void> {
    const { actorId } = before.spec;
    const lease = leaseOf(actorId, before.incarnation);
    if (this.#again.has(lease)) return;
    this.#again.add(lease);
    await this.#deps.actors.durable(actorId);
    this.#again.delete(lease);
    const actor = this.#deps.actors.get(actorId);
    const isHere = actor?.incarnation === before.incarnation && actor.nodeId === nodeId;
    if (actor?.state === "STARTING" && isHere) this.#sendStart(actor);
    else this.noProcess(nodeId, before);
  }

  /**
   * Gives back what is held for a process that the node does not run, if its actor was killed before it was ordered over
   * the present link: the node has no end to report.
   * @param before the actor when the node did not list it
   */
  noProcess(nodeId: string, { spec: { actorId }, incarnation, pid }: Actor): void {
    const actor = this.#deps.actors.get(actorId);
    const isKilled = actor?.state === "DEAD" && actor.incarnation === incarnation && actor.pid === pid;
    const lease = leaseOf(actorId, incarnation);
    if ((actor !== undefined && !isKilled) || this.#deps.nodes.mayRun(nodeId, lease)) return;
    this.#deps.nodes.release(nodeId, lease);
    this.#deps.fences.ended(actorId, nodeId, incarnation);
  }

  async #start(actorId: string, nodeId: string, bundle: number | undefined): Promise<void> {
    const { actors, nodes } = this.#deps;
    const incarnation = (actors.get(actorId)?.incarnation ?? 0) + 1;
    const gpuIds = nodes.gpusOf(nodeId, leaseOf(actorId, incarnation));
    await transit(actors, actorId, "placed", { nodeId, incarnation, ...noProcess, gpuIds, bundle });
    const actor = actors.get(actorId);
    if (actor?.state !== "STARTING" || actor.incarnation !== incarnation) {
      // The actor was killed in the meantime: no process was started, so no node will report an end that releases the
      // lease.
      if (actor === undefined || actor.incarnation === incarnation)
        nodes.release(nodeId, leaseOf(actorId, incarnation));
      this.#deps.fences.ended(actorId, nodeId, incarnation);
      return;
    }
    // If the node has no link now, the order is repeated when it registers again (see `orderAgain`).
    this.#sendStart(actor);
  }

  #sendStart({ spec, nodeId, incarnation, restarts, gpuIds, bundle }: Actor): void {
    // The bundle is included because the node must be able to describe the actor to a head that has lost it.
    const placement = spec.placement && { ...spec.placement, bundle };
    const startActor = {
      spec: specToProto({ ...spec, placement }),
      incarnation,
      restarts,
      gpuIds: [...gpuIds],
    };
    if (this.#deps.nodes.send(nodeId, { startActor }))
      this.#deps.nodes.noteProcess(nodeId, leaseOf(spec.actorId, incarnation));
  }
}

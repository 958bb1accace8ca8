/**
 * Responsibility: comparing what a registering node runs with the head's tables.
 * Not responsible for: the node's own row (node-table.ts), or its jobs (job-lifecycle.ts).
 *
 * Invariants:
 * - ACTOR-6. An actor that a node reports as running and that is not wanted is stopped.
 * - ACTOR-7. An actor that a node reports as running and that the tables do not know is requested from the node and
 *   adopted if the tables may have lost it (RETURN-1); otherwise it is stopped.
 * - ACTOR-11. An order to stop a process whose actor goes on, for a crash or a move, is given again to a node that comes
 *   back and still runs that process: the link may have taken the order with it.
 */
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, type ActorSpec, fullNameOf } from "../../tables/actor.js";
import { leaseOf, leaseOptionsOf, leasePrefix } from "../../tables/actor-lease.js";
import type { ActorDeaths } from "./actor-deaths.js";
import type { ActorStarts } from "./actor-starts.js";
import { type ActorSupervision, certificateOf, stopActor, unqueue } from "./actor-supervision.js";
import { transit } from "./actor-transitions.js";

export interface RegisteredActors {
  /** The actors that the node must stop (ACTOR-6). */
  readonly stopActorIds: string[];
  /** The actors that the node must describe (ACTOR-7). */
  readonly unknownActorIds: string[];
  /** Handles the node's missing actors, once the node has reported everything. */
  readonly settle: () => void;
}

export class ActorReturns {
  readonly #deps: ActorSupervision;
  readonly #starts: ActorStarts;
  readonly #deaths: ActorDeaths;

  constructor(deps: ActorSupervision, starts: ActorStarts, deaths: ActorDeaths) {
    this.#deps = deps;
    this.#starts = starts;
    this.#deaths = deaths;
  }

  /** Compares the processes that a node reports with what the head has recorded. */
  nodeRegistered(nodeId: string, running: readonly proto.RunningActor.$Properties[]): RegisteredActors {
    const { actors, nodes } = this.#deps;
    const listed = new Set(running.map((report) => leaseOf(report.actorId ?? "", report.incarnation ?? 0)));
    for (const lease of listed) nodes.noteProcess(nodeId, lease);
    const isKnown = (report: proto.RunningActor.$Properties) =>
      actors.get(report.actorId ?? "") !== undefined;
    const idOf = (report: proto.RunningActor.$Properties) => report.actorId ?? "";
    const unknown = running.filter((report) => !isKnown(report));
    // The resources are reserved at once (ACTOR-3), because pending requests may be placed before the node has
    // described these actors or has stopped them.
    for (const report of unknown) {
      const lease = leaseOf(idOf(report), report.incarnation ?? 0);
      nodes.reserve(nodeId, lease, report.resources?.quantities ?? {}, { gpuIds: report.gpuIds ?? [] });
    }
    const unknownIds = unknown.map(idOf);
    const unknownActorIds = this.#deps.returning.toDescribe(
      nodeId,
      unknownIds.filter((actorId) => !actors.wasForgotten(actorId)),
    );
    const asked = new Set(unknownActorIds);
    const unwantedIds = running
      .filter(isKnown)
      .filter((report) => !this.#adopt(nodeId, report))
      .map(idOf);
    const stopActorIds = [...unwantedIds, ...unknownIds.filter((actorId) => !asked.has(actorId))];
    this.#forgive(nodeId);
    const missing = actors.onNode(nodeId).filter(
      // An older incarnation that is still ending there does not count as the one that should run.
      (actor) => !listed.has(leaseOf(actor.spec.actorId, actor.incarnation)),
    );
    // These are leases of processes that were to be stopped while the node was away and that are gone now.
    const held = new Set([
      ...listed,
      ...missing.map((actor) => leaseOf(actor.spec.actorId, actor.incarnation)),
    ]);
    const stale = [...nodes.leasesOn(nodeId).keys()].filter(
      (lease) => lease.startsWith(leasePrefix) && !held.has(lease),
    );
    const settle = () => {
      for (const lease of stale) nodes.release(nodeId, lease);
      this.#deps.fences.nodeTold(nodeId, (actorId, incarnation) =>
        nodes.mayRun(nodeId, leaseOf(actorId, incarnation)),
      );
      this.#settle(nodeId, missing);
      for (const { actorId, incarnation } of running)
        this.#stopAgain(nodeId, actorId ?? "", incarnation ?? 0);
    };
    return { stopActorIds, unknownActorIds, settle };
  }

  /**
   * Registers an actor that the tables do not know (ACTOR-7). Returns false when the actor must be stopped because
   * its name belongs to another one.
   */
  adoptUnknown(nodeId: string, spec: ActorSpec, described: proto.ActorDescribed.$Properties): boolean {
    const { actors, logger } = this.#deps;
    const { actorId } = spec;
    const name = fullNameOf(spec);
    this.#deps.returning.described(nodeId, actorId);
    if (actors.get(actorId) === undefined) {
      if (name !== "" && actors.byName(name) !== undefined) return false;
      actors.create(spec);
      void actors.update(actorId, { restarts: described.restarts ?? 0 });
      logger.warn(
        { actorId, nodeId },
        "an actor that was missing from the tables was restored from its node's report",
      );
    }
    return this.#adopt(nodeId, described.actor ?? {});
  }

  /** ACTOR-11 */
  #stopAgain(nodeId: string, actorId: string, incarnation: number): void {
    const order = this.#deps.stopping.get(actorId);
    if (order?.incarnation !== incarnation || order.graceMs === undefined) return;
    stopActor(this.#deps.nodes, nodeId, actorId, order.graceMs, order.reason);
  }

  /** Records the running process if it is the wanted one. @returns whether it is */
  #adopt(nodeId: string, report: proto.RunningActor.$Properties): boolean {
    const { actors, nodes } = this.#deps;
    const actorId = report.actorId ?? "";
    const incarnation = report.incarnation ?? 0;
    const actor = actors.get(actorId);
    if (actor === undefined) return false;
    const lease = leaseOf(actorId, incarnation);
    const { bundle, isElsewhere } = this.#bundleOf(actor, nodeId);
    const options = leaseOptionsOf(actor, report.gpuIds ?? [], bundle);
    const leased = this.#deps.taskWorkers.leasedBy({ spec: actor.spec, incarnation });
    const gpuIds = nodes.reserve(nodeId, lease, leased, options);
    if (actor.state === "DEAD" || isElsewhere) return false;
    const before = this.#deps.fences.found(actorId, nodeId, incarnation);
    const current = before !== undefined || (actor.nodeId === nodeId && actor.incarnation === incarnation);
    // If the incarnation is later than the table's, the store has lost its last writes and the node is right.
    if (!current && incarnation <= actor.incarnation) return false;
    unqueue(this.#deps, actor);
    this.#deps.delays.cancel(actorId);
    this.#deps.fences.stopWaiting(actorId);
    // Its node was only unreachable, so no restart took place.
    if (before !== undefined) void actors.update(actorId, { restarts: before.restarts });
    if (!current || before !== undefined) void actors.update(actorId, { gpuIds, bundle });
    if (!report.address) void transit(actors, actorId, "found starting", { nodeId, incarnation });
    else if (!current || actor.state !== "ALIVE") this.#starts.alive(actor, nodeId, report, "found running");
    return true;
  }

  /**
   * Returns the actor's bundle, and whether that is on another node. An actor of a group is wanted only where its
   * bundle is. One whose group the tables have lost keeps running without it.
   */
  #bundleOf(
    { spec: { placement }, bundle = placement?.bundle }: Actor,
    nodeId: string,
  ): { readonly bundle: number | undefined; readonly isElsewhere: boolean } {
    if (placement === undefined) return { bundle: undefined, isElsewhere: false };
    const nodeOf = this.#deps.groups.nodesOf(placement.groupId);
    if (nodeOf === undefined) return { bundle: undefined, isElsewhere: false };
    return { bundle, isElsewhere: bundle === undefined || nodeOf[bundle] !== nodeId };
  }

  /** Records that the node is back, so that the starts that its absence interrupted did not bring it down (START-4). */
  #forgive(nodeId: string): void {
    const { actors } = this.#deps;
    for (const actorId of this.#deps.returning.forgiven(nodeId)) {
      const actor = actors.get(actorId);
      if (actor === undefined || actor.state === "DEAD") continue;
      const lost = actor.lostStartNodeIds;
      const lostStartNodeIds = lost.filter((lostId) => lostId !== nodeId);
      if (lostStartNodeIds.length < lost.length) void actors.update(actorId, { lostStartNodeIds });
    }
  }

  #settle(nodeId: string, missing: readonly Actor[]): void {
    const { actors, nodes } = this.#deps;
    for (const before of missing) {
      const actor = actors.get(before.spec.actorId);
      if (
        actor?.nodeId !== nodeId ||
        actor.incarnation !== before.incarnation ||
        actor.state !== before.state
      ) {
        this.#starts.noProcess(nodeId, before);
        continue;
      }
      if (actor.state === "STARTING") {
        void this.#starts.orderAgain(nodeId, actor);
        continue;
      }
      nodes.release(nodeId, leaseOf(actor.spec.actorId, actor.incarnation));
      const reason = "its process ended while its node was unreachable for the head";
      this.#deaths.ended(actor, certificateOf(this.#deps.clock, actor, reason), "node", undefined);
    }
  }
}

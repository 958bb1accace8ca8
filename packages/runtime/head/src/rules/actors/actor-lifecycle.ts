/**
 * The states of an actor and the transitions between them: placement, start, life, death and restart.
 *
 * Responsibility: the single entry point to the files that make these decisions: actor-starts.ts, actor-deaths.ts,
 * actor-kills.ts and actor-returns.ts.
 * Not responsible for: watching processes (nodes do), or detecting that a node or an owner is gone (their tables do).
 *
 * Invariants:
 * - NAMED-1. When several requests get or create the actor of one name, exactly one creates it and all of them are
 *   answered with it. The decision is made in one turn of the event loop, after everything that a request has to wait
 *   for.
 * - NAMED-2. No such request is answered with an actor of another class, or with other resources than it requested.
 */
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, type ActorSpec, fullNameOf, hasProcess, waitsForNode } from "../../tables/actor.js";
import { expectSameKind } from "../../tables/actor-kind.js";
import { leaseOf, leaseOptionsOf } from "../../tables/actor-lease.js";
import { ActorDeaths } from "./actor-deaths.js";
import { ActorKills, type KillOptions } from "./actor-kills.js";
import { ActorReturns, type RegisteredActors } from "./actor-returns.js";
import { ActorStarts } from "./actor-starts.js";
import {
  type ActorLifecycleDeps,
  type ActorSupervision,
  pendingKey,
  processEnded,
  stopActor,
} from "./actor-supervision.js";
import { permits } from "./actor-transitions.js";
import { Fences } from "./fences.js";
import { RestartDelays } from "./restart-delays.js";
import { ReturningNodes } from "./returning-nodes.js";
import { startRetryReason } from "./start-retries.js";

export class ActorLifecycle {
  readonly #deps: ActorSupervision;
  readonly #starts: ActorStarts;
  readonly #kills: ActorKills;
  readonly #deaths: ActorDeaths;
  readonly #returns: ActorReturns;

  constructor(deps: ActorLifecycleDeps) {
    const { clock, fenceAfterMs, nodes } = deps;
    this.#deps = {
      ...deps,
      delays: new RestartDelays(clock),
      fences: new Fences(clock, fenceAfterMs, (actorId) => processEnded(deps.actors, actorId)),
      returning: new ReturningNodes(nodes),
      stopping: new Map(),
    };
    this.#kills = new ActorKills(this.#deps);
    this.#starts = new ActorStarts(
      this.#deps,
      ({ spec }, reason) => void this.#kills.kill(spec.actorId, { noRestart: true, reason }),
    );
    this.#deaths = new ActorDeaths(this.#deps, this.#starts, this.#kills);
    this.#returns = new ActorReturns(this.#deps, this.#starts, this.#deaths);
    nodes.onDead((node, reason, cause) => this.#deaths.nodeDied(node, reason, cause));
    deps.groups.onRemoved((groupId, reason) => this.#kills.groupRemoved(groupId, reason));
  }

  /** Takes over the actors of an earlier head, once the tables are loaded. */
  recover(): void {
    const { actors, nodes, groups } = this.#deps;
    // Bundles come first because actors take their leases from them.
    groups.recover();
    // All fences come before any start: a pending actor may have the name of a dead one that is still fenced.
    for (const actor of actors.all()) if (!hasProcess(actor)) this.#deps.fences.recovered(actor);
    for (const actor of [...actors.all()]) {
      if (waitsForNode(actor)) this.#starts.seek(actor);
      if (!hasProcess(actor)) continue;
      const node = nodes.get(actor.nodeId);
      const lease = leaseOf(actor.spec.actorId, actor.incarnation);
      const options = leaseOptionsOf(actor, actor.gpuIds, actor.bundle);
      nodes.reserve(actor.nodeId, lease, actor.spec.resources, options);
      if (node === undefined || node.state === "DEAD") {
        this.#deps.fences.lost(actor);
        this.#deaths.lost(actor, `node lost: ${actor.nodeId} is not known any more`, "left", undefined);
      }
    }
  }

  /**
   * Creates an actor. The call is idempotent by actor id: a known actor is returned unchanged, a new one as PENDING.
   * Resolves once the store has it.
   * @param getIfExists whether to return the actor that already has the name instead of throwing
   * @throws {PalimpsestError} ALREADY_EXISTS
   */
  async create(spec: ActorSpec, getIfExists = false): Promise<Actor> {
    const { actors } = this.#deps;
    const named = getIfExists ? actors.byName(fullNameOf(spec)) : undefined;
    const known = actors.get(spec.actorId) ?? named;
    if (known !== undefined) {
      if (known === named) expectSameKind(known.spec, spec);
      // The request that created it may still be waiting for the store, so this one waits, too.
      await actors.durable(known.spec.actorId);
      return actors.get(known.spec.actorId) ?? known;
    }
    const { actor, durable } = this.#deps.actors.create(spec);
    this.#starts.seek(actor);
    await durable;
    return actor;
  }

  /**
   * @throws {PalimpsestError} NOT_FOUND; ACTOR_UNAVAILABLE when a crash is requested and the actor's node is
   * unreachable
   */
  kill(actorId: string, options: KillOptions): Promise<Actor> {
    return this.#kills.kill(actorId, options);
  }

  /**
   * Stops an actor that can restart, so that it is restarted elsewhere. Its current node must already refuse new
   * placements.
   * @param withNode whether the actor ends together with its node, which is about to leave
   * @returns whether the actor is being stopped
   */
  move(actorId: string, reason: string, withNode = false): boolean {
    return this.#move(actorId, { reason, graceMs: withNode ? undefined : this.#deps.stopGraceMs });
  }

  /**
   * Stops an actor that said that it may be stopped for others (preemptions.ts). It waits for a node again; a worker
   * for tasks ends, and its tasks run again on another one.
   * @returns whether it is being stopped
   */
  preempt(actorId: string, reason: string): boolean {
    const actor = this.#deps.actors.get(actorId);
    if (actor === undefined || actor.state !== "ALIVE" || !actor.spec.preemptible) return false;
    if (!actor.spec.taskWorker)
      return this.#move(actorId, { reason, graceMs: this.#deps.stopGraceMs, isPreemption: true });
    void this.#kills.kill(actorId, { noRestart: true, reason, isPreemption: true });
    return true;
  }

  #move(
    actorId: string,
    order: { readonly reason: string; readonly graceMs: number | undefined; readonly isPreemption?: true },
  ): boolean {
    const { actors, nodes, stopping } = this.#deps;
    const actor = actors.get(actorId);
    if (actor === undefined || !permits("moved", actor) || actor.spec.maxRestarts === 0) return false;
    const { incarnation } = actor;
    const before = stopping.get(actorId);
    if (before?.incarnation === incarnation && before.isMove) return false;
    stopping.set(actorId, { incarnation, isMove: true, ...order });
    const { graceMs, reason } = order;
    return graceMs === undefined || stopActor(nodes, actor.nodeId, actorId, graceMs, reason);
  }

  /** Ends the actors of a session or actor that is gone, except detached ones. */
  ownerEnded(ownerId: string, reason: string): void {
    this.#kills.ownerEnded(ownerId, reason);
  }

  jobEnded(jobId: string): void {
    this.#kills.jobEnded(jobId);
  }

  /** Ends all actors because the cluster shuts down; the next head must not restart any. */
  endAll(reason: string): Promise<void> {
    return this.#kills.endAll(reason);
  }

  started(nodeId: string, message: proto.ActorStarted.$Properties): void {
    this.#starts.started(nodeId, message);
  }

  died(nodeId: string, message: proto.ActorDied.$Properties): void {
    this.#deaths.died(nodeId, message);
  }

  /** Compares the processes that a node reports with what the head has recorded. */
  nodeRegistered(nodeId: string, running: readonly proto.RunningActor.$Properties[]): RegisteredActors {
    return this.#returns.nodeRegistered(nodeId, running);
  }

  /**
   * Registers an actor that the tables do not know (ACTOR-7). Returns false when the actor must be stopped because
   * its name belongs to another one.
   */
  adoptUnknown(nodeId: string, spec: ActorSpec, described: proto.ActorDescribed.$Properties): boolean {
    return this.#returns.adoptUnknown(nodeId, spec, described);
  }

  /**
   * Returns whether an actor that is waiting for its restart may still have a running process, which could be taken
   * back.
   */
  mayRun(actorId: string): boolean {
    return this.#deps.fences.mayRun(actorId);
  }

  /**
   * Returns why an actor is pending: it lacks resources, or waits for its next start attempt. The text is empty if the
   * actor is not pending. Every node is examined.
   */
  pendingReason(actor: Actor): string {
    const { actorId } = actor.spec;
    const holder = waitsForNode(actor) ? this.#deps.fences.holderOf(actor) : undefined;
    if (holder?.spec.actorId === actorId)
      return "its node is unreachable and may still run it: it waits until that node is certain to have fenced it";
    if (holder !== undefined)
      return `node ${holder.nodeId} may still run ${holder.spec.actorId}, which had the name ${fullNameOf(actor.spec)}: it waits until that has ended`;
    const { placement } = actor.spec;
    const key = pendingKey(actorId);
    const reason = placement
      ? this.#deps.groups.actorReason(placement.groupId, key)
      : this.#deps.pendingQueue.reason(key);
    const { preempted, reason: why } = actor.certificate ?? {};
    return `${reason || startRetryReason(actor)}${reason && preempted ? `; it was ${why}` : ""}`;
  }

  close(): void {
    this.#deps.delays.close();
    this.#deps.fences.close();
  }
}

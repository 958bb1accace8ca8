/**
 * Responsibility: ends of actors that were requested by a client, by the end of an owner or job, or by the cluster's
 * shutdown.
 * Not responsible for: the consequences once a process has ended (actor-deaths.ts).
 *
 * Invariants:
 * - OWNER-8. What the tasks of a worker have spawned belongs to the worker's owner once the worker is returned, because
 *   results of its tasks may refer to it. With every other end of the worker it ends, too, and so do the workers that
 *   its tasks had leased.
 */
import { PalimpsestError } from "@palimpsest/wire";
import { type Actor, hasProcess } from "../../tables/actor.js";
import { type ActorSupervision, certificateOf, stopActor, unqueue } from "./actor-supervision.js";
import { permits, transit } from "./actor-transitions.js";

export interface KillOptions {
  readonly noRestart: boolean;
  readonly reason: string;
  /**
   * The incarnation to kill. Another one is left alone, so that a repeated request crashes the actor only once. With 0
   * the running one is killed.
   */
  readonly incarnation?: number;
  /** Whether a worker for tasks is returned by the client that leased it (OWNER-8). */
  readonly isReturned?: boolean;
  /** Whether it makes room for another request (preemptions.ts). */
  readonly isPreemption?: boolean;
}

export class ActorKills {
  readonly #deps: ActorSupervision;

  constructor(deps: ActorSupervision) {
    this.#deps = deps;
  }

  /**
   * @throws {PalimpsestError} NOT_FOUND; ACTOR_UNAVAILABLE when a crash is requested and the actor's node is
   * unreachable
   */
  async kill(actorId: string, options: KillOptions): Promise<Actor> {
    const { actors } = this.#deps;
    const actor = actors.get(actorId);
    if (actor === undefined) throw new PalimpsestError("NOT_FOUND", `actor ${actorId} is not known`);
    if (!permits("killed", actor)) {
      await actors.durable(actorId);
      return actor;
    }
    const { incarnation = 0 } = options;
    if (incarnation !== 0 && incarnation !== actor.incarnation) return actor;
    if (options.isReturned && actor.spec.taskWorker) this.#passOn(actor);
    if (options.noRestart) await this.#killForGood(actor, options.reason, options.isPreemption);
    else this.#crash(actor, options.reason);
    return actors.get(actorId) ?? actor;
  }

  /** OWNER-8. It is written together with the worker's death. */
  #passOn({ spec: { actorId, ownerId, ownerIncarnation } }: Actor): void {
    const { actors, groups } = this.#deps;
    for (const { spec } of actors.ownedBy(actorId))
      if (!spec.taskWorker) void actors.give(spec.actorId, { ownerId, ownerIncarnation });
    groups.give(actorId, { ownerId, ownerIncarnation });
  }

  /** Ends the actors of a session or actor that is gone, except detached ones. */
  ownerEnded(ownerId: string, reason: string): void {
    for (const actor of this.#deps.actors.ownedBy(ownerId)) {
      if (!actor.spec.detached) void this.#killForGood(actor, reason);
    }
    this.#deps.groups.ownerEnded(ownerId, reason);
  }

  /** Ends the actors of a removed placement group, including detached ones. */
  groupRemoved(groupId: string, reason: string): void {
    for (const { spec } of this.#deps.actors.inGroup(groupId)) {
      // The actor is read again, because killing an owner kills the actors it owned.
      const actor = this.#deps.actors.get(spec.actorId);
      if (actor !== undefined && actor.state !== "DEAD")
        void this.#killForGood(actor, `its placement group ${groupId} was removed: ${reason}`);
    }
  }

  jobEnded(jobId: string): void {
    for (const { spec } of this.#deps.actors.ofJob(jobId)) {
      // The actor is read again, because killing an owner kills the actors it owned.
      const actor = this.#deps.actors.get(spec.actorId);
      if (actor === undefined || actor.spec.detached || actor.state === "DEAD") continue;
      void this.#killForGood(actor, `its job ${jobId} ended`);
    }
    this.#deps.groups.jobEnded(jobId);
  }

  /** Ends all actors because the cluster shuts down; the next head must not restart any. */
  async endAll(reason: string): Promise<void> {
    const kills: Promise<void>[] = [];
    for (const { spec } of [...this.#deps.actors.all()]) {
      const actor = this.#deps.actors.get(spec.actorId);
      if (actor !== undefined && actor.state !== "DEAD") kills.push(this.#killForGood(actor, reason));
    }
    await Promise.all([...kills, this.#deps.groups.endAll(reason)]);
  }

  async #killForGood(actor: Actor, reason: string, preempted = false): Promise<void> {
    const { actors, metrics, stopGraceMs } = this.#deps;
    const { actorId } = actor.spec;
    unqueue(this.#deps, actor);
    this.#deps.delays.cancel(actorId);
    this.#deps.fences.stopWaiting(actorId);
    this.#deps.stopping.delete(actorId);
    const runs = hasProcess(actor);
    if (runs) this.#deps.fences.stopping(actor);
    const durable = transit(actors, actorId, "killed", {
      certificate: certificateOf(this.#deps.clock, actor, reason, { requested: true, preempted }),
      address: "",
    });
    metrics.counter("palimpsest_head_actor_deaths_total").inc({ cause: "killed" });
    if (runs) stopActor(this.#deps.nodes, actor.nodeId, actorId, stopGraceMs, reason);
    this.ownerEnded(actorId, `its owner, actor ${actorId}, was killed`);
    await durable;
  }

  #crash(actor: Actor, reason: string): void {
    if (!permits("crashed", actor)) return;
    const { nodes, stopping } = this.#deps;
    const { incarnation, spec } = actor;
    if (stopActor(nodes, actor.nodeId, spec.actorId, 0, reason)) {
      const before = stopping.get(spec.actorId);
      const { isMove = false, isPreemption = false } = before?.incarnation === incarnation ? before : {};
      stopping.set(spec.actorId, { incarnation, graceMs: 0, reason, isMove, isPreemption });
      return;
    }
    throw new PalimpsestError(
      "ACTOR_UNAVAILABLE",
      `node ${actor.nodeId} of actor ${spec.actorId} is unreachable: retry when it is back`,
    );
  }
}

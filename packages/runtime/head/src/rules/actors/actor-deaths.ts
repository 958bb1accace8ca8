/**
 * Responsibility: the consequences when an actor's process has ended or its node is gone: a restart, a retry of the
 * start, or death.
 * Not responsible for: detecting the end, or ends that were requested (actor-kills.ts).
 *
 * Invariants:
 * - ACTOR-2. A report about an incarnation or a node other than the current one changes nothing.
 * - ACTOR-3. An actor's resources stay leased until its node reports that the process is gone, or the node is dead.
 * - ACTOR-4. An actor that was ALIVE is restarted at most maxRestarts times; for failed starts see start-retries.ts.
 * - ACTOR-9. A light actor whose process was ended by another actor is restarted without using up a restart. With
 *   maxRestarts 0 it is DEAD, because its state is gone and its users do not expect it to come back without it.
 * - ACTOR-8. An actor that ended itself is DEAD, whatever its maxRestarts.
 * - ACTOR-10. An actor that is moved away from its node (node-drains.ts) or preempted (preemptions.ts) does not use up
 *   a restart.
 * - ACTOR-5. An error thrown by the module, the constructor or start() is final unless it is retryable.
 */
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, waitsForNode } from "../../tables/actor.js";
import { leaseOf } from "../../tables/actor-lease.js";
import type { Node } from "../../tables/node.js";
import type { NodeDeathCause } from "../../tables/node-table.js";
import type { ActorKills } from "./actor-kills.js";
import type { ActorStarts } from "./actor-starts.js";
import { type ActorSupervision, type Certificate, certificateOf, noProcess } from "./actor-supervision.js";
import { permits, transit } from "./actor-transitions.js";
import { afterFailedStart, afterLostStart, type NextStart } from "./start-retries.js";

type DeathCause = "exit" | "signal" | "constructor" | "killed" | "node";

export class ActorDeaths {
  readonly #deps: ActorSupervision;
  readonly #starts: ActorStarts;
  readonly #kills: ActorKills;

  constructor(deps: ActorSupervision, starts: ActorStarts, kills: ActorKills) {
    this.#deps = deps;
    this.#starts = starts;
    this.#kills = kills;
    // Every label is initialized with 0, because rates and alerts need a sample from before the first event.
    const { metrics } = deps;
    const deaths = metrics.counter("palimpsest_head_actor_deaths_total");
    for (const cause of ["exit", "signal", "constructor", "killed", "node"] satisfies DeathCause[])
      deaths.inc({ cause }, 0);
    const retries = metrics.counter("palimpsest_head_actor_start_retries_total");
    for (const cause of ["error", "node"]) retries.inc({ cause }, 0);
    metrics.counter("palimpsest_head_actor_restarts_total").inc(0);
  }

  died(nodeId: string, message: proto.ActorDied.$Properties): void {
    const { actors, nodes } = this.#deps;
    const actorId = message.actorId ?? "";
    const incarnation = message.incarnation ?? 0;
    nodes.release(nodeId, leaseOf(actorId, incarnation));
    this.#deps.fences.ended(actorId, nodeId, incarnation);
    const actor = actors.get(actorId);
    if (actor?.nodeId !== nodeId || actor.incarnation !== incarnation) return;
    const { certificate = {} } = message;
    const reported = certificateOf(this.#deps.clock, actor, certificate?.reason ?? "", {
      ...certificate,
      requested: certificate?.exited ?? false,
    });
    if (actor.state === "DEAD") {
      // The actor was killed on request: its reason stays, and the node adds how the process ended.
      const {
        reason = reported.reason ?? "",
        requested = false,
        preempted = false,
      } = actor.certificate ?? {};
      void actors.update(actorId, { certificate: { ...reported, reason, requested, preempted } });
      return;
    }
    if (!permits("ended", actor)) return;
    const constructorError = message.constructorError ?? undefined;
    if (constructorError?.retryable && actor.state === "STARTING") {
      this.#startFailed(actor, reported, constructorError);
      return;
    }
    const cause = constructorError ? "constructor" : reported.signal ? "signal" : "exit";
    this.ended(actor, reported, cause, constructorError);
  }

  /** Handles a death that the node table reports. */
  nodeDied(node: Node, reason: string, cause: NodeDeathCause): void {
    const heardAtMs = this.#deps.nodes.heardAtMs(node.nodeId);
    if (cause === "lost") this.#deps.fences.nodeLost(node.nodeId, heardAtMs);
    // A node that leaves in order ends everything it runs first.
    else this.#deps.fences.nodeTold(node.nodeId, () => false);
    for (const { spec } of this.#deps.actors.onNode(node.nodeId)) {
      // The death of an owner kills the actors it owned, so the list from before may be out of date.
      const now = this.#deps.actors.get(spec.actorId);
      if (now?.nodeId !== node.nodeId || !permits("ended", now)) continue;
      if (cause === "lost") this.#deps.fences.lost(now, heardAtMs);
      this.lost(now, reason, cause, node.lastHeartbeatMs);
    }
  }

  /** Handles the loss of the actor's node. */
  lost(actor: Actor, reason: string, cause: NodeDeathCause, lastHeartbeatMs: number | undefined): void {
    const certificate = certificateOf(
      this.#deps.clock,
      actor,
      reason,
      lastHeartbeatMs === undefined ? {} : { lastHeartbeatMs },
    );
    if (actor.state === "ALIVE") {
      this.ended(actor, certificate, "node", undefined);
      return;
    }
    // A node that left in order was not brought down by the actor it was starting.
    const next: NextStart =
      cause === "left"
        ? { counts: {}, delayMs: 0 }
        : afterLostStart(actor, actor.nodeId, this.#deps.startRetries);
    if (cause === "lost") this.#deps.returning.lostStart(actor.nodeId, actor.spec.actorId);
    this.#startAgain(actor, next, certificate, undefined);
  }

  /** Handles the end of an ALIVE actor's process, or of a start that cannot succeed. */
  ended(
    actor: Actor,
    certificate: Certificate,
    cause: DeathCause,
    constructorError: proto.Error.$Properties | undefined,
  ): void {
    const { actors, metrics } = this.#deps;
    const { actorId, maxRestarts } = actor.spec;
    // An actor that ended itself does not want to be restarted.
    const isFinal = constructorError !== undefined || Boolean(certificate.exited);
    // ACTOR-9
    const isBystander = Boolean(certificate.bystander);
    // ACTOR-10
    const order = this.#deps.stopping.get(actorId);
    const isMoved = order?.isMove === true && order.incarnation === actor.incarnation;
    this.#deps.stopping.delete(actorId);
    const isFree = (isBystander || isMoved) && maxRestarts !== 0;
    const mayRestart = !isFinal && (maxRestarts === -1 || isFree || actor.restarts < maxRestarts);
    if (!mayRestart) {
      this.#bury(actor, certificate, cause, constructorError);
      return;
    }
    this.#countDeath(actor, certificate, cause);
    this.#childrenEnd(actor);
    const restarts = actor.restarts + (isFree ? 0 : 1);
    const preempted = isMoved && order.isPreemption === true;
    void transit(actors, actorId, "ended", {
      certificate: { ...certificate, preempted },
      restarts,
      nodeId: "",
      ...noProcess,
    });
    metrics.counter("palimpsest_head_actor_restarts_total").inc();
    this.#deps.delays.after(actorId, () => {
      const now = actors.get(actorId);
      if (now?.state === "RESTARTING") this.#starts.seek(now);
    });
  }

  /** Handles a start that failed for a transient reason, or because its node could not fetch the bundle. */
  #startFailed(actor: Actor, certificate: Certificate, error: proto.Error.$Properties): void {
    const sinceLastMs = this.#deps.delays.failed(actor.spec.actorId);
    const reason = certificate.reason ?? "";
    const next = afterFailedStart(actor, reason, sinceLastMs, this.#deps.startRetries);
    this.#startAgain(actor, next, certificate, error);
  }

  #startAgain(
    actor: Actor,
    next: NextStart,
    certificate: Certificate,
    constructorError: proto.Error.$Properties | undefined,
  ): void {
    const { actors, logger, metrics } = this.#deps;
    const { actorId, role } = actor.spec;
    const { reason } = certificate;
    if (next.giveUp !== undefined) {
      void actors.update(actorId, next.counts);
      const last = { ...certificate, reason: constructorError ? next.giveUp : `${reason}; ${next.giveUp}` };
      this.#bury(actor, last, constructorError ? "constructor" : "node", constructorError);
      return;
    }
    this.#childrenEnd(actor);
    const { counts, delayMs } = next;
    const event = actor.restarts > 0 ? "restart failed" : "first start failed";
    void transit(actors, actorId, event, {
      certificate,
      constructorError,
      ...counts,
      nodeId: "",
      ...noProcess,
    });
    metrics
      .counter("palimpsest_head_actor_start_retries_total")
      .inc({ cause: constructorError ? "error" : "node" });
    logger.warn(
      { actorId, role, nodeId: actor.nodeId, reason, delayMs },
      "the start of an actor will be retried",
    );
    const seek = () => {
      const now = actors.get(actorId);
      if (now !== undefined && waitsForNode(now)) this.#starts.seek(now);
    };
    if (delayMs === 0) seek();
    else this.#deps.delays.wait(actorId, delayMs, seek);
  }

  /**
   * Kills the actors that this incarnation spawned. The next incarnation spawns its own, possibly under the same
   * names.
   */
  #childrenEnd(owner: Actor): void {
    const { actorId } = owner.spec;
    this.#kills.ownerEnded(actorId, `its owner, incarnation ${owner.incarnation} of actor ${actorId}, ended`);
  }

  #countDeath(actor: Actor, { reason }: Certificate, cause: DeathCause): void {
    const { metrics, logger } = this.#deps;
    const { actorId, role } = actor.spec;
    metrics.counter("palimpsest_head_actor_deaths_total").inc({ cause });
    logger.warn({ actorId, role, nodeId: actor.nodeId, cause, reason }, "actor died");
  }

  #bury(
    actor: Actor,
    certificate: Certificate,
    cause: DeathCause,
    constructorError: proto.Error.$Properties | undefined,
  ): void {
    const { actorId } = actor.spec;
    this.#countDeath(actor, certificate, cause);
    const { actors } = this.#deps;
    void transit(actors, actorId, "ended for good", { certificate, constructorError, ...noProcess });
    this.#deps.delays.cancel(actorId);
    this.#deps.fences.stopWaiting(actorId);
    this.#kills.ownerEnded(actorId, `its owner, actor ${actorId}, died`);
  }
}

/**
 * What happens to actors: placed, started, alive, dead, started again.
 *
 * Not its job: watching processes (nodes do), or noticing that a node or an owner is gone (their tables do).
 *
 * Invariants:
 * - C1. A node is told to start an actor only after the store holds that decision.
 * - C2. A report about another incarnation, or from another node, than the current one changes nothing.
 * - C3. An actor's resources stay leased until its node says that the process is gone, or the node is dead.
 * - C4. An actor that was ALIVE is started again at most maxRestarts times; for starts see start-retries.ts.
 * - C5. A module, constructor or start() that throws is final, unless what it threw is retryable.
 * - C6. What a node reports as running and nobody wants is stopped.
 * - C7. What a node reports as running and the tables do not know is asked for and adopted where the tables may have lost
 *   it (RETURN-1), else stopped.
 */
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { type Clock, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, type ActorSpec, mayStillRun, specToProto } from "./actor.js";
import type { ActorTable } from "./actor-table.js";
import { Fences } from "./fences.js";
import type { Node, NodeDeathCause, NodeTable } from "./node-table.js";
import type { PendingQueue } from "./placement.js";
import { RestartDelays } from "./restart-delays.js";
import { ReturningNodes } from "./returning-nodes.js";
import {
  afterFailedStart,
  afterLostStart,
  freshStart,
  type NextStart,
  type StartRetryLimits,
  startRetryReason,
} from "./start-retries.js";

export interface ActorLifecycleDeps {
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly pendingQueue: PendingQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Between SIGTERM and SIGKILL of an actor that is stopped. */
  readonly stopGraceMs: number;
  readonly startRetries: StartRetryLimits;
  /** How long a node out of reach may run actors with fence: lease. */
  readonly fenceAfterMs: number;
}

type Certificate = proto.DeathCertificate.$Properties;
type DeathCause = "exit" | "signal" | "constructor" | "killed" | "node";

export class ActorLifecycle {
  readonly #deps: ActorLifecycleDeps;
  readonly #delays: RestartDelays;
  readonly #fences: Fences;
  readonly #returning: ReturningNodes;

  constructor(deps: ActorLifecycleDeps) {
    this.#deps = deps;
    this.#delays = new RestartDelays(deps.clock);
    this.#fences = new Fences(deps.clock, deps.fenceAfterMs, (actorId) => this.#processEnded(actorId));
    this.#returning = new ReturningNodes(deps.nodes);
    deps.nodes.onDead((node, reason, cause) => this.#nodeDied(node, reason, cause));
  }

  /** Goes on with the actors of an earlier head, once the tables are loaded. */
  recover(): void {
    const { actors, nodes } = this.#deps;
    // All fences first: one that waits may have the name of one that is dead.
    for (const actor of actors.all())
      if (actor.state !== "STARTING" && actor.state !== "ALIVE") this.#fences.recovered(actor);
    for (const actor of [...actors.all()]) {
      if (actor.state === "PENDING" || actor.state === "RESTARTING") this.#seek(actor);
      if (actor.state !== "STARTING" && actor.state !== "ALIVE") continue;
      const node = nodes.get(actor.nodeId);
      const lease = leaseOf(actor.spec.actorId, actor.incarnation);
      nodes.reserve(actor.nodeId, lease, actor.spec.resources, actor.gpuIds);
      if (node === undefined || node.state === "DEAD") {
        this.#fences.lost(actor);
        this.#lost(actor, `node lost: ${actor.nodeId} is not known any more`, "left", undefined);
      }
    }
  }

  /** Idempotent by actor id: a known one is returned as it is, a new one as PENDING. Resolves when the store has it. */
  async create(spec: ActorSpec): Promise<Actor> {
    const known = this.#deps.actors.get(spec.actorId);
    if (known !== undefined) {
      // The first request's answer may have been lost before the store had it.
      await this.#deps.actors.durable(spec.actorId);
      return known;
    }
    const { actor, durable } = this.#deps.actors.create(spec);
    this.#seek(actor);
    await durable;
    return actor;
  }

  /** @throws {PalimpsestError} NOT_FOUND; ACTOR_UNAVAILABLE when a crash is wanted and its node is out of reach */
  async kill(
    actorId: string,
    options: {
      readonly noRestart: boolean;
      readonly reason: string;
      /** Another incarnation is left alone, so that a repeated request crashes once; 0: whichever runs. */
      readonly incarnation?: number;
    },
  ): Promise<Actor> {
    const { actors } = this.#deps;
    const actor = actors.get(actorId);
    if (actor === undefined) throw new PalimpsestError("NOT_FOUND", `actor ${actorId} is not known`);
    if (actor.state === "DEAD") {
      await actors.durable(actorId);
      return actor;
    }
    const { incarnation = 0 } = options;
    if (incarnation !== 0 && incarnation !== actor.incarnation) return actor;
    if (options.noRestart) await this.#killForGood(actor, options.reason);
    else this.#crash(actor, options.reason);
    return actors.get(actorId) ?? actor;
  }

  /** The session or actor that owned them is gone: its actors go too, unless detached. */
  ownerEnded(ownerId: string, reason: string): void {
    for (const actor of this.#deps.actors.ownedBy(ownerId)) {
      if (!actor.spec.detached) void this.#killForGood(actor, reason);
    }
  }

  jobEnded(jobId: string): void {
    for (const { spec } of this.#deps.actors.ofJob(jobId)) {
      // As it is now: the kill of an owner kills what it owned.
      const actor = this.#deps.actors.get(spec.actorId);
      if (actor === undefined || actor.spec.detached || actor.state === "DEAD") continue;
      void this.#killForGood(actor, `its job ${jobId} ended`);
    }
  }

  /** The cluster ends: no actor is to come back with the next head. */
  async endAll(reason: string): Promise<void> {
    const kills: Promise<void>[] = [];
    for (const { spec } of [...this.#deps.actors.all()]) {
      const actor = this.#deps.actors.get(spec.actorId);
      if (actor !== undefined && actor.state !== "DEAD") kills.push(this.#killForGood(actor, reason));
    }
    await Promise.all(kills);
  }

  started(nodeId: string, message: proto.ActorStarted.$Properties): void {
    const actorId = message.actorId ?? "";
    const actor = this.#deps.actors.get(actorId);
    if (actor?.nodeId !== nodeId || actor.state === "DEAD") {
      this.#stop(nodeId, actorId, 0, "it is not wanted on this node");
      return;
    }
    if (actor.incarnation !== message.incarnation || actor.state !== "STARTING") return;
    this.#alive(actor, nodeId, message);
    const seconds = (this.#deps.clock.now() - actor.createdAtMs) / 1000;
    if (actor.incarnation === 1)
      this.#deps.metrics.histogram("palimpsest_head_placement_seconds").observe(seconds);
  }

  died(nodeId: string, message: proto.ActorDied.$Properties): void {
    const { actors, nodes } = this.#deps;
    const actorId = message.actorId ?? "";
    const incarnation = message.incarnation ?? 0;
    nodes.release(nodeId, leaseOf(actorId, incarnation));
    this.#fences.ended(actorId, nodeId, incarnation);
    const actor = actors.get(actorId);
    if (actor?.nodeId !== nodeId || actor.incarnation !== incarnation) return;
    const reported = this.#certificate(actor, message.certificate?.reason ?? "", message.certificate);
    if (actor.state === "DEAD") {
      // It was killed on request: the reason stays, the node adds how the process ended.
      const reason = actor.certificate?.reason ?? reported.reason ?? "";
      void actors.update(actorId, { certificate: { ...reported, reason } });
      return;
    }
    if (actor.state !== "STARTING" && actor.state !== "ALIVE") return;
    const constructorError = message.constructorError ?? undefined;
    if (constructorError?.retryable && actor.state === "STARTING") {
      this.#startFailed(actor, reported, constructorError);
      return;
    }
    const cause = constructorError ? "constructor" : reported.signal ? "signal" : "exit";
    this.#ended(actor, reported, cause, constructorError);
  }

  /**
   * Compares what a node says it runs with what the head believes.
   * @returns ids to stop (C6), ids to ask for (C7), and what to do about the actors that are missing once the node has told everything
   */
  nodeRegistered(
    nodeId: string,
    running: readonly proto.RunningActor.$Properties[],
  ): {
    readonly stopActorIds: string[];
    readonly unknownActorIds: string[];
    readonly settle: () => void;
  } {
    const { actors, nodes } = this.#deps;
    const listed = new Set(running.map((report) => leaseOf(report.actorId ?? "", report.incarnation ?? 0)));
    const isKnown = (report: proto.RunningActor.$Properties) =>
      actors.get(report.actorId ?? "") !== undefined;
    const idOf = (report: proto.RunningActor.$Properties) => report.actorId ?? "";
    const unknownIds = running.filter((report) => !isKnown(report)).map(idOf);
    const unknownActorIds = this.#returning.toDescribe(nodeId, unknownIds);
    const asked = new Set(unknownActorIds);
    const unwantedIds = running
      .filter(isKnown)
      .filter((report) => !this.#adopt(nodeId, report))
      .map(idOf);
    const stopActorIds = [...unwantedIds, ...unknownIds.filter((actorId) => !asked.has(actorId))];
    this.#forgive(nodeId);
    const missing = actors.onNode(nodeId).filter(
      // An older incarnation that still ends there does not stand for the one that is to run.
      (actor) => !listed.has(leaseOf(actor.spec.actorId, actor.incarnation)),
    );
    // Leases of processes that were to be stopped while the node was away, and are not there any more.
    const held = new Set([
      ...listed,
      ...missing.map((actor) => leaseOf(actor.spec.actorId, actor.incarnation)),
    ]);
    const stale = nodes.leasesOf(nodeId).filter((lease) => lease.startsWith(leasePrefix) && !held.has(lease));
    const settle = () => {
      for (const lease of stale) nodes.release(nodeId, lease);
      this.#fences.nodeTold(nodeId, (actorId, incarnation) => listed.has(leaseOf(actorId, incarnation)));
      this.#settle(nodeId, missing);
    };
    return { stopActorIds, unknownActorIds, settle };
  }

  /** Enters an actor that the tables do not know (C7). False when it is to be stopped: its name belongs to another. */
  adoptUnknown(nodeId: string, spec: ActorSpec, described: proto.ActorDescribed.$Properties): boolean {
    const { actors, logger } = this.#deps;
    const { actorId, name } = spec;
    this.#returning.described(nodeId, actorId);
    if (actors.get(actorId) === undefined) {
      if (name !== "" && actors.byName(name) !== undefined) return false;
      actors.create(spec);
      void actors.update(actorId, { restarts: described.restarts ?? 0 });
      logger.warn({ actorId, nodeId }, "an actor that the tables had lost was adopted");
    }
    return this.#adopt(nodeId, described.actor ?? {});
  }

  /** Why an actor waits: for room, or for its next try. Empty when it does not wait. Looks at every node. */
  pendingReason(actor: Actor): string {
    const { actorId, name } = actor.spec;
    const waits = actor.state === "PENDING" || actor.state === "RESTARTING";
    const holder = waits ? this.#fences.holderOf(actor) : undefined;
    if (holder?.spec.actorId === actorId)
      return "its node is out of reach and may still run it: it waits until that node must have fenced it";
    if (holder !== undefined)
      return `node ${holder.nodeId} may still run ${holder.spec.actorId}, which had the name ${name}: it waits until that has ended`;
    return this.#deps.pendingQueue.reason(pendingKey(actorId)) || startRetryReason(actor);
  }

  close(): void {
    this.#delays.close();
    this.#fences.close();
  }

  #seek(actor: Actor): void {
    const { actorId, resources, labels } = actor.spec;
    this.#fences.whenFree(actor, () => {
      const now = this.#deps.actors.get(actorId);
      if (now?.state !== actor.state) return;
      this.#deps.pendingQueue.enqueue(pendingKey(actorId), {
        leaseId: leaseOf(actorId, now.incarnation + 1),
        request: { resources, labels },
        onPlaced: (nodeId) => void this.#start(actorId, nodeId),
      });
    });
  }

  async #start(actorId: string, nodeId: string): Promise<void> {
    const { actors, nodes } = this.#deps;
    const incarnation = (actors.get(actorId)?.incarnation ?? 0) + 1;
    const gpuIds = nodes.gpusOf(nodeId, leaseOf(actorId, incarnation));
    await actors.update(actorId, { state: "STARTING", nodeId, incarnation, ...noProcess, gpuIds });
    const actor = actors.get(actorId);
    if (actor?.state !== "STARTING" || actor.incarnation !== incarnation) {
      // Killed meanwhile: no process was ever started, so nobody else gives the lease back.
      if (actor === undefined || actor.incarnation === incarnation)
        nodes.release(nodeId, leaseOf(actorId, incarnation));
      this.#fences.ended(actorId, nodeId, incarnation);
      return;
    }
    // Without a link now it is repeated when the node has registered again, see #settle.
    this.#sendStart(actor);
  }

  #sendStart({ spec, nodeId, incarnation, restarts, gpuIds }: Actor): void {
    this.#deps.nodes.send(nodeId, {
      startActor: { spec: specToProto(spec), incarnation, restarts, gpuIds: [...gpuIds] },
    });
  }

  #alive(actor: Actor, nodeId: string, report: proto.RunningActor.$Properties): void {
    const { actorId } = actor.spec;
    this.#delays.alive(actorId);
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

  /** Whether the running process is the one wanted; if so it is entered in the table. */
  #adopt(nodeId: string, report: proto.RunningActor.$Properties): boolean {
    const { actors, nodes, pendingQueue } = this.#deps;
    const actorId = report.actorId ?? "";
    const incarnation = report.incarnation ?? 0;
    const actor = actors.get(actorId);
    if (actor === undefined) return false;
    const lease = leaseOf(actorId, incarnation);
    const gpuIds = nodes.reserve(nodeId, lease, actor.spec.resources, report.gpuIds ?? []);
    if (actor.state === "DEAD") return false;
    const before = this.#fences.found(actorId, nodeId, incarnation);
    const current = before !== undefined || (actor.nodeId === nodeId && actor.incarnation === incarnation);
    // A later incarnation than the table's: the store lost its last writes, the node is right.
    if (!current && incarnation <= actor.incarnation) return false;
    pendingQueue.remove(pendingKey(actorId));
    this.#delays.cancel(actorId);
    this.#fences.stopWaiting(actorId);
    // Its node was only out of reach: no restart took place.
    if (before !== undefined) void actors.update(actorId, { restarts: before.restarts });
    if (!current || before !== undefined) void actors.update(actorId, { gpuIds });
    if (!report.address) void actors.update(actorId, { state: "STARTING", nodeId, incarnation });
    else if (!current || actor.state !== "ALIVE") this.#alive(actor, nodeId, report);
    return true;
  }

  /** The node is back, so the starts that it cut short did not bring it down (START-4). */
  #forgive(nodeId: string): void {
    const { actors } = this.#deps;
    for (const actorId of this.#returning.forgiven(nodeId)) {
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
      )
        continue;
      if (actor.state === "STARTING") {
        void this.#orderAgain(nodeId, actor);
        continue;
      }
      nodes.release(nodeId, leaseOf(actor.spec.actorId, actor.incarnation));
      const reason = "its process ended while its node was out of the head's reach";
      this.#ended(actor, this.#certificate(actor, reason), "node", undefined);
    }
  }

  /** Tells a node once more to start what it did not list; the decision may not be in the store yet (C1). */
  async #orderAgain(nodeId: string, { spec, incarnation }: Actor): Promise<void> {
    const { actors } = this.#deps;
    await actors.durable(spec.actorId);
    const actor = actors.get(spec.actorId);
    if (actor?.state !== "STARTING" || actor.incarnation !== incarnation || actor.nodeId !== nodeId) return;
    this.#sendStart(actor);
  }

  /** Nobody told how it ended: the row says that it did, so that the next head need not wait for it. */
  #processEnded(actorId: string): void {
    const actor = this.#deps.actors.get(actorId);
    if (actor === undefined || !mayStillRun(actor)) return;
    void this.#deps.actors.update(actorId, { certificate: { ...actor.certificate, processEnded: true } });
  }

  #nodeDied(node: Node, reason: string, cause: NodeDeathCause): void {
    const heardAtMs = this.#deps.nodes.heardAtMs(node.nodeId);
    if (cause === "lost") this.#fences.nodeLost(node.nodeId, heardAtMs);
    // It ended what it ran before it left.
    else this.#fences.nodeTold(node.nodeId, () => false);
    for (const { spec } of this.#deps.actors.onNode(node.nodeId)) {
      // The death of an owner kills what it owned: the list is of the time before.
      const now = this.#deps.actors.get(spec.actorId);
      if (now?.nodeId !== node.nodeId || (now.state !== "STARTING" && now.state !== "ALIVE")) continue;
      if (cause === "lost") this.#fences.lost(now, heardAtMs);
      this.#lost(now, reason, cause, node.lastHeartbeatMs);
    }
  }

  #lost(actor: Actor, reason: string, cause: NodeDeathCause, lastHeartbeatMs: number | undefined): void {
    const certificate = this.#certificate(
      actor,
      reason,
      lastHeartbeatMs === undefined ? {} : { lastHeartbeatMs },
    );
    if (actor.state === "ALIVE") {
      this.#ended(actor, certificate, "node", undefined);
      return;
    }
    // A node that left in order was not brought down by what it started.
    const next: NextStart =
      cause === "left"
        ? { counts: {}, delayMs: 0 }
        : afterLostStart(actor, actor.nodeId, this.#deps.startRetries);
    if (cause === "lost") this.#returning.lostStart(actor.nodeId, actor.spec.actorId);
    this.#startAgain(actor, next, certificate, undefined);
  }

  /** Its module, constructor or start() failed for a passing reason, or its node could not get its bundle. */
  #startFailed(actor: Actor, certificate: Certificate, error: proto.Error.$Properties): void {
    const sinceLastMs = this.#delays.failed(actor.spec.actorId);
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
    const state = actor.restarts > 0 ? "RESTARTING" : "PENDING";
    void actors.update(actorId, {
      state,
      certificate,
      constructorError,
      ...counts,
      nodeId: "",
      ...noProcess,
    });
    metrics
      .counter("palimpsest_head_actor_start_retries_total")
      .inc({ cause: constructorError ? "error" : "node" });
    logger.warn({ actorId, role, nodeId: actor.nodeId, reason, delayMs }, "start of an actor is tried again");
    const seek = () => {
      const now = actors.get(actorId);
      if (now?.state === state) this.#seek(now);
    };
    if (delayMs === 0) seek();
    else this.#delays.wait(actorId, delayMs, seek);
  }

  #ended(
    actor: Actor,
    certificate: Certificate,
    cause: DeathCause,
    constructorError: proto.Error.$Properties | undefined,
  ): void {
    const { actors, metrics } = this.#deps;
    const { actorId, maxRestarts } = actor.spec;
    const mayRestart = !constructorError && (maxRestarts === -1 || actor.restarts < maxRestarts);
    if (!mayRestart) {
      this.#bury(actor, certificate, cause, constructorError);
      return;
    }
    this.#countDeath(actor, certificate, cause);
    this.#childrenEnd(actor);
    const restarts = actor.restarts + 1;
    void actors.update(actorId, { state: "RESTARTING", certificate, restarts, nodeId: "", ...noProcess });
    metrics.counter("palimpsest_head_actor_restarts_total").inc();
    this.#delays.after(actorId, () => {
      const now = actors.get(actorId);
      if (now?.state === "RESTARTING") this.#seek(now);
    });
  }

  /** What an incarnation spawned ends with it: the next one spawns its own, under the same names if it likes. */
  #childrenEnd(owner: Actor): void {
    const { actorId } = owner.spec;
    this.ownerEnded(actorId, `its owner, incarnation ${owner.incarnation} of actor ${actorId}, ended`);
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
    void this.#deps.actors.update(actorId, { state: "DEAD", certificate, constructorError, ...noProcess });
    this.#delays.cancel(actorId);
    this.#fences.stopWaiting(actorId);
    this.ownerEnded(actorId, `its owner, actor ${actorId}, died`);
  }

  async #killForGood(actor: Actor, reason: string): Promise<void> {
    const { actors, pendingQueue, metrics, stopGraceMs } = this.#deps;
    const { actorId } = actor.spec;
    pendingQueue.remove(pendingKey(actorId));
    this.#delays.cancel(actorId);
    this.#fences.stopWaiting(actorId);
    const runs = actor.state === "STARTING" || actor.state === "ALIVE";
    if (runs) this.#fences.stopping(actor);
    const durable = actors.update(actorId, {
      state: "DEAD",
      certificate: this.#certificate(actor, reason),
      address: "",
    });
    metrics.counter("palimpsest_head_actor_deaths_total").inc({ cause: "killed" });
    if (runs) this.#stop(actor.nodeId, actorId, stopGraceMs, reason);
    this.ownerEnded(actorId, `its owner, actor ${actorId}, was killed`);
    await durable;
  }

  #crash(actor: Actor, reason: string): void {
    if (actor.state !== "STARTING" && actor.state !== "ALIVE") return;
    if (this.#stop(actor.nodeId, actor.spec.actorId, 0, reason)) return;
    throw new PalimpsestError(
      "ACTOR_UNAVAILABLE",
      `node ${actor.nodeId} of actor ${actor.spec.actorId} is out of reach: try again when it is back`,
    );
  }

  #stop(nodeId: string, actorId: string, graceMs: number, reason: string): boolean {
    return this.#deps.nodes.send(nodeId, { stopActor: { actorId, graceMs, reason } });
  }

  #certificate(actor: Actor, reason: string, known: Certificate | null = {}): Certificate {
    return {
      ...known,
      reason: reason || "its process ended",
      diedAtMs: known?.diedAtMs || this.#deps.clock.now(),
      ownerId: actor.spec.ownerId,
      nodeId: actor.nodeId,
      pid: known?.pid || actor.pid,
    };
  }
}

const noProcess: Pick<Actor, "address" | "metricsAddress" | "pid" | "gpuIds"> = {
  address: "",
  metricsAddress: "",
  pid: 0,
  gpuIds: [],
};

const leasePrefix = "actor/";

function leaseOf(actorId: string, incarnation: number): string {
  return `${leasePrefix}${actorId}#${incarnation}`;
}

function pendingKey(actorId: string): string {
  return `actor/${actorId}`;
}

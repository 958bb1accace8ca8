/**
 * Responsibility: records what drivers asked and received, what actors did and which processes ran; checks each event
 * against what the runtime promises. Not responsible for: the tables of the head (../invariants).
 */
import type { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorOptions } from "../../../packages/runtime/client/src/base/config.js";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import type { Arrival } from "./connection.js";
import { checkLightRow, lastReasonOf } from "./light-records.js";
import type { SimNode } from "./node.js";
import type { SimProcess } from "./process.js";
import type { ActorPlan, CallPlan, CallValue, SimHosted } from "./sim-actor.js";
import { Violation } from "./violation.js";
import type { World } from "./world.js";

export interface PlannedActor {
  readonly plan: ActorPlan;
  readonly options: ActorOptions;
  readonly sessionId: string;
  readonly lossesBefore: number;
  actorId: string;
}

export interface CallRecord {
  readonly key: string;
  readonly actorId: string;
  readonly caller: string;
  readonly retries: number;
  readonly process: SimProcess;
  readonly sentAtMs: number;
}

interface Execution extends CallPlan {
  readonly caller: string;
  readonly actorId: string;
  readonly incarnation: number;
  readonly worker: SimHosted;
}

const allowedFailures: ReadonlySet<string> = new Set([
  "ACTOR_DIED",
  "ACTOR_UNAVAILABLE",
  "GET_TIMEOUT",
  "CANCELLED",
  "PENDING_CALLS_LIMIT",
]);
/** A paused driver notices late. */
const lateMs = 150_000;

export class Records {
  readonly #world: World;
  readonly actors = new Map<string, PlannedActor>();
  readonly calls = new Map<string, CallRecord>();
  /** Keys of calls without an outcome. */
  readonly open = new Set<string>();
  readonly sessions = new Map<string, "open" | "goodbye" | "killed">();
  /** Sessions that some head has ended because their drivers were disconnected or silent. */
  readonly endedOwners = new Set<string>();
  readonly killedForGood = new Set<string>();
  /** Actors whose death has been in the store. */
  readonly dead = new Set<string>();
  readonly #executions = new Map<string, number[]>();
  readonly #running = new Map<SimHosted, number>();
  readonly #lastNumber = new Map<string, number>();
  readonly #streams = new Map<string, number>();
  readonly #started = new Set<string>();
  readonly #constructorThrew = new Set<string>();
  readonly #aliveIncarnations = new Map<string, Set<number>>();
  readonly #preempted = new Map<string, Set<number>>();
  readonly #heardMs = new Map<string, number>();
  readonly counts = {
    calls: 0,
    answered: 0,
    failed: 0,
    executions: 0,
    workers: 0,
    jobs: 0,
    objects: 0,
    /** Objects that had to wait for a quota. */
    limited: 0,
    spilled: 0,
    restored: 0,
    damaged: 0,
    mapped: 0,
    groups: 0,
    tasks: 0,
    preempted: 0,
    values: 0,
    durables: 0,
    meshes: 0,
    spawns: 0,
    faults: 0,
    heads: 0,
    /** Processes of a later version, and refusals of versions. */
    newer: 0,
    mismatches: 0,
  };
  constructor(world: World) {
    this.#world = world;
    world.redis.observers.add({
      row: ({ table, key, bytes }, before) => {
        if (table === "actors") this.#actorRow(key, before, bytes);
      },
    });
  }

  violation(invariant: string, text: string): void {
    this.#world.story.tell("VIOLATION", () => `${invariant}: ${text}`);
    this.#world.scheduler.fail(new Violation(invariant, text));
  }

  // Spawning and killing.

  spawning(plan: ActorPlan, options: ActorOptions, sessionId: string): PlannedActor {
    this.counts.spawns++;
    return { plan, options, sessionId, lossesBefore: this.#world.redis.losses, actorId: "" };
  }

  /** JOURNAL-2: what the client was told is in the store. */
  spawned(planned: PlannedActor): void {
    this.actors.set(planned.actorId, planned);
    const { redis } = this.#world;
    if (redis.losses === planned.lossesBefore && !redis.rows("actors").has(planned.actorId)) {
      this.violation("JOURNAL-2", `${planned.actorId} was acknowledged and is not in the store`);
    }
  }

  /** JOURNAL-2, ACTORTABLE-2: an acknowledged kill is in the store. */
  killed(actorId: string, lossesBefore: number): void {
    const { redis } = this.#world;
    this.killedForGood.add(actorId);
    const row = redis.rows("actors").get(actorId);
    if (redis.losses === lossesBefore && row && decoded(row).state !== proto.ActorState.ACTOR_STATE_DEAD) {
      this.violation("JOURNAL-2", `the kill of ${actorId} was acknowledged and the store says otherwise`);
    }
  }

  /** ACTORTABLE-1: a name refers to one living actor. */
  resolved(_name: string, _actorId: string): void {}

  // Calls.

  calling(call: Omit<CallRecord, "sentAtMs">): CallRecord {
    const record = { ...call, sentAtMs: this.#world.scheduler.nowMs };
    this.calls.set(record.key, record);
    this.open.add(record.key);
    this.counts.calls++;
    return record;
  }

  executed(execution: Execution): () => void {
    const { key, actorId, incarnation, worker, caller } = execution;
    this.counts.executions++;
    this.#world.story.tell(worker.name, () => `runs ${key}`);
    const record = this.calls.get(key);
    const times = this.#executions.get(key) ?? [];
    this.#executions.set(key, times);
    times.push(incarnation);
    if (record === undefined) this.violation("CHANNEL-2", `${actorId} ran ${key}, which nobody called`);
    else if (record.actorId !== actorId) {
      this.violation("ADDRESSEE", `${key} was for ${record.actorId} and ran in ${actorId}`);
    } else if (times.length > 1 + record.retries) {
      this.violation(
        "CHANNEL-2",
        `${key} ran ${times.length} times and may be retried ${record.retries} times`,
      );
    }
    const running = (this.#running.get(worker) ?? 0) + 1;
    this.#running.set(worker, running);
    if (running > 1) this.violation("MAILBOX-1", `${worker.name} runs ${running} calls at once, not 1`);
    const lane = `${worker.name} ${caller}`;
    const last = this.#lastNumber.get(lane) ?? 0;
    this.#lastNumber.set(lane, Math.max(last, execution.number));
    if (
      times.length === 1 &&
      this.#streams.get(`${worker.process.name} ${caller}`) === 1 &&
      execution.number < last
    ) {
      this.violation(
        "MAILBOX-2",
        `${worker.name} ran call ${execution.number} of ${caller} after call ${last}`,
      );
    }
    return () => void this.#running.set(worker, (this.#running.get(worker) ?? 1) - 1);
  }

  answered(record: CallRecord, value: CallValue): void {
    this.#settled(record, "value");
    this.counts.answered++;
    if (value.key !== record.key)
      this.violation("INVOCATION-1", `${record.key} was answered with the value of ${value.key}`);
    if (value.actorId !== record.actorId) {
      this.violation("ADDRESSEE", `${record.key} was for ${record.actorId} and ${value.actorId} answered`);
    }
    if (!this.#executions.get(record.key)?.includes(value.incarnation)) {
      this.violation(
        "INVOCATION-1",
        `${record.key} was answered by incarnation ${value.incarnation}, which did not run it`,
      );
    }
  }

  failed(record: CallRecord, error: PalimpsestError): void {
    this.#settled(record, error.code);
    this.counts.failed++;
    const planned = error.code === "ACTOR_ERROR" || error.message.includes("planned failure");
    if (planned && !error.message.includes(record.key)) {
      this.violation("INVOCATION-1", `${record.key} failed with the error of another call: ${error.message}`);
    }
    if (!planned && !allowedFailures.has(error.code)) {
      this.violation("ERRORS", `${record.key} failed with ${error.message}, which no fault explains`);
    }
    if (error.code === "ACTOR_DIED") this.#reportedDead(record, error);
  }

  /** CHANNEL-3: ACTOR_DIED is reported only for an actor that does not come back. */
  #reportedDead(record: CallRecord, error: PalimpsestError): void {
    const { redis, losses } = this.#world;
    if (losses.forGood > 0 || error.message.includes("session was lost")) return;
    const row = redis.rows("actors").get(record.actorId);
    const known = this.#world.head?.plane?.actors.get(record.actorId);
    const alive = row !== undefined && decoded(row).state === proto.ActorState.ACTOR_STATE_ALIVE;
    if (alive && known?.state === "ALIVE") {
      this.violation(
        "CHANNEL-3",
        `${record.key} failed with ACTOR_DIED, and ${record.actorId} lives: ${error.message}`,
      );
    }
  }

  #settled(record: CallRecord, outcome: string): void {
    const tookMs = this.#world.scheduler.nowMs - record.sentAtMs;
    this.#world.story.tell(record.caller, () => `${record.key}: ${outcome} after ${tookMs.toFixed(0)} ms`);
    this.open.delete(record.key);
    if (tookMs > this.#world.settings.callTimeoutMs + lateMs) {
      this.violation("CALL-1", `${record.key} settled ${tookMs.toFixed(0)} ms after it was made`);
    }
  }

  // Processes.

  workerStarted(worker: SimHosted, node: SimNode): void {
    this.counts.workers++;
    const { actorId, incarnation } = worker;
    this.#world.story.tell(node.nodeId, () => `starts ${actorId}#${incarnation}`);
    const key = `${actorId}#${incarnation}`;
    if (this.#started.has(key) && this.#world.losses.forGood === 0)
      this.violation("SUPERVISOR-1", `${key} was started twice`);
    this.#started.add(key);
    if (this.#constructorThrew.has(actorId) && this.#world.losses.forGood === 0) {
      this.violation("ACTOR-5", `${actorId} was started again after its constructor threw`);
    }
    let cpus = 0;
    // A worker that waits for its own tasks lends its cpu, and gets it back at once (TASKWORKER-2).
    for (const one of node.workers) if (!one.mayWait) cpus += one.spec.resources?.quantities?.["cpu"] ?? 0;
    const bound = this.#world.settings.cpusOfNode;
    if (cpus > bound)
      this.violation("ACTOR-3", `${node.nodeId} runs actors of ${cpus} cpus and has ${bound}`);
  }

  workerEnded(worker: SimHosted): void {
    this.#running.delete(worker);
  }

  /** Records that a process was stopped for others, which uses up no restart and no retry. */
  preempted(actorId: string, incarnation: number): void {
    this.counts.preempted++;
    const incarnations = this.#preempted.get(actorId) ?? new Set();
    this.#preempted.set(actorId, incarnations.add(incarnation));
    this.#world.tasks.preempted(actorId);
    this.#world.story.tell("head", () => `${actorId}#${incarnation} is stopped for others`);
  }

  // Sessions.

  sessionOpened(sessionId: string): void {
    this.sessions.set(sessionId, "open");
  }

  sessionGone(sessionId: string, how: "goodbye" | "killed"): void {
    if (this.sessions.get(sessionId) === "open") this.sessions.set(sessionId, how);
  }

  // The head.

  /** A head that no longer leads may continue for a while, so each head is judged by what it has seen itself. */
  headOpened(plane: ControlPlane, process: SimProcess): void {
    this.counts.heads++;
    const openedMs = this.#world.scheduler.nowMs;
    const brokenMs = new Map<string, number>();
    const { head } = this.#world.settings;
    const ownerEnded = plane.lifecycle.ownerEnded.bind(plane.lifecycle);
    plane.lifecycle.ownerEnded = (ownerId, reason) => {
      this.#ownerEnded(ownerId, reason, Math.max(openedMs, brokenMs.get(ownerId) ?? 0));
      ownerEnded(ownerId, reason);
    };
    const broken = plane.sessions.broken.bind(plane.sessions);
    plane.sessions.broken = (sessionId, connection) => {
      brokenMs.set(sessionId, this.#world.scheduler.nowMs);
      broken(sessionId, connection);
    };
    plane.nodes.onDead((node, reason) => {
      this.#world.story.tell("head", () => `${node.nodeId} is dead: ${reason}`);
      if (!reason.startsWith("node lost")) return;
      const heardMs = this.#heardMs.get(`${process.name} ${node.nodeId}`) ?? openedMs;
      const silentMs = this.#world.scheduler.nowMs - heardMs;
      // Silence is counted in ticks, and a clock that jumps can add two intervals.
      if (silentMs < head.nodeTimeoutMs - 2.5 * head.heartbeatIntervalMs) {
        this.violation(
          "NODE-3",
          `${node.nodeId} was declared dead after ${silentMs.toFixed(0)} ms of silence`,
        );
      }
    });
  }

  #ownerEnded(ownerId: string, reason: string, since: number): void {
    this.endedOwners.add(ownerId);
    this.#world.story.tell("head", () => `owner ${ownerId} ended: ${reason}`);
    if (!reason.includes("was disconnected")) return;
    const awayMs = this.#world.scheduler.nowMs - since;
    // The session's replaced stream may break a moment after the current one.
    if (awayMs < this.#world.settings.head.ownerGraceMs - 1_000) {
      this.violation("OWNER-1", `session ${ownerId} was ended after ${awayMs.toFixed(0)} ms away`);
    }
  }

  /** The node tells it again to the next head, so that only the end of both, before it is in the store, can lose it. */
  #threw({ actorId: id, incarnation }: proto.ActorDied.$Properties, node: SimProcess): void {
    const actorId = id ?? "";
    // A head that was stopped reads it when the node has ended, and may lead no more.
    if (node.ended) return;
    // The node had counted as dead, and the order to start the actor elsewhere was on its way by now.
    if ((this.#world.head?.plane?.actors.get(actorId)?.incarnation ?? 0) > (incarnation ?? 0)) return;
    this.#constructorThrew.add(actorId);
    node.onEnd(() => {
      if (this.#world.head?.plane?.actors.get(actorId)?.state !== "DEAD")
        this.#constructorThrew.delete(actorId);
    });
  }

  /** Observes every message that arrives. */
  arrived({ method, toServer, body, from, to }: Arrival): void {
    if (method !== "NodeLink.Link") return;
    if (toServer) {
      const message = body as proto.NodeMessage.$Properties;
      const nodeId = message.register?.nodeId ?? from.name;
      this.#heardMs.set(`${to.name} ${nodeId}`, this.#world.scheduler.nowMs);
      const died = message.actorDied;
      if (died?.constructorError && !died.constructorError.retryable) this.#threw(died, from);
      return;
    }
    const { startActor } = body as proto.HeadMessage.$Properties;
    if (startActor) this.#startOrdered(startActor, to.name);
  }

  /** Records that a caller opened a stream to a worker; its calls are in order within one stream. */
  streamOpened(worker: string, caller: string): void {
    const lane = `${worker} ${caller}`;
    this.#streams.set(lane, (this.#streams.get(lane) ?? 0) + 1);
  }

  /** ACTOR-1: the store holds the decision before the node hears of it. */
  #startOrdered(order: proto.StartActor.$Properties, nodeId: string): void {
    const { redis } = this.#world;
    const actorId = order.spec?.actorId ?? "";
    const row = redis.rows("actors").get(actorId);
    // An order that is on its way when Redis loses rows was based on rows that existed then.
    if (this.#world.scheduler.nowMs - redis.lostAtMs < lateMs) return;
    const stored = row && decoded(row);
    if (stored === undefined || stored.incarnation < (order.incarnation ?? 0)) {
      this.violation(
        "ACTOR-1",
        `${nodeId} is told to start ${actorId}#${order.incarnation}, the store has ${stored?.incarnation}`,
      );
    }
  }

  /** Checks ACTORTABLE-2, ACTORTABLE-3, JOURNAL-1 and ACTOR-4 for one row in the store. */
  #actorRow(actorId: string, beforeBytes: Uint8Array | undefined, bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return;
    const now = decoded(bytes);
    const before = beforeBytes && decoded(beforeBytes);
    const { ACTOR_STATE_DEAD, ACTOR_STATE_ALIVE } = proto.ActorState;
    if (now.state === ACTOR_STATE_DEAD) {
      this.dead.add(actorId);
      if (this.actors.get(actorId)?.options.durable)
        this.#world.durables.died(actorId, lastReasonOf(this.#world, actorId));
    }
    if (before?.state === ACTOR_STATE_DEAD && now.state !== ACTOR_STATE_DEAD) {
      this.violation(
        "ACTORTABLE-2",
        `${actorId} was dead in the store and is ${proto.ActorState[now.state]} again`,
      );
    }
    if (before !== undefined && now.incarnation < before.incarnation) {
      this.violation(
        "ACTORTABLE-3",
        `${actorId} went back from incarnation ${before.incarnation} to ${now.incarnation}`,
      );
    }
    const wasPreempted = this.#preempted.get(actorId)?.has(before?.incarnation ?? 0) ?? false;
    // The next head does not know what the orders of an earlier one were for.
    if (wasPreempted && before?.state === ACTOR_STATE_ALIVE && this.counts.heads === 1)
      if (now.restarts > before.restarts)
        this.violation("ACTOR-10", `${actorId} was stopped for others, and that used up a restart`);
    checkLightRow(this.#world, actorId, before, now);
    if (now.state !== ACTOR_STATE_ALIVE) return;
    const alive = this.#aliveIncarnations.get(actorId) ?? new Set();
    this.#aliveIncarnations.set(actorId, alive.add(now.incarnation));
    const { maxRestarts: limit, process } = this.actors.get(actorId)?.options ?? {};
    // A light actor's process may end because of another actor.
    if (process === "shared") return;
    const free = this.#preempted.get(actorId)?.size ?? 0;
    if (
      limit !== undefined &&
      limit >= 0 &&
      alive.size > limit + free + 1 &&
      this.#world.losses.forGood === 0
    ) {
      this.violation(
        "ACTOR-4",
        `${actorId} was alive in ${alive.size} incarnations with maxRestarts ${limit}`,
      );
    }
  }
}

function decoded(bytes: Uint8Array): proto.ActorInfo {
  return proto.ActorInfo.decode(bytes);
}

/**
 * Responsibility: the reports of the cluster's processes about tasks, calls and transfers: the newest events of each
 * job, and counts of all by name. In memory only.
 * Not responsible for: sampling (the processes do it), or answers to clients (task-event-rpcs.ts).
 *
 * Invariants:
 * - TASKEVENTS-1. At most `maxEvents` events of at most `maxBytes` are kept, `maxEventsOfJob` per job, a fifth of which
 *   are for failures. The oldest events of the job that has most are dropped first.
 * - TASKEVENTS-2. What is pending or running is known from the last report of its process. When the process is gone,
 *   its running calls have failed; the end of a task is reported by its caller. A report that arrives later has no
 *   live tasks.
 * - TASKEVENTS-3. At most `maxNames` names are counted separately, and at most `maxReporters` processes have live
 *   tasks.
 */
import type { Clock } from "@palimpsest/std";
import * as proto from "@palimpsest/wire/protocol";
import { EventRing } from "./event-ring.js";

const maxEvents = 50_000;
const maxEventsOfJob = 20_000;
/** What all events may take: programs choose their texts. */
const maxBytes = 32 * 1024 * 1024;
/** About what an event takes beside its texts. */
const eventBytes = 300;
const maxFailedOfJob = maxEventsOfJob / 5;
const maxNames = 1_000;
const maxReporters = 10_000;
const maxLiveOfReporter = 100;
const maxTextLength = 200;
/** The number of events per second that all nodes together may send. */
const eventsPerSecond = 20_000;
const leastPerNode = 20;
const otherNames = "(others)";

const { TASK_STATE_FINISHED, TASK_STATE_RUNNING, TASK_STATE_FAILED } = proto.TaskState;

export type TaskEvent = proto.TaskEvent.$Properties;

interface JobEvents {
  readonly finished: EventRing<TaskEvent>;
  readonly failed: EventRing<TaskEvent>;
}

interface Totals {
  readonly kind: proto.TaskKind;
  readonly name: string;
  readonly jobId: string;
  finished: number;
  failed: number;
  cancelled: number;
  ranUs: number;
  leftOut: number;
}

interface Reporter {
  readonly live: readonly TaskEvent[];
  readonly counts: readonly proto.TaskCounts.$Properties[];
}

export class TaskEvents {
  readonly #clock: Clock;
  readonly #isAlive: (reporterId: string) => boolean;
  readonly #jobs = new Map<string, JobEvents>();
  readonly #totals = new Map<string, Totals>();
  readonly #reporters = new Map<string, Reporter>();
  #size = 0;
  #bytes = 0;
  #sequence = 0;

  /** @param isAlive whether a process lives, an incarnation of an actor or the program of a session, by its name */
  constructor(clock: Clock, isAlive: (reporterId: string) => boolean) {
    this.#clock = clock;
    this.#isAlive = isAlive;
  }

  /** The number of events kept. */
  get size(): number {
    return this.#size;
  }

  /** Returns the number of events per second that each of this many nodes may send. */
  static allowance(nodes: number): number {
    return Math.max(leastPerNode, Math.floor(eventsPerSecond / Math.max(1, nodes)));
  }

  report(report: proto.TaskReport.$Properties): void {
    for (const event of report.ended ?? []) this.#keep(completed(event, report));
    const counts: proto.TaskCounts.$Properties[] = [];
    for (const count of report.counts ?? []) {
      const jobId = count.jobId || report.jobId || "";
      this.#count({ ...count, jobId });
      if (count.pending || count.running) counts.push({ ...count, jobId });
    }
    const reporterId = text(report.reporterId);
    this.#reporters.delete(reporterId);
    const live = (report.live ?? []).slice(0, maxLiveOfReporter).map((event) => completed(event, report));
    if (live.length === 0 || !this.#isAlive(reporterId)) return;
    this.#reporters.set(reporterId, { live, counts });
    for (const oldest of this.#reporters.keys()) {
      if (this.#reporters.size <= maxReporters) break;
      this.#reporters.delete(oldest);
    }
  }

  /**
   * Handles the end of a process: an incarnation of an actor, or a program.
   * @param why the error of what was running in it
   */
  reporterEnded(reporterId: string, why: { readonly code: string; readonly message: string }): void {
    const reporter = this.#reporters.get(reporterId);
    if (reporter === undefined) return;
    this.#reporters.delete(reporterId);
    for (const event of reporter.live) {
      // The end of a task is reported by its caller.
      if (event.state !== TASK_STATE_RUNNING || event.kind === proto.TaskKind.TASK_KIND_TASK) continue;
      const { kind, name, jobId } = event;
      this.#count({ kind: kind ?? 0, name: name ?? "", jobId: jobId ?? "", failed: 1 });
      const endedAtUs = this.#clock.now() * 1_000;
      const errorMessage = why.message.slice(0, maxTextLength);
      this.#keep({ ...event, state: TASK_STATE_FAILED, endedAtUs, errorCode: why.code, errorMessage });
    }
  }

  /** Forgets a job that is no longer remembered, so that the names of later jobs are counted separately. */
  forget(jobId: string): void {
    const ofJob = this.#jobs.get(jobId);
    for (const ring of ofJob ? [ofJob.finished, ofJob.failed] : [])
      this.#change(ring, () => ring.drop(ring.size));
    this.#jobs.delete(jobId);
    for (const [key, totals] of this.#totals) if (totals.jobId === jobId) this.#totals.delete(key);
  }

  /** Yields pending and running tasks and calls. */
  *live(): Generator<TaskEvent> {
    for (const { live } of this.#reporters.values()) yield* live;
  }

  /** Returns ended tasks and calls, the newest first. @param jobId empty for all jobs */
  ended(jobId: string, wanted: (event: TaskEvent) => boolean): readonly TaskEvent[] {
    const found: TaskEvent[] = [];
    for (const [ofJob, { finished, failed }] of this.#jobs) {
      if (jobId !== "" && ofJob !== jobId) continue;
      for (const event of finished) if (wanted(event)) found.push(event);
      for (const event of failed) if (wanted(event)) found.push(event);
    }
    return found.sort((a, b) => (b.sequence ?? 0) - (a.sequence ?? 0));
  }

  summary(jobId: string): readonly proto.TaskCounts.$Properties[] {
    const rows = new Map<string, proto.TaskCounts.$Properties>();
    for (const [key, totals] of this.#totals)
      if (jobId === "" || totals.jobId === jobId) rows.set(key, { ...totals, pending: 0, running: 0 });
    for (const { counts } of this.#reporters.values()) {
      for (const { kind, name, jobId: ofJob, pending, running } of counts) {
        const row = rows.get(keyOf(kind ?? 0, name ?? "", ofJob ?? ""));
        if (row === undefined) continue;
        row.pending = (row.pending ?? 0) + (pending ?? 0);
        row.running = (row.running ?? 0) + (running ?? 0);
      }
    }
    return [...rows.values()];
  }

  #keep(event: TaskEvent): void {
    const jobId = event.jobId ?? "";
    const ofJob = this.#jobs.get(jobId) ?? {
      finished: new EventRing<TaskEvent>(maxEventsOfJob - maxFailedOfJob, maxBytes, bytesOf),
      failed: new EventRing<TaskEvent>(maxFailedOfJob, maxBytes, bytesOf),
    };
    this.#jobs.set(jobId, ofJob);
    const ring = event.state === TASK_STATE_FINISHED ? ofJob.finished : ofJob.failed;
    event.sequence = ++this.#sequence;
    this.#change(ring, () => ring.push(event));
    while (this.#size > maxEvents || this.#bytes > maxBytes) this.#makeRoom();
  }

  /** Changes a ring, and counts what it has then. */
  #change(ring: EventRing<TaskEvent>, change: () => void): void {
    const { size, bytes } = ring;
    change();
    this.#size += ring.size - size;
    this.#bytes += ring.bytes - bytes;
  }

  /** TASKEVENTS-1 */
  #makeRoom(): void {
    let largest: readonly [string, JobEvents] | undefined;
    let most = -1;
    for (const entry of this.#jobs) {
      const bytes = entry[1].finished.bytes + entry[1].failed.bytes;
      if (bytes > most) [largest, most] = [entry, bytes];
    }
    if (largest === undefined) return;
    const [jobId, { finished, failed }] = largest;
    // Several events are dropped at a time, because finding the largest job iterates over all jobs.
    const ring = finished.size > 0 ? finished : failed;
    this.#change(ring, () => ring.drop(Math.ceil(ring.size / 10)));
    if (finished.size + failed.size === 0) this.#jobs.delete(jobId);
  }

  #count(count: proto.TaskCounts.$Properties): void {
    const { kind = 0, jobId = "" } = count;
    const name = text(count.name);
    const key = keyOf(kind ?? 0, name, jobId ?? "");
    let totals = this.#totals.get(key);
    if (totals === undefined) {
      if (this.#totals.size >= maxNames && name !== otherNames) {
        this.#count({ ...count, name: otherNames, jobId: "" });
        return;
      }
      const none = { finished: 0, failed: 0, cancelled: 0, ranUs: 0, leftOut: 0 };
      totals = { kind: kind ?? 0, name, jobId: jobId ?? "", ...none };
      this.#totals.set(key, totals);
    }
    totals.finished += count.finished ?? 0;
    totals.failed += count.failed ?? 0;
    totals.cancelled += count.cancelled ?? 0;
    totals.ranUs += count.ranUs ?? 0;
    totals.leftOut += count.leftOut ?? 0;
  }
}

function keyOf(kind: number, name: string, jobId: string): string {
  return JSON.stringify([kind, name, jobId]);
}

const lengthOf = (text: string | null | undefined) => text?.length ?? 0;

/** Texts are mostly of one byte per character; numbers are part of `eventBytes`. */
function bytesOf(event: TaskEvent): number {
  const { taskId, name, actorId, nodeId, jobId, role, callerId, errorCode, errorMessage } = event;
  let bytes = eventBytes + lengthOf(event.objectId) + lengthOf(event.peerAddress);
  bytes += lengthOf(taskId) + lengthOf(name) + lengthOf(actorId) + lengthOf(nodeId) + lengthOf(jobId);
  return bytes + lengthOf(role) + lengthOf(callerId) + lengthOf(errorCode) + lengthOf(errorMessage);
}

/**
 * Returns an event completed with the fields of its report. Its texts are cut to a bounded length, because a program
 * may send anything.
 */
function completed(event: TaskEvent, report: proto.TaskReport.$Properties): TaskEvent {
  return {
    taskId: text(event.taskId),
    kind: event.kind ?? 0,
    name: text(event.name),
    state: event.state ?? 0,
    actorId: text(event.actorId || report.actorId),
    incarnation: event.incarnation || report.incarnation || 0,
    nodeId: text(event.nodeId || report.nodeId),
    pid: event.pid || report.pid || 0,
    jobId: text(event.jobId || report.jobId),
    role: text(event.role || report.role),
    callerId: text(event.callerId),
    queuedAtUs: event.queuedAtUs ?? 0,
    startedAtUs: event.startedAtUs ?? 0,
    endedAtUs: event.endedAtUs ?? 0,
    errorCode: text(event.errorCode),
    errorMessage: text(event.errorMessage),
    objectId: text(event.objectId),
    sizeBytes: event.sizeBytes ?? 0,
    peerAddress: text(event.peerAddress),
  };
}

function text(given: string | null | undefined): string {
  return (given ?? "").slice(0, maxTextLength);
}

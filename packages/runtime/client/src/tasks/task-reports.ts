/**
 * Responsibility: reports to the head the state of this program's tasks that no worker can report: those that wait,
 * and those whose worker died or never existed.
 * Not responsible for: tasks that a worker answers, which the worker reports.
 *
 * Invariants:
 * - TASKNEWS-1. A task that a worker accepted within a second and answered is not reported.
 */
import type { Clock } from "@palimpsest/std";
import { epochUs, type PalimpsestError, TaskRecorder } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { TaskCall } from "./task-call.js";

const intervalMs = 1_000;
const maxLive = 100;
const maxCounted = 10_000;
const kind = proto.TaskKind.TASK_KIND_TASK;

export interface TaskReportsDeps {
  readonly clock: Clock;
  /** The caller's name. */
  readonly callerId: string;
  readonly jobId: string;
  /** Returns the tasks that no worker has yet. */
  readonly waiting: () => Iterable<TaskCall>;
  /** Never rejects: reports that do not arrive are lost. */
  readonly send: (report: proto.TaskReport.$Properties) => void;
}

export class TaskReports {
  readonly #deps: TaskReportsDeps;
  readonly #recorder = new TaskRecorder(kind);
  #cancelTimer: (() => void) | undefined;
  #toldLive = false;
  #closed = false;

  constructor(deps: TaskReportsDeps) {
    this.#deps = deps;
  }

  /** Records that a task was submitted. */
  submitted(): void {
    if (this.#cancelTimer === undefined) this.#schedule();
  }

  /** Records an attempt that ended without a worker's report. @param begun whether it may have run */
  lost(call: TaskCall, begun: boolean, error: PalimpsestError): void {
    const task = { taskId: call.taskId, callerId: this.#deps.callerId };
    const outcome = error.code === "CANCELLED" ? "cancelled" : "failed";
    const nowMs = performance.now();
    const startedAtMs = begun ? call.sentAtMs : undefined;
    const more = { actorId: call.lease?.actorId ?? "" };
    this.#recorder.ended(task, call.method, outcome, call.submittedAtMs, startedAtMs, nowMs, error, more);
    this.submitted();
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    if (!this.#recorder.isEmpty) this.#tell();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#deps.clock.after(intervalMs, () => {
      this.#cancelTimer = undefined;
      this.#tell();
      if (this.#toldLive) this.#schedule();
    });
  }

  #tell(): void {
    const { callerId, jobId, send } = this.#deps;
    const live: proto.TaskEvent.$Properties[] = [];
    const pending = new Map<string, number>();
    let counted = 0;
    for (const { taskId, method, submittedAtMs } of this.#closed ? [] : this.#deps.waiting()) {
      if (++counted > maxCounted) break;
      pending.set(method, (pending.get(method) ?? 0) + 1);
      if (live.length >= maxLive) continue;
      const queuedAtUs = epochUs(submittedAtMs);
      live.push({
        taskId,
        callerId,
        kind,
        name: method,
        state: proto.TaskState.TASK_STATE_PENDING,
        queuedAtUs,
      });
    }
    if (live.length === 0 && this.#recorder.isEmpty && !this.#toldLive) return;
    this.#toldLive = live.length > 0;
    const { ended, counts } = this.#recorder.take();
    const waiting = [...pending].map(([name, count]) => ({ kind, name, pending: count }));
    const about = { reporterId: callerId, jobId, pid: process.pid, role: "driver" };
    send({ ...about, ended, live, counts: [...counts, ...waiting] });
  }
}

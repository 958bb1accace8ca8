/**
 * Responsibility: reporting this process's calls, or the tasks that it ran: those that ended and those that are
 * running, once per second while there are any.
 * Not responsible for: sampling them (wire's task-recorder.ts), or delivering a report.
 *
 * Invariants:
 * - CALLEVENTS-1. A process in which nothing was called reports nothing and has no timer.
 * - CALLEVENTS-2. A call that runs for longer than the interval is reported while it runs, unless it blocks the
 *   thread.
 */
import {
  type Addressee,
  epochUs,
  incarnationName,
  type PalimpsestError,
  type TaskOutcome,
  TaskRecorder,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

const intervalMs = 1_000;
const maxLive = 100;

/** A call as listings show it. */
export interface ListedCall {
  readonly taskId: string;
  readonly callerId: string;
  readonly methodName: string;
  readonly arrivedAtMs: number;
  /** When it began, by performance.now(); undefined while it waits. */
  readonly begunAtMs: number | undefined;
}

export interface CallEventsOptions {
  /** The fields of every report. */
  readonly about: Addressee & Pick<proto.TaskReport.$Properties, "nodeId" | "pid" | "jobId" | "role">;
  readonly isTasks: boolean;
  readonly report: (report: proto.TaskReport.$Properties) => void;
  /** Milliseconds between two reports. Default: one second. */
  readonly intervalMs?: number;
}

export class CallEvents {
  readonly #options: CallEventsOptions;
  readonly #kind: proto.TaskKind;
  readonly #recorder: TaskRecorder;
  #calls: () => Iterable<ListedCall> = () => [];
  #timer: NodeJS.Timeout | undefined;
  #toldLive = false;

  constructor(options: CallEventsOptions) {
    this.#options = options;
    this.#kind = options.isTasks ? proto.TaskKind.TASK_KIND_TASK : proto.TaskKind.TASK_KIND_CALL;
    this.#recorder = new TaskRecorder(this.#kind);
  }

  /** @param calls the calls that wait or run at the moment */
  watch(calls: () => Iterable<ListedCall>): void {
    this.#calls = calls;
  }

  /** Records that a call has arrived. */
  arrived(): void {
    if (this.#timer === undefined) this.#schedule();
  }

  /** Records that a call has ended. @param method its name, or a placeholder for methods that do not exist */
  ended(
    call: ListedCall,
    method: string,
    outcome: TaskOutcome,
    startedAtMs: number | undefined,
    endedAtMs: number,
    error: PalimpsestError | undefined,
  ): void {
    this.#recorder.ended(call, method, outcome, call.arrivedAtMs, startedAtMs, endedAtMs, error);
    if (this.#timer === undefined) this.#schedule();
  }

  /** Sends what has not been reported. */
  close(): void {
    clearTimeout(this.#timer);
    if (!this.#recorder.isEmpty) this.#tell();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, this.#options.intervalMs ?? intervalMs).unref();
  }

  #tell(): void {
    const { about, report } = this.#options;
    const { live, counts: liveCounts } = this.#live();
    if (this.#recorder.isEmpty && live.length === 0 && !this.#toldLive) return;
    const { ended, counts } = this.#recorder.take();
    this.#toldLive = live.length > 0;
    const reporterId = incarnationName(about);
    report({ ...about, reporterId, ended, live, counts: [...counts, ...liveCounts] });
    // When all calls have ended, one more report clears those that were running before.
    if (this.#toldLive) this.#schedule();
  }

  #live(): { readonly live: proto.TaskEvent.$Properties[]; readonly counts: proto.TaskCounts.$Properties[] } {
    const live: proto.TaskEvent.$Properties[] = [];
    const byName = new Map<string, { pending: number; running: number }>();
    for (const call of this.#calls()) {
      const counts = byName.get(call.methodName) ?? { pending: 0, running: 0 };
      if (byName.size < maxLive) byName.set(call.methodName, counts);
      const isRunning = call.begunAtMs !== undefined;
      counts[isRunning ? "running" : "pending"]++;
      if (live.length >= maxLive) continue;
      live.push({
        taskId: call.taskId,
        callerId: call.callerId,
        kind: this.#kind,
        name: call.methodName,
        state: isRunning ? proto.TaskState.TASK_STATE_RUNNING : proto.TaskState.TASK_STATE_PENDING,
        queuedAtUs: epochUs(call.arrivedAtMs),
        startedAtUs: call.begunAtMs === undefined ? 0 : epochUs(call.begunAtMs),
      });
    }
    const counts = [...byName].map(([name, sums]) => ({ kind: this.#kind, name, ...sums }));
    return { live, counts };
  }
}

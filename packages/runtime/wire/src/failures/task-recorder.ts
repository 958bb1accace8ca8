/**
 * Responsibility: collects what one process knows of the tasks, calls and transfers that ended in it, until the next
 * report: counts of all of them by name, and the events of some.
 * Not responsible for: when and to whom it is reported.
 *
 * Invariants:
 * - RECORDER-1. At most `maxEnded` successes and `maxFailed` others are kept between two reports, and `maxNames` names
 *   are counted separately; the rest are counted under `otherNames`. Whatever is dropped is counted.
 * - RECORDER-2. When more calls end than are kept, every n-th is kept, with n from the previous report, so that the
 *   events sample the whole interval.
 */
import * as proto from "@palimpsest/wire/protocol";
import type { PalimpsestError } from "../base/error.js";
import { partsOfThrown } from "../base/thrown.js";

const maxEnded = 200;
const maxFailed = 100;
const maxNames = 200;
const maxMessageLength = 200;
/** The name under which all names beyond `maxNames` are counted. */
const otherNames = "(others)";

/** How a call or task has ended. */
export type TaskOutcome = "finished" | "failed" | "cancelled";

const { TASK_STATE_FINISHED, TASK_STATE_FAILED, TASK_STATE_CANCELLED } = proto.TaskState;
const states: Readonly<Record<TaskOutcome, proto.TaskState>> = {
  finished: TASK_STATE_FINISHED,
  failed: TASK_STATE_FAILED,
  cancelled: TASK_STATE_CANCELLED,
};

/** Details of a task, requested only when its event is kept. */
export interface RecordedTask {
  readonly taskId: string;
  readonly callerId: string;
}

interface NameCounts {
  finished: number;
  failed: number;
  cancelled: number;
  ranMs: number;
  leftOut: number;
}

/** Counts a process's calls or tasks, and keeps the events of some until they are reported. */
export class TaskRecorder {
  readonly #kind: proto.TaskKind;
  #counts = new Map<string, NameCounts>();
  #finished: proto.TaskEvent.$Properties[] = [];
  #others: proto.TaskEvent.$Properties[] = [];
  #seen = 0;
  #stride = 1;

  constructor(kind: proto.TaskKind) {
    this.#kind = kind;
  }

  /** Returns whether there is nothing to report. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /**
   * Records the end of a task. Times are those of performance.now(); startedAtMs is undefined for a task that never
   * ran.
   * @param more additional fields for its kind
   */
  ended(
    task: RecordedTask,
    name: string,
    outcome: TaskOutcome,
    queuedAtMs: number,
    startedAtMs: number | undefined,
    endedAtMs: number,
    error?: PalimpsestError | undefined,
    more?: proto.TaskEvent.$Properties,
  ): void {
    const counts = this.#countsOf(name);
    counts[outcome]++;
    if (startedAtMs !== undefined) counts.ranMs += endedAtMs - startedAtMs;
    const isSuccess = outcome === "finished";
    const kept = isSuccess ? this.#finished : this.#others;
    // RECORDER-2
    const isSampledOut = isSuccess && ++this.#seen % this.#stride !== 0;
    if (isSampledOut || kept.length >= (isSuccess ? maxEnded : maxFailed)) {
      counts.leftOut++;
      return;
    }
    kept.push({
      ...more,
      taskId: task.taskId,
      callerId: task.callerId,
      kind: this.#kind,
      name,
      state: states[outcome],
      queuedAtUs: epochUs(queuedAtMs),
      startedAtUs: startedAtMs === undefined ? 0 : epochUs(startedAtMs),
      endedAtUs: epochUs(endedAtMs),
      errorCode: error?.code ?? "",
      errorMessage: error === undefined ? "" : messageOf(error),
    });
  }

  /** Returns what ended since the previous call, and starts an empty report. */
  take(): {
    readonly ended: proto.TaskEvent.$Properties[];
    readonly counts: proto.TaskCounts.$Properties[];
  } {
    const ended = [...this.#others, ...this.#finished];
    const counts = [...this.#counts].map(([name, { ranMs, ...others }]) => ({
      ...others,
      kind: this.#kind,
      name,
      ranUs: Math.round(ranMs * 1_000),
    }));
    this.#stride = Math.max(1, Math.ceil(this.#seen / maxEnded));
    this.#seen = 0;
    this.#counts = new Map();
    this.#finished = [];
    this.#others = [];
    return { ended, counts };
  }

  #countsOf(name: string): NameCounts {
    const known = this.#counts.get(name);
    if (known) return known;
    if (this.#counts.size >= maxNames && name !== otherNames) return this.#countsOf(otherNames);
    const counts = { finished: 0, failed: 0, cancelled: 0, ranMs: 0, leftOut: 0 };
    this.#counts.set(name, counts);
    return counts;
  }
}

/** Converts a moment of performance.now() to microseconds since the epoch. */
export function epochUs(monotonicMs: number): number {
  return Math.round((performance.timeOrigin + monotonicMs) * 1_000);
}

function messageOf(error: PalimpsestError): string {
  // The message of an error thrown by user code is more informative than the wrapping error's.
  const { cause } = error;
  if (cause === undefined) return error.rawMessage.slice(0, maxMessageLength);
  const { name, message } = partsOfThrown(cause);
  return `${name}: ${message}`.slice(0, maxMessageLength);
}

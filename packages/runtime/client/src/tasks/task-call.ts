/**
 * Responsibility: one task that a caller waits for, over all its attempts.
 * Not responsible for: where it runs (task-queue.ts, task-lease.ts).
 *
 * Invariants:
 * - TASK-1. An attempt that may have begun is followed by another one only while `retries` are left, and only if none
 *   of its items has been read. An attempt that certainly has not begun uses no retry, nor does one that was preempted.
 * - TASK-2. An error thrown by the function ends the task, unless `retryExceptions` asks for another attempt, which
 *   uses a retry too.
 * - TASK-3. A task that fails because an argument is lost runs again when the argument has been reconstructed, and
 *   one whose result is lost before it is read runs again too. Either uses one of the retries.
 */
import { errorFromProto, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { lostObjectOf, notAgain } from "../base/task-lineage.js";
import { type CallCarrier, PendingCall, type PendingCallOptions } from "../calls/pending-call.js";

export interface TaskCallOptions extends PendingCallOptions {
  /** The function's name, for messages. */
  readonly name: string;
  readonly retryExceptions: boolean;
  /** The prefix of the ids of its tasks. */
  readonly taskPrefix?: string;
  /** The number of calls of the function after which a worker ends; 0 for no limit. */
  readonly maxCalls: number;
  /** Whether it runs again to reconstruct its result, for whoever needs that. Default false. */
  readonly isRecovery?: boolean;
}

export interface TaskCarrier extends CallCarrier {
  /** Called when it is to run again from the start. */
  again(call: TaskCall): void;
  /** Called when an attempt has ended that no worker reports. */
  lost?(call: TaskCall, begun: boolean, error: PalimpsestError): void;
  /**
   * Reconstructs an object that the task needs, and then runs the task again; false if this program does not know how
   * the object was created.
   */
  againWith(call: TaskCall, objectId: string, why: PalimpsestError): boolean;
}

/** The queue of tasks of one shape, as one of its tasks sees it. */
export interface WaitingRoom {
  /** Why its tasks wait, if that is known. */
  readonly hindrance: PalimpsestError | undefined;
  submit(call: TaskCall): void;
  settled(call: TaskCall): void;
  abandon(call: TaskCall): void;
  again(call: TaskCall): void;
}

/** The worker that has a task, as the task sees it. */
export interface HoldingWorker {
  readonly actorId: string;
  grant(call: TaskCall, items: number, bytes: number): void;
  left(call: TaskCall, ranMs: number | undefined): void;
  /** Returns whether the worker still has the task. */
  has(call: TaskCall): boolean;
  /** Returns whether the task is the one that runs there: the others were sent after it. */
  isFirst(call: TaskCall): boolean;
  /** Records that no caller waits for the task. */
  abandon(call: TaskCall): void;
  /** Ends the worker's process. */
  crash(): Promise<void>;
}

let taskCount = 0;

export class TaskCall extends PendingCall {
  readonly name: string;
  readonly maxCalls: number;
  /** Set when the task is submitted. */
  queue: WaitingRoom | undefined;
  /** The worker on which it is in flight. */
  lease: HoldingWorker | undefined;
  /** Whether it is in the backlog. */
  isQueued = false;
  /**
   * Whether its worker's process is ended if the task keeps running, because it was canceled with force or its
   * deadline has passed.
   */
  isForced = false;
  /** When its caller gave it up while a worker had it, by the clock's monotonicMs(). */
  abandonedAtMs: number | undefined;
  /** The task's id in listings. */
  readonly taskId: string;
  /** When it was submitted, by performance.now(). */
  readonly submittedAtMs = performance.now();
  sentAtMs = 0;
  readonly #retryExceptions: boolean;
  readonly #tasks: TaskCarrier;
  /** Whether a process reports the attempt that has ended. */
  #isTold = false;

  constructor(options: TaskCallOptions, carrier: TaskCarrier) {
    super(options, carrier);
    this.name = options.name;
    this.taskId = `${options.taskPrefix ?? "task"}.${++taskCount}`;
    this.maxCalls = options.maxCalls;
    this.#retryExceptions = options.retryExceptions;
    this.#tasks = carrier;
  }

  /** Whether it may run twice. Only then do other tasks share a worker's pipeline with it. */
  get mayRepeat(): boolean {
    return this.retriesLeft > 0;
  }

  protected override get hindrance(): PalimpsestError | undefined {
    return this.queue?.hindrance ?? new PalimpsestError("UNSCHEDULABLE", "no worker was free for the task");
  }

  override fail(error: Error): void {
    // An aborted signal fails the task before it is created. A task that a worker has is reported by the worker.
    if (#isTold in this && !this.settled && !this.#isTold && this.lease === undefined)
      this.#tasks.lost?.(this, false, PalimpsestError.from(error));
    super.fail(error);
  }

  override answer(reply: proto.Reply.$Properties): void {
    this.leave(reply.ranUs ? reply.ranUs / 1_000 : undefined);
    this.#isTold = true;
    const error = reply.error ? errorFromProto(reply.error) : undefined;
    if (error && this.againForLost(error)) return;
    if (error?.code === "TASK_ERROR" && this.#retryExceptions && this.mayRetry()) this.#tasks.again(this);
    else super.answer(reply);
  }

  protected override resultLost(error: PalimpsestError): void {
    if (this.mayRetry()) this.#tasks.again(this);
    else this.fail(notAgain(error, `${this.name}, whose result it was, has no retries left`));
  }

  /**
   * Handles an interrupted attempt.
   * @param begun whether it may have begun
   * @param error the outcome if the task is not retried
   */
  interrupted(begun: boolean, error: PalimpsestError): boolean {
    if (begun && !this.settled) this.#tasks.lost?.(this, true, error);
    this.#isTold = begun;
    this.leave();
    if (this.settled) return false;
    if (!begun || this.mayRetry(error.details["preempted"] !== undefined)) return true;
    this.fail(error);
    return false;
  }

  override cancel(error: PalimpsestError): void {
    if (error.code === "GET_TIMEOUT") this.isForced = true;
    super.cancel(error);
  }

  /** Cancels it. With force, its worker's process is ended if the task does not end by itself. */
  cancelBy(force: boolean, cause: unknown): void {
    const again = this.settled && this.lease !== undefined && force && !this.isForced;
    this.isForced ||= force;
    if (again) this.#tasks.abandon(this);
    else this.cancel(new PalimpsestError("CANCELLED", `${this.name} was cancelled by its caller`, { cause }));
  }

  /** TASK-3 */
  private againForLost(error: PalimpsestError): boolean {
    const objectId = lostObjectOf(error);
    if (objectId === undefined || !this.mayRetry()) return false;
    if (this.#tasks.againWith(this, objectId, error)) return true;
    this.retriesLeft++;
    return false;
  }

  private leave(ranMs?: number): void {
    this.lease?.left(this, ranMs);
    this.lease = undefined;
    this.callId = 0;
  }

  /** TASK-1: uses one of the retries, unless the attempt was preempted, which only tasks with retries are. */
  private mayRetry(wasPreempted = false): boolean {
    if (this.settled || this.started || (this.retriesLeft <= 0 && !wasPreempted)) return false;
    if (!wasPreempted) this.retriesLeft--;
    return true;
  }
}

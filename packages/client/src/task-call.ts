/**
 * Responsibility: one task that a caller waits for, over all its attempts.
 * Not responsible for: where it runs (task-queue.ts, task-lease.ts).
 *
 * Invariants:
 * - TASK-1. An attempt that may have begun is followed by another only while `retries` are left, and only when none of
 *   its items was seen. One that surely has not begun uses none of them.
 * - TASK-2. What the function throws ends the task, unless `retryExceptions` asks for another attempt, which uses one of
 *   the retries too.
 * - TASK-3. One that fails because an argument is lost runs again when that was made again, and one whose result is lost
 *   before it is read runs again too; either uses one of the retries.
 */
import { errorFromProto, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type CallCarrier, PendingCall, type PendingCallOptions } from "./pending-call.js";
import { lostObjectOf, notAgain } from "./task-lineage.js";

export interface TaskCallOptions extends PendingCallOptions {
  /** For messages. */
  readonly name: string;
  readonly retryExceptions: boolean;
  /** What ids of tasks begin with. */
  readonly taskPrefix?: string;
  /** Calls of the function after which a worker ends; 0: without limit. */
  readonly maxCalls: number;
}

export interface TaskCarrier extends CallCarrier {
  /** It is to run again, from the start. */
  again(call: TaskCall): void;
  /** An attempt ended, of which no worker tells. */
  lost?(call: TaskCall, begun: boolean, error: PalimpsestError): void;
  /** Has an object made again that the task needs, and then runs it again; false: nobody here knows how it was made. */
  againWith(call: TaskCall, objectId: string, why: PalimpsestError): boolean;
}

/** Where tasks of one shape wait, as one of them sees it. */
export interface WaitingRoom {
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
  /** Whether it has the task still. */
  has(call: TaskCall): boolean;
  /** Nobody waits for the task any more. */
  abandon(call: TaskCall): void;
  /** Ends its process. */
  crash(): Promise<void>;
}

let taskCount = 0;

export class TaskCall extends PendingCall {
  readonly name: string;
  readonly maxCalls: number;
  /** Set when it is submitted. */
  queue: WaitingRoom | undefined;
  /** Where it is in flight. */
  lease: HoldingWorker | undefined;
  /** Whether it waits in the backlog. */
  isQueued = false;
  /** Whether its process ends with it when it computes on: it was cancelled so, or its time is over. */
  isForced = false;
  /** When its caller gave it up, where a worker has it; by the clock's monotonicMs(). */
  abandonedAtMs: number | undefined;
  /** Names it in lists. */
  readonly taskId: string;
  /** By performance.now(). */
  readonly submittedAtMs = performance.now();
  sentAtMs = 0;
  readonly #retryExceptions: boolean;
  readonly #tasks: TaskCarrier;
  /** Somebody tells of the attempt that ended. */
  #isTold = false;

  constructor(options: TaskCallOptions, carrier: TaskCarrier) {
    super(options, carrier);
    this.name = options.name;
    this.taskId = `${options.taskPrefix ?? "task"}.${++taskCount}`;
    this.maxCalls = options.maxCalls;
    this.#retryExceptions = options.retryExceptions;
    this.#tasks = carrier;
  }

  /** Whether it may run twice: only then anything shares a worker's pipeline with it. */
  get mayRepeat(): boolean {
    return this.retriesLeft > 0;
  }

  override fail(error: Error): void {
    // A signal that is aborted already fails it before it is made. A worker that has it tells of it.
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

  /** An attempt was cut short. @param begun whether it may have begun @param error what it ends with when it does */
  interrupted(begun: boolean, error: PalimpsestError): boolean {
    if (begun && !this.settled) this.#tasks.lost?.(this, true, error);
    this.#isTold = begun;
    this.leave();
    if (this.settled) return false;
    if (!begun || this.mayRetry()) return true;
    this.fail(error);
    return false;
  }

  override cancel(error: PalimpsestError): void {
    if (error.code === "GET_TIMEOUT") this.isForced = true;
    super.cancel(error);
  }

  /** Cancels it; with force its process is ended when it does not end by itself. */
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

  /** TASK-1: uses one of the retries. */
  private mayRetry(): boolean {
    if (this.settled || this.started || this.retriesLeft <= 0) return false;
    this.retriesLeft--;
    return true;
  }
}

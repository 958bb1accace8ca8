/**
 * Responsibility: one call inside the actor's process: runs the method and answers once.
 * Not responsible for: when it runs (mailbox.ts), or how replies are sent (reply-writer.ts).
 *
 * Invariants:
 * - INVOCATION-1. Exactly one final reply is posted, unless the caller has gone or the actor ends.
 * - INVOCATION-2. After the final reply nothing of the call is posted any more, whatever the method still does.
 * - INVOCATION-3. A generator is resumed only while the caller has credit, in items and in bytes.
 * - INVOCATION-4. Cancellation and deadline abort the method's signal and close its generator. So does an item that
 *   cannot be sent, except that the signal is not aborted.
 * - INVOCATION-6. The reply of a task that is canceled while it runs is sent when its function has ended, so that the
 *   waiting client knows that until then the process cannot run anything else.
 * - INVOCATION-5. Once the actor is ending no call starts, and errors thrown by methods are not answered: the caller
 *   sees the process end, as after a crash, instead of an error that was only caused by the end.
 */
import { isSignalMarker } from "@palimpsest/client";
import { type TraceSpan, type Tracing, tracing } from "@palimpsest/telemetry";
import {
  type Deadline,
  type Deadlines,
  type Expiring,
  errorToProto,
  PalimpsestError,
  thrownMessage,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { CallEvents, ListedCall } from "./call-events.js";
import { type CallMetrics, unknownMethod } from "./call-metrics.js";
import { CallValues, type CallValuesDeps } from "./call-values.js";

/** A rough estimate of a waiting call's memory besides its arguments. */
const overheadBytes = 512;

export type Method = (...args: unknown[]) => unknown;

export interface TaskHooks {
  /** Called when the call begins. `signal` creates the signal that its cancellation aborts. */
  started(callId: number, signal: () => AbortSignal): void;
}

export interface InvocationDeps extends CallValuesDeps {
  readonly actorId: string;
  /** The deadlines of all calls to the actor. */
  readonly deadlines: Deadlines;
  /** Returns the actor's method. @throws {PalimpsestError} NOT_FOUND */
  readonly methodOf: (name: string) => Method;
  /** Returns whether the actor was told to end. */
  readonly ending: () => boolean;
  readonly metrics: CallMetrics;
  /** Reports calls. If it is absent, they are not reported. */
  readonly events?: CallEvents | undefined;
  /** The name of the call's stream and the id of its caller. */
  readonly stream?: { readonly name: string; readonly callerId: string };
  /** Set if functions run as tasks (INVOCATION-6). */
  readonly tasks?: TaskHooks | undefined;
  /** Called once when the call is answered or its caller is gone. */
  readonly onSettled: (invocation: Invocation) => void;
}

export class Invocation implements ListedCall, Expiring {
  readonly callId: number;
  readonly sizeBytes: number;
  /** Set while its arguments are being read (MAILBOX-9). */
  beginning: Promise<void> | undefined;
  #begun: (() => void) | undefined;
  readonly #deps: InvocationDeps;
  readonly #method: string;
  readonly #arrivedAt = performance.now();
  #abort: AbortController | undefined;
  readonly #timeoutMs: number;
  #deadline: Deadline | undefined;
  #settled = false;
  #begunAtMs: number | undefined;
  /** Why a task that is still running was cancelled. */
  #cancelled: PalimpsestError | undefined;
  #credit: number;
  #creditBytes: number;
  #onCredit: (() => void) | undefined;
  readonly #values: CallValues;
  readonly #traceparent: string;
  /** Set while its method runs, if tracing is on. */
  #span: TraceSpan | undefined;

  constructor(call: proto.Call.$Properties, deps: InvocationDeps) {
    this.#deps = deps;
    this.callId = call.callId ?? 0;
    this.#method = call.method ?? "";
    this.#values = new CallValues(call, deps);
    this.#traceparent = call.traceparent ?? "";
    this.sizeBytes = overheadBytes + (call.args?.byteLength ?? 0);
    this.#credit = call.streamCredit || 1;
    this.#creditBytes = call.streamCreditBytes || Number.POSITIVE_INFINITY;
    this.#timeoutMs = call.timeoutMs ?? 0;
    if (this.#timeoutMs > 0) this.#deadline = deps.deadlines.add(this, this.#timeoutMs);
  }

  get taskId(): string {
    return `${this.#deps.stream?.name ?? this.#deps.actorId}.${this.callId}`;
  }

  get callerId(): string {
    return this.#deps.stream?.callerId ?? "";
  }

  get arrivedAtMs(): number {
    return this.#arrivedAt;
  }

  get begunAtMs(): number | undefined {
    return this.#begunAtMs;
  }

  /** The name of the method, which the inspector reads with the process's stack. */
  get methodName(): string {
    return this.#method;
  }

  run(): Promise<void> | undefined {
    // INVOCATION-5
    if (this.#deps.ending()) this.drop();
    if (this.#settled) return undefined;
    const startedAt = performance.now();
    this.#deps.metrics.waited((startedAt - this.#arrivedAt) / 1000);
    let method: Method;
    let args: unknown;
    try {
      method = this.#deps.methodOf(this.#method);
    } catch (reason) {
      this.#fail(PalimpsestError.from(reason), startedAt, unknownMethod);
      return undefined;
    }
    try {
      args = this.#values.arguments();
    } catch (reason) {
      this.#fail(PalimpsestError.from(reason), startedAt);
      return undefined;
    }
    if (!isPromise(args)) return this.#apply(method, args, startedAt);
    this.beginning = new Promise((resolve) => {
      this.#begun = resolve;
    });
    return args
      .then((read) => {
        const running = this.#apply(method, read, startedAt);
        this.#begun?.();
        return running;
      })
      .catch((reason: unknown) => this.#fail(PalimpsestError.from(reason), startedAt));
  }

  #apply(method: Method, args: unknown, startedAt: number): Promise<void> | undefined {
    // INVOCATION-5: reading the arguments may have taken a while.
    if (this.#deps.ending()) this.drop();
    if (this.#settled) return undefined;
    let given: unknown[];
    try {
      given = this.#arguments(args);
    } catch (reason) {
      this.#fail(PalimpsestError.from(reason), startedAt);
      return undefined;
    }
    try {
      this.#begunAtMs = performance.now();
      this.#deps.tasks?.started(this.callId, () => this.#signal());
      const traced = tracing();
      const result = traced ? this.#traced(traced, () => method(...given)) : method(...given);
      if (isPromise(result)) {
        return result.then(
          (value) => this.#finish(value, startedAt),
          (reason: unknown) => this.#threw(reason, startedAt),
        );
      }
      return this.#finish(result, startedAt);
    } catch (reason) {
      this.#threw(reason, startedAt);
      return undefined;
    }
  }

  /** Runs the method in a span of its own, as a child of the caller's. */
  #traced(traced: Tracing, run: () => unknown): unknown {
    const waitedMs = performance.now() - this.#arrivedAt;
    // In a process shared by light actors, the process's own attributes do not name the actor.
    const attributes = {
      "rpc.system": "palimpsest",
      "palimpsest.actor_id": this.#deps.actorId,
      "palimpsest.waited_ms": waitedMs,
    };
    this.#span = traced.start(this.#method, { kind: "server", parent: this.#traceparent, attributes });
    return this.#span.run(run);
  }

  /** Answers with an error now; the method learns of it through its signal. */
  cancel(error: PalimpsestError): void {
    if (this.#settled || this.#cancelled) return;
    // INVOCATION-6
    if (this.#begunAtMs !== undefined && this.#deps.tasks) this.#cancelled = error;
    else this.#settle({ callId: this.callId, error: errorToProto(error) });
    this.#abort?.abort(error);
    this.#onCredit?.();
  }

  /** Drops the call without a reply, because the caller is gone. */
  drop(): void {
    if (this.#settled) return;
    this.#settle(undefined);
    this.#abort?.abort(new PalimpsestError("CANCELLED", "the caller went away"));
    this.#onCredit?.();
  }

  grant(items: number, bytes: number): void {
    this.#credit += items;
    this.#creditBytes += bytes;
    this.#values.taken(items);
    this.#onCredit?.();
  }

  /** Handles its deadline. */
  expire(): void {
    this.cancel(
      new PalimpsestError("GET_TIMEOUT", `${this.#method} gave no answer within ${this.#timeoutMs} ms`, {
        details: { actorId: this.#deps.actorId, method: this.#method },
      }),
    );
  }

  #arguments(args: unknown): unknown[] {
    if (!Array.isArray(args)) {
      throw new PalimpsestError("INVALID_ARGUMENT", `the arguments of ${this.#method} are not an array`);
    }
    // The arguments were decoded for this call alone, so they can be changed.
    for (const [index, argument] of args.entries())
      if (typeof argument === "object" && isSignalMarker(argument)) args[index] = this.#signal();
    return args;
  }

  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  #finish(value: unknown, startedAt: number): Promise<void> | undefined {
    const iterator = iteratorOf(value);
    if (iterator) return this.#stream(iterator, startedAt);
    try {
      const result = this.#values.result(value);
      if (result instanceof Promise) {
        return result.then(
          (stored) => this.#succeed({ callId: this.callId, ...stored }, startedAt),
          (reason: unknown) => this.#fail(PalimpsestError.from(reason), startedAt),
        );
      }
      // The result is sent in its message. Absent fields are left out, because each field costs encoding time.
      this.#succeed({ callId: this.callId, value: result.value ?? null }, startedAt);
    } catch (reason) {
      this.#fail(PalimpsestError.from(reason), startedAt);
    }
    return undefined;
  }

  async #stream(iterator: Iterating, startedAt: number): Promise<void> {
    try {
      while (!this.#settled && !this.#cancelled) {
        if (this.#credit <= 0 || this.#creditBytes <= 0) {
          await new Promise<void>((resolve) => {
            this.#onCredit = resolve;
          });
          continue;
        }
        const next = () => iterator.next();
        const { done, value } = await (this.#span ? this.#span.run(next) : next());
        if (this.#settled || this.#cancelled) break;
        if (done) return this.#succeed({ callId: this.callId, end: true }, startedAt);
        this.#credit--;
        const { reply, sizeBytes } = await this.#values.item(value);
        if (this.#settled || this.#cancelled) break;
        this.#creditBytes -= sizeBytes;
        this.#deps.reply({ callId: this.callId, ...reply });
      }
      this.#ended("cancelled", startedAt);
      await iterator.return?.();
      if (this.#cancelled) this.#settle({ callId: this.callId });
    } catch (reason) {
      this.#threw(reason, startedAt);
      await close(iterator);
    }
  }

  #succeed(reply: proto.Reply.$Properties, startedAt: number): void {
    const outcome = this.#settled || this.#cancelled ? "cancelled" : "ok";
    this.#settle(reply);
    this.#ended(outcome, startedAt);
  }

  #ended(
    outcome: "ok" | "error" | "cancelled",
    startedAt: number,
    method = this.#method,
    error?: PalimpsestError,
  ): void {
    const { metrics, events } = this.#deps;
    const endedAt = performance.now();
    metrics.ended(method, outcome, (endedAt - startedAt) / 1000);
    this.#span?.end(outcome === "ok" ? undefined : (error ?? this.#cancelled ?? cancelledError()));
    events?.ended(this, method, outcomes[outcome], startedAt, endedAt, error);
  }

  /** Handles an error of user code, which is sent as the cause. */
  #threw(reason: unknown, startedAt: number): void {
    // INVOCATION-5
    if (this.#deps.ending()) this.drop();
    const error = new PalimpsestError(
      this.#deps.tasks ? "TASK_ERROR" : "ACTOR_ERROR",
      `${this.#method} threw: ${thrownMessage(reason)}`,
      {
        details: { actorId: this.#deps.actorId, method: this.#method },
        cause: errorOf(reason),
      },
    );
    this.#fail(error, startedAt);
  }

  #fail(error: PalimpsestError, startedAt: number, method = this.#method): void {
    const outcome = this.#settled || this.#cancelled ? "cancelled" : "error";
    this.#settle({ callId: this.callId, error: errorToProto(error) });
    this.#ended(outcome, startedAt, method, error);
  }

  /** Returns how long a task ran, for clients that send tasks ahead. */
  #ranFor(): Pick<proto.Reply.$Properties, "ranUs"> {
    if (!this.#deps.tasks || this.#begunAtMs === undefined) return {};
    return { ranUs: Math.max(1, Math.round((performance.now() - this.#begunAtMs) * 1_000)) };
  }

  #settle(reply: proto.Reply.$Properties | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#begun?.();
    if (this.#deadline) this.#deps.deadlines.remove(this.#deadline);
    const cancelled = this.#cancelled && { callId: this.callId, error: errorToProto(this.#cancelled) };
    const last = reply && (cancelled ?? reply);
    this.#values.end(last && this.#deps.tasks ? { ...last, ...this.#ranFor() } : last);
    this.#deps.onSettled(this);
  }
}

/** `throw undefined` has a cause, too, which without this would look like none. */
function errorOf(reason: unknown): unknown {
  return reason === undefined ? "undefined" : reason;
}

const cancelledError = () => new PalimpsestError("CANCELLED", "the call was cancelled");

const outcomes = { ok: "finished", error: "failed", cancelled: "cancelled" } as const;

interface Iterating {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(value?: unknown): unknown;
}

/** Runs the `finally` blocks of a generator that has not ended. Its call is answered, whatever they throw. */
async function close(iterator: Iterating): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The call already has its outcome, so an error of the cleanup has no reader.
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Returns the iterator of a generator. Other iterable values, such as arrays and maps, are data. */
function iteratorOf(value: unknown): Iterating | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Symbol.asyncIterator in value) return (value as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  if (Object.prototype.toString.call(value) === "[object Generator]") return value as Generator<unknown>;
  return undefined;
}

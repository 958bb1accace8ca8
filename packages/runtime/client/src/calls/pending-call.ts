/**
 * Responsibility: one call that a caller waits for: its promise, its items if the method is an async generator, and
 * its deadline.
 * Not responsible for: how it reaches the actor (call-stream.ts), or when it is retried (actor-channel.ts).
 *
 * Invariants:
 * - CALL-1. A call resolves or rejects once: by its value, error, end, cancellation or deadline, whichever comes first.
 * - CALL-2. A generator's items are returned in the order of their arrival, before its end or its error.
 * - CALL-4. A call is sent when its arguments are ready: large arguments, and values that they refer to, are stored
 *   first.
 * - CALL-3. A call never buffers more than `streamWindow` unread items, nor more than `streamWindowBytes` plus one
 *   item.
 */

import type { Clock } from "@palimpsest/std";
import { whenAborted } from "@palimpsest/std";
import { type TraceSpan, tracing } from "@palimpsest/telemetry";
import {
  type Deadline,
  type Deadlines,
  decodeValue,
  type Expiring,
  errorFromProto,
  PalimpsestError,
  rejection,
  withCaller,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { notAgain } from "../base/task-lineage.js";
import type { OutgoingValue, ReadyValue } from "../values/outgoing-value.js";
import type { ValueStore } from "../values/value-store.js";
import { itemsInOrder } from "./items-in-order.js";
import { StreamItems } from "./stream-items.js";

/** The approximate size of a call besides its arguments. */
const overheadBytes = 512;

export interface PendingCallOptions {
  readonly method: string;
  readonly args: OutgoingValue;
  /** Decodes references and large values of the reply. It is absent if calls have none. */
  readonly values?: ValueStore | undefined;
  /** Infinity for no deadline. */
  readonly timeoutMs: number;
  /**
   * Each of these signals cancels the call. They are watched one by one, because timeout signals combined by
   * AbortSignal.any are garbage-collected.
   */
  readonly signals: readonly AbortSignal[];
  /** How often it may be sent again after its actor's process died. */
  readonly retries: number;
  /** The concurrency group that it requests. Default: its method's. */
  readonly concurrencyGroup?: string;
  /** Computes the value of the promise. Default: the result itself. */
  readonly reader?: ResultReader | undefined;
}

/** Converts a result to the value of the call's promise. */
export interface ResultReader {
  /** The name that the result gets as an object. Default: a new one, if the result is large. */
  readonly resultId?: string;
  inline(value: unknown): unknown;
  object(
    reference: { readonly objectId: string; readonly sizeBytes: number },
    call: PendingCall,
  ): Promise<unknown>;
  /** Returns the error of a call that has no result because its method is a generator. */
  end(): PalimpsestError;
}

/** The requests of a call to its carrier, which sends it. */
export interface CallCarrier {
  readonly clock: Clock;
  /** The deadlines of its calls. Each carrier has its own, which end with it. */
  readonly deadlines: Deadlines;
  /** Why calls are not being sent now, if that is known. */
  readonly hindrance?: PalimpsestError | undefined;
  /** Called once, when the call has its outcome. */
  settled(call: PendingCall): void;
  /** Called when the caller no longer wants an answer. The call already has its outcome. */
  abandon(call: PendingCall): void;
  /** Called when the reader has taken items, with their number and their total size in bytes. */
  grant(call: PendingCall, items: number, bytes: number): void;
  /** Called when the call may be sent, or has failed during its preparation. */
  prepared(call: PendingCall): void;
}

type Outcome = { readonly kind: "value" | "end" } | { readonly kind: "error"; readonly error: Error };

const valueOutcome: Outcome = { kind: "value" };

const unset = (): void => undefined;
/**
 * The function that resolves the promise that is being created. A closure for each promise would cost more than the
 * promise.
 */
let resolver: (value: unknown) => void = unset;

function takeResolver(resolve: (value: unknown) => void): void {
  resolver = resolve;
}

export class PendingCall implements Expiring {
  readonly method: string;
  readonly concurrencyGroup: string;
  /** The span of the call; undefined if tracing is off. */
  readonly span: TraceSpan | undefined;
  /** The bytes that it occupies until it has its outcome. */
  readonly sizeBytes: number;
  readonly promise: Promise<unknown>;
  /** The call's number on its current stream; 0 while it is not on one. */
  callId = 0;
  retriesLeft: number;
  /** The message that it sends; undefined while its arguments are prepared. */
  #args: ReadyValue | undefined;
  readonly #outgoing: OutgoingValue;
  readonly #values: ValueStore | undefined;
  readonly #reader: ResultReader | undefined;
  #keepsArguments = false;
  /** Decodes a value that is an object. */
  #reading: Promise<void> | undefined;
  readonly #carrier: CallCarrier;
  readonly #deadlineAtMs: number;
  readonly #signals: readonly AbortSignal[];
  readonly #timeoutMs: number;
  #deadline: Deadline | undefined;
  /** Removes the listeners of its signals. */
  #unwatch: readonly (() => void)[] | undefined;
  #resolve: (value: unknown) => void;
  #outcome: Outcome | undefined;
  /** Created when the first item arrives, because most calls have none. */
  #items: StreamItems | undefined;
  #wake: (() => void) | undefined;

  constructor(options: PendingCallOptions, carrier: CallCarrier) {
    this.method = options.method;
    this.span = tracing()?.start(options.method, {
      kind: "client",
      attributes: { "rpc.system": "palimpsest" },
    });
    this.concurrencyGroup = options.concurrencyGroup ?? "";
    this.#outgoing = options.args;
    this.#values = options.values;
    this.#reader = options.reader;
    this.sizeBytes = callBytes(options.args);
    this.retriesLeft = options.retries;
    this.#carrier = carrier;
    this.#timeoutMs = options.timeoutMs;
    this.#deadlineAtMs = carrier.clock.monotonicMs() + options.timeoutMs;
    this.#signals = options.signals;
    this.promise = new Promise(takeResolver);
    this.#resolve = resolver;
    // The function refers to the promise, and through it to the call and its values, which would otherwise be kept
    // until the next call.
    resolver = unset;
    this.#watch();
    const { preparing, bytes } = options.args;
    if (preparing === undefined) this.#args = { bytes, object: undefined };
    else void this.#prepare(preparing);
  }

  /** The message that it sends; undefined while its arguments are prepared (CALL-4). */
  get args(): ReadyValue | undefined {
    return this.#args;
  }

  get settled(): boolean {
    return this.#outcome !== undefined;
  }

  /** Whether an item has arrived. Such a call is never sent again. */
  get started(): boolean {
    return this.#items !== undefined && this.#items.received > 0;
  }

  /** Milliseconds left, at least 1; 0 if it has no deadline. */
  remainingMs(): number {
    if (!Number.isFinite(this.#deadlineAtMs)) return 0;
    return Math.max(1, Math.round(this.#deadlineAtMs - this.#carrier.clock.monotonicMs()));
  }

  /** Handles the last reply of the process that ran it. */
  answer({ value, valueObject, error }: proto.Reply.$Properties): void {
    if (valueObject != null) this.#reading = this.#succeedWith(valueObject);
    else if (value != null) this.succeed(value);
    else if (error != null) this.fail(errorFromProto(error));
    else this.end();
  }

  succeed(value: Uint8Array): void {
    if (this.#outcome) return;
    try {
      const decoded = decodeValue(value, this.#values);
      const given = this.#reader ? this.#reader.inline(decoded) : decoded;
      this.#settle(valueOutcome);
      this.#resolve(given);
    } catch (reason) {
      this.fail(PalimpsestError.from(reason, "CODEC"));
    }
  }

  /** Resolves when everything that came with the reply is leased for this program. */
  async held(): Promise<void> {
    await Promise.all([this.#reading, this.#items?.read()]);
    await this.#values?.holds.settled();
  }

  /** Handles a reply with an item. */
  push(reply: proto.Reply.$Properties): void {
    if (this.#outcome) return;
    try {
      this.#items ??= new StreamItems(this.#values, (items, bytes) => {
        if (!this.#outcome) this.#carrier.grant(this, items, bytes);
      });
      this.#items.push(reply);
      this.#wake?.();
    } catch (reason) {
      this.fail(PalimpsestError.from(reason, "CODEC"));
      this.#carrier.abandon(this);
    }
  }

  /** The name that its result gets; empty for no particular one. */
  get resultId(): string {
    return this.#reader?.resultId ?? "";
  }

  /** Keeps its arguments, whatever its outcome, until release() of the returned object. */
  keepArguments(): Pick<OutgoingValue, "refs" | "sizeBytes" | "release"> {
    this.#keepsArguments = true;
    return this.#outgoing;
  }

  end(): void {
    if (this.#outcome) return;
    if (this.#reader) {
      this.fail(this.#reader.end());
      return;
    }
    this.#settle({ kind: "end" });
    this.#resolve(undefined);
  }

  fail(error: Error): void {
    if (this.#outcome) return;
    this.#settle({ kind: "error", error });
    this.#resolve(rejection(error));
  }

  /** Fails the call, and tells the carrier that no caller waits for it. */
  cancel(error: Error): void {
    if (this.#outcome) return;
    this.fail(error);
    this.#carrier.abandon(this);
  }

  /** Returns the items, for one reader. Leaving the loop early cancels the call. */
  iterate(): AsyncIterableIterator<unknown> {
    // The reader sees the failure through next(), so the promise without a handler must not count as an unhandled
    // rejection.
    this.promise.catch(() => undefined);
    return itemsInOrder(
      () => this.#next(),
      () => {
        this.#items?.clear();
        this.cancel(new PalimpsestError("CANCELLED", `the reader of ${this.method} stopped early`));
      },
    );
  }

  async #next(): Promise<IteratorResult<unknown>> {
    while (this.#hasNoItem && !this.#outcome) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const items = this.#items;
    if (items !== undefined && !items.isEmpty) {
      try {
        return { done: false, value: await items.take() };
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        items.clear();
        this.cancel(error);
        throw error;
      }
    }
    if (this.#outcome?.kind === "error") throw withCaller(PalimpsestError.from(this.#outcome.error));
    return { done: true, value: undefined };
  }

  get #hasNoItem(): boolean {
    return this.#items === undefined || this.#items.isEmpty;
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    if (this.#deadline) this.#carrier.deadlines.remove(this.#deadline);
    if (this.#unwatch) for (const unwatch of this.#unwatch) unwatch();
    if (!this.#keepsArguments) this.#outgoing.release();
    this.#carrier.settled(this);
    this.span?.end(outcome.kind === "error" ? outcome.error : undefined);
    this.#wake?.();
  }

  async #prepare(preparing: Promise<ReadyValue>): Promise<void> {
    try {
      this.#args = await preparing;
    } catch (reason) {
      this.fail(PalimpsestError.from(reason));
    }
    // The call had its outcome before the leases were complete.
    if (this.#outcome && !this.#keepsArguments) this.#outgoing.release();
    this.#carrier.prepared(this);
  }

  /** Resolves the call with a value that is an object. */
  async #succeedWith(object: proto.ObjectReference.$Properties): Promise<void> {
    const reference = {
      objectId: Buffer.from(object.objectId ?? []).toString("hex"),
      sizeBytes: object.sizeBytes ?? 0,
    };
    try {
      if (!this.#values)
        throw new PalimpsestError(
          "CODEC",
          "the value is in the object store, which this process cannot read",
        );
      const value = await (this.#reader?.object(reference, this) ?? this.#values.read(reference));
      if (this.#outcome) return;
      this.#settle({ kind: "value" });
      this.#resolve(value);
    } catch (reason) {
      const error = PalimpsestError.from(reason, "CODEC");
      if (error.code === "OBJECT_LOST") this.resultLost(error);
      else this.fail(error);
    }
  }

  /** Handles the loss of its result before it was read. */
  protected resultLost(error: PalimpsestError): void {
    const because = `it was the result of ${this.method}, which an actor does not run again, because its state may have changed`;
    this.fail(notAgain(error, because));
  }

  /** Why it has not been sent, if that is known. */
  protected get hindrance(): PalimpsestError | undefined {
    return this.#carrier.hindrance;
  }

  #late(): PalimpsestError {
    const sent = this.callId > 0;
    const message = `${this.method} gave no answer within ${this.#timeoutMs} ms`;
    const { hindrance } = this;
    const why = hindrance?.rawMessage ?? "the actor is not running; `palimpsest list actors` says why";
    return new PalimpsestError(
      "GET_TIMEOUT",
      sent ? message : `${message}: the call was not sent, because ${why}`,
      {
        details: { method: this.method, timeoutMs: this.#timeoutMs, sent: String(sent) },
        cause: sent ? undefined : hindrance,
      },
    );
  }

  /** Handles its deadline. */
  expire(): void {
    this.cancel(this.#late());
  }

  #watch(): void {
    if (Number.isFinite(this.#timeoutMs)) this.#deadline = this.#carrier.deadlines.add(this, this.#timeoutMs);
    if (this.#signals.length === 0) return;
    const onAbort = () => {
      const cause = this.#signals.find((signal) => signal.aborted)?.reason;
      this.cancel(new PalimpsestError("CANCELLED", `${this.method} was cancelled by its caller`, { cause }));
    };
    this.#unwatch = this.#signals.flatMap((signal) => {
      if (!signal.aborted) return [whenAborted(signal, onAbort)];
      queueMicrotask(onAbort);
      return [];
    });
  }
}

/** Returns the bytes that a call with these arguments occupies until it has its outcome. */
export function callBytes(args: OutgoingValue): number {
  return overheadBytes + args.sizeBytes;
}

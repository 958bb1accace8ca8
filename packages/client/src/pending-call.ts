/**
 * Job: one call that a caller waits for: its promise, its items when the method is an async generator, its deadline.
 * Non-job: how it reaches the actor (call-stream.ts) and when it is tried again (actor-channel.ts).
 *
 * P1. It settles once: by value, error, end, cancellation or deadline, whichever is first.
 * P2. A generator's items come out in the order in which they came in, before its end or its error.
 * P3. It never holds more than `streamWindow` items that nobody has taken.
 */
import { decodeValue, PalimpsestError } from "@palimpsest/wire";

/** Items of a generator that travel ahead of the reader. */
export const streamWindow = 64;

const longestTimerMs = 2 ** 31 - 1;

export interface PendingCallOptions {
  readonly method: string;
  /** Encoded arguments. */
  readonly args: Uint8Array;
  /** Infinity: none. */
  readonly timeoutMs: number;
  /** Each of them cancels the call. Listened to one by one: AbortSignal.any loses timeout signals to the collector. */
  readonly signals: readonly AbortSignal[];
  /** How often it may be sent again after its actor's process died. */
  readonly retries: number;
}

/** What the call asks of whatever carries it. */
export interface CallCarrier {
  /** The caller wants no answer any more; the call has settled already. */
  abandon(call: PendingCall): void;
  /** The reader took this many items. */
  grant(call: PendingCall, items: number): void;
}

type Outcome = { readonly kind: "value" | "end" } | { readonly kind: "error"; readonly error: Error };

export class PendingCall {
  readonly method: string;
  readonly args: Uint8Array;
  readonly promise: Promise<unknown>;
  /** Number within its current stream; 0 while it is not on one. */
  callId = 0;
  retriesLeft: number;
  readonly #carrier: CallCarrier;
  readonly #deadlineAtMs: number;
  readonly #signals: readonly AbortSignal[];
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #onAbort: (() => void) | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (reason: Error) => void;
  #outcome: Outcome | undefined;
  #items: unknown[] = [];
  #received = 0;
  #taken = 0;
  #wake: (() => void) | undefined;

  constructor(options: PendingCallOptions, carrier: CallCarrier) {
    this.method = options.method;
    this.args = options.args;
    this.retriesLeft = options.retries;
    this.#carrier = carrier;
    this.#timeoutMs = options.timeoutMs;
    this.#deadlineAtMs = Date.now() + options.timeoutMs;
    this.#signals = options.signals;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#watch();
  }

  get settled(): boolean {
    return this.#outcome !== undefined;
  }

  /** Whether an item has arrived: such a call is never sent again. */
  get started(): boolean {
    return this.#received > 0;
  }

  /** Milliseconds left, at least 1; 0 when it has no deadline. */
  remainingMs(): number {
    return Number.isFinite(this.#deadlineAtMs) ? Math.max(1, this.#deadlineAtMs - Date.now()) : 0;
  }

  succeed(value: Uint8Array): void {
    if (this.#outcome) return;
    try {
      const decoded = decodeValue(value);
      this.#settle({ kind: "value" });
      this.#resolve(decoded);
    } catch (reason) {
      this.fail(PalimpsestError.from(reason, "CODEC"));
    }
  }

  push(item: Uint8Array): void {
    if (this.#outcome) return;
    this.#received++;
    try {
      this.#items.push(decodeValue(item));
      this.#wake?.();
    } catch (reason) {
      this.fail(PalimpsestError.from(reason, "CODEC"));
      this.#carrier.abandon(this);
    }
  }

  end(): void {
    if (this.#outcome) return;
    this.#settle({ kind: "end" });
    this.#resolve(undefined);
  }

  fail(error: Error): void {
    if (this.#outcome) return;
    this.#settle({ kind: "error", error });
    this.#reject(error);
  }

  /** Fails it and tells the carrier that nobody waits. */
  cancel(error: Error): void {
    if (this.#outcome) return;
    this.fail(error);
    this.#carrier.abandon(this);
  }

  /** The items, for one reader. Leaving the loop early cancels the call. */
  iterate(): AsyncIterableIterator<unknown> {
    // The reader sees the failure through next(); the promise that nobody awaits must not count as unhandled.
    this.promise.catch(() => undefined);
    const iterator: AsyncIterableIterator<unknown> = {
      next: () => this.#next(),
      return: () => {
        this.#items = [];
        this.cancel(new PalimpsestError("CANCELLED", `the reader of ${this.method} stopped early`));
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  async #next(): Promise<IteratorResult<unknown>> {
    while (this.#items.length === 0 && !this.#outcome) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#items.length > 0) {
      const value = this.#items.shift();
      this.#taken++;
      if (this.#taken >= streamWindow / 2 && !this.#outcome) {
        this.#carrier.grant(this, this.#taken);
        this.#taken = 0;
      }
      return { done: false, value };
    }
    if (this.#outcome?.kind === "error") throw this.#outcome.error;
    return { done: true, value: undefined };
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    clearTimeout(this.#timer);
    if (this.#onAbort) for (const signal of this.#signals) signal.removeEventListener("abort", this.#onAbort);
    this.#wake?.();
  }

  #late(): PalimpsestError {
    const sent = this.callId > 0;
    const message = `${this.method} gave no answer within ${this.#timeoutMs} ms`;
    return new PalimpsestError(
      "GET_TIMEOUT",
      sent
        ? message
        : `${message}: it was not sent, the actor does not run; \`palimpsest list actors\` says why`,
      { details: { method: this.method, timeoutMs: String(this.#timeoutMs), sent: String(sent) } },
    );
  }

  #watch(): void {
    if (Number.isFinite(this.#timeoutMs)) {
      this.#timer = setTimeout(() => this.cancel(this.#late()), Math.min(this.#timeoutMs, longestTimerMs));
    }
    if (this.#signals.length === 0) return;
    const onAbort = () => {
      const cause = this.#signals.find((signal) => signal.aborted)?.reason;
      this.cancel(new PalimpsestError("CANCELLED", `${this.method} was cancelled by its caller`, { cause }));
    };
    this.#onAbort = onAbort;
    for (const signal of this.#signals) {
      if (signal.aborted) queueMicrotask(onAbort);
      else signal.addEventListener("abort", onAbort, { once: true });
    }
  }
}

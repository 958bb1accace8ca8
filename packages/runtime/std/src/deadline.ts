/**
 * Signals that abort with the first of several, and calls with a deadline. `AbortSignal.any` and `AbortSignal.timeout` are used nowhere
 * else: on Node.js 20 a signal that only they refer to is garbage-collected, and then it never aborts.
 */
import { type Clock, systemClock } from "./clock.js";
import { whenAborted } from "./when-aborted.js";

type Given = readonly (AbortSignal | undefined)[];

export interface JoinedSignal {
  /** Aborts with the first of the given signals, for its reason, or when told to. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Removes what listens to the given signals. Without it each of them keeps the joined signal for as long as it lives. */
  forget(): void;
}

/** Joins signals that may be undefined. */
export function joinSignals(...given: Given): JoinedSignal {
  const { controller, forget } = controllerOf(given);
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), forget };
}

function controllerOf(given: Given) {
  const controller = new AbortController();
  const signals = given.filter((signal) => signal !== undefined);
  const forgets = signals.map((signal) => whenAborted(signal, () => controller.abort(signal.reason)));
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted !== undefined) controller.abort(aborted.reason);
  const forget = () => {
    for (const each of forgets) each();
  };
  return { controller, forget };
}

export interface Deadline {
  /** Default: none, and only the signals end the call. */
  readonly timeoutMs?: number;
  readonly signals?: Given;
  /** The signal's reason after the deadline. Default: a DOMException named TimeoutError, as that of `AbortSignal.timeout`. */
  readonly late?: () => unknown;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Runs a call under a signal that aborts after `timeoutMs` milliseconds or with one of the given signals. Timer and listeners are
 * removed when the call has ended, so that thousands of calls under one caller's signal leave nothing behind.
 * @throws whatever the call throws; the reason of a signal that had aborted before
 */
export async function withDeadline<T>(
  { timeoutMs = Number.POSITIVE_INFINITY, signals = [], late = timeoutError, clock = systemClock }: Deadline,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const { controller, forget } = controllerOf(signals);
  const cancel = Number.isFinite(timeoutMs)
    ? clock.after(Math.max(0, timeoutMs), () => controller.abort(late()))
    : undefined;
  try {
    controller.signal.throwIfAborted();
    return await call(controller.signal);
  } finally {
    cancel?.();
    forget();
  }
}

/**
 * Ends as the work does, or rejects with the signal's reason as soon as that aborts; the work is then left to itself, as it
 * must be where it may ignore the signal.
 */
export async function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return await work;
  let unwatch: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    unwatch = whenAborted(signal, stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    unwatch?.();
  }
}

const timeoutError = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");

/**
 * Signals that abort with the first of several, and calls with a deadline. `AbortSignal.any` and `AbortSignal.timeout` are used nowhere
 * else: on Node.js 20 a signal that only they refer to is garbage-collected, and then it never aborts.
 */
import { whenAborted } from "./when-aborted.js";

type Given = readonly (AbortSignal | undefined)[];

/** Longest delay of a timer. Node.js runs timers with longer ones at once. */
const maxDelayMs = 2 ** 31 - 1;

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
}

/**
 * Runs a call under a signal that aborts after `timeoutMs` milliseconds or with one of the given signals. Timer and listeners are
 * removed when the call has ended, so that thousands of calls under one caller's signal leave nothing behind.
 * @throws whatever the call throws; the reason of a signal that had aborted before
 */
export async function withDeadline<T>(
  { timeoutMs = Number.POSITIVE_INFINITY, signals = [], late = timeoutError }: Deadline,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const { controller, forget } = controllerOf(signals);
  const timer =
    timeoutMs <= maxDelayMs ? setTimeout(() => controller.abort(late()), Math.max(0, timeoutMs)) : undefined;
  try {
    controller.signal.throwIfAborted();
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

const timeoutError = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");

import type { TimerDelay } from "@palimpsest/client";
import { encodeValue, PalimpsestError } from "@palimpsest/wire";
import type { Timer } from "./record.js";

export const maxTimers = 1_000;
const maxArgumentBytes = 64 * 1024;
const longestMs = 10 * 365 * 86_400_000;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** @throws {PalimpsestError} INVALID_ARGUMENT naming the field */
export function delayOf(
  name: string,
  delay: TimerDelay,
): { readonly waitMs: number; readonly everyMs: number } {
  if (!namePattern.test(name))
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the timer's name is ${JSON.stringify(name)}: use up to 128 letters, digits, ".", "_", ":" and "-"`,
    );
  const [field, ms] = "everyMs" in delay ? ["everyMs", delay.everyMs] : ["afterMs", delay.afterMs];
  if (!Number.isFinite(ms) || ms < 1 || ms > longestMs)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${field} of timer ${name} is ${ms}: give from 1 to ${longestMs} milliseconds`,
    );
  return { waitMs: ms, everyMs: field === "everyMs" ? ms : 0 };
}

/** @throws {PalimpsestError} LIMIT_EXCEEDED */
export function timerArguments(name: string, args: readonly unknown[]): Uint8Array {
  const bytes = encodeValue(args);
  if (bytes.byteLength <= maxArgumentBytes) return bytes;
  throw new PalimpsestError(
    "LIMIT_EXCEEDED",
    `the arguments of timer ${name} take ${bytes.byteLength} bytes, more than ${maxArgumentBytes}: keep them in the state`,
  );
}

/**
 * Returns the timer after it has fired; undefined if it is over. Firings that were due while nothing ran are skipped.
 */
export function nextDue(timer: Timer, nowMs: number): Timer | undefined {
  const { dueAtMs, everyMs } = timer;
  if (everyMs <= 0) return undefined;
  const missed = Math.max(0, Math.floor((nowMs - dueAtMs) / everyMs));
  return { ...timer, dueAtMs: dueAtMs + (missed + 1) * everyMs };
}

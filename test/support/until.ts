import { setTimeout as delay } from "node:timers/promises";
import { TestRunner } from "vitest";

export interface UntilOptions {
  /** The default only ends what hangs, because tests share their machine. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** Returns a description of the last state, for the error on timeout. */
  readonly explain?: () => string;
}

/** Thrown by a check when there is no point in waiting longer. */
export class GivenUp extends Error {}

/**
 * Repeats a check until its answer is neither undefined nor false; an error of the check counts as "not yet". It ends with
 * its test: one that has run out of time does not go on beside the next.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  options: UntilOptions = {},
): Promise<T> {
  const { timeoutMs = 600_000, everyMs = 20, explain } = options;
  const deadlineAt = Date.now() + timeoutMs;
  const signal = TestRunner.getCurrentTest()?.context.signal;
  let last = "";
  for (;;) {
    signal?.throwIfAborted();
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
    } catch (reason) {
      if (reason instanceof GivenUp) throw reason;
      last = reason instanceof Error ? reason.message : String(reason);
    }
    if (Date.now() > deadlineAt) {
      const seen = [last, explain?.() ?? ""].filter((text) => text !== "").join("\n");
      throw new Error(`not within ${timeoutMs} ms: ${what}${seen ? `\n${seen}` : ""}`);
    }
    await delay(everyMs);
  }
}

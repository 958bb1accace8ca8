import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  /** Generous by default: tests share their machine. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** Said when the time is over: what was seen instead. */
  readonly explain?: () => string;
}

/** Thrown by a look when waiting longer is of no use. */
export class GivenUp extends Error {}

/** Looks again and again until the answer is neither undefined nor false; an error of the look counts as "not yet". */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  options: UntilOptions = {},
): Promise<T> {
  const { timeoutMs = 60_000, everyMs = 20, explain } = options;
  const deadlineAt = Date.now() + timeoutMs;
  let last = "";
  for (;;) {
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

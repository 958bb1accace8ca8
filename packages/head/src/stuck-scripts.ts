/**
 * Responsibility: a Lua script that does not end, which any program with the URL of runs can send, keeps Redis from the
 * head and from every run: it is ended.
 *
 * Not responsible for: starting a Redis that is gone (embedded-redis.ts), who may send scripts (redis-access.ts).
 *
 * Invariants:
 * - STUCK-1. A script that has written nothing is killed as soon as Redis says that it is busy.
 * - STUCK-2. One that has written cannot be killed: the head ends a Redis of its own, and only that, after
 *   `unkillableMs`. The append-only file has nothing of a script that has not ended, and all that came before it.
 */
import type { Logger } from "@palimpsest/telemetry";
import { type Clock, every, PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";

/** Scripts of ours take milliseconds; from here on Redis answers others that it is busy, and can be told to stop. */
export const busyAfterMs = 2_000;
const defaultUnkillableMs = 10_000;
const logEveryMs = 60_000;

export interface StuckScriptsOptions {
  readonly client: Redis;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkMs: number;
  /** Ends the head's own Redis at once and starts it again; absent where Redis is somebody else's. */
  readonly restart?: () => Promise<void>;
  readonly unkillableMs?: number;
}

/** Looks at Redis again and again until the returned function is called. */
export function endStuckScripts(options: StuckScriptsOptions): () => void {
  const { client, clock, logger, checkMs, restart, unkillableMs = defaultUnkillableMs } = options;
  let busySinceMs: number | undefined;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let looking = false;

  async function look(): Promise<void> {
    if ((await answerOf(() => client.ping())) !== "BUSY") {
      busySinceMs = undefined;
      return;
    }
    busySinceMs ??= clock.monotonicMs();
    const answer = await answerOf(() => client.script("KILL"));
    if (answer === "OK") logger.error({}, "a script kept Redis busy and was killed (SCRIPT KILL)");
    if (answer === "OK" || answer === "NOTBUSY") return;
    const busyMs = clock.monotonicMs() - busySinceMs;
    if (restart !== undefined && busyMs >= unkillableMs) {
      logger.error(
        { busyMs },
        "a script keeps Redis busy and has written: redis-server is ended and started again",
      );
      busySinceMs = undefined;
      await restart();
    } else if (clock.monotonicMs() - loggedAtMs >= logEveryMs) {
      loggedAtMs = clock.monotonicMs();
      logger.error(
        { answer },
        "a script keeps Redis busy and cannot be killed: SHUTDOWN NOSAVE would end it",
      );
    }
  }

  return every(clock, checkMs, () => {
    if (looking || client.status !== "ready") return;
    looking = true;
    look()
      .catch((reason: unknown) => logger.warn({ err: reason }, "redis was not freed of a script"))
      .finally(() => {
        looking = false;
      });
  });
}

/** "OK", or the first word of an error: what Redis begins its errors with. */
async function answerOf(ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask();
    return "OK";
  } catch (reason) {
    return PalimpsestError.from(reason).rawMessage.split(" ", 1)[0] ?? "";
  }
}

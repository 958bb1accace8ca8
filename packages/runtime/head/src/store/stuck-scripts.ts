/**
 * Responsibility: ending Lua scripts that do not end. Any program with the URL of runs can send one, and it blocks
 * Redis for the head and for every run.
 *
 * Not responsible for: restarting a Redis that is gone (embedded-redis.ts), or who may send scripts
 * (redis-access.ts).
 *
 * Invariants:
 * - STUCK-1. A script that has written nothing is killed as soon as Redis says that it is busy.
 * - STUCK-2. A script that has written cannot be killed. If Redis is the head's own, and only then, the head restarts
 *   it after `unkillableMs`. The append-only file has everything before the script and nothing of a script that has
 *   not ended.
 */

import { type Clock, every } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";

/**
 * Our own scripts take milliseconds. After this time Redis answers other clients that it is busy, and the script can
 * be killed.
 */
export const busyAfterMs = 2_000;
const defaultUnkillableMs = 10_000;
const logEveryMs = 60_000;

export interface StuckScriptsOptions {
  readonly client: Redis;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkMs: number;
  /** Kills the head's own Redis and restarts it; absent if Redis is not the head's own. */
  readonly restart?: () => Promise<void>;
  readonly unkillableMs?: number;
}

/** Checks Redis repeatedly until the returned function is called. */
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
      logger.error({ busyMs }, "a script keeps Redis busy and has written: redis-server is restarted");
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
      .catch((reason: unknown) => logger.warn({ err: reason }, "could not end a script that blocks Redis"))
      .finally(() => {
        looking = false;
      });
  });
}

/** Returns "OK", or the first word of an error, which is Redis's error code. */
async function answerOf(ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask();
    return "OK";
  } catch (reason) {
    return PalimpsestError.from(reason).rawMessage.split(" ", 1)[0] ?? "";
  }
}

import { type Logger, redactText } from "@palimpsest/telemetry";
import { PalimpsestError, redisTlsOptions } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { GatheringRedis } from "./gathered-writes.js";

const firstRetryMs = 50;
const longestRetryMs = 1000;
const defaultSilenceMs = 15_000;
const keepAliveMs = 10_000;

export interface ConnectOptions {
  readonly logger: Logger;
  /** How long the first connection may take. Default 10 s. */
  readonly timeoutMs?: number;
  /** A connection that owes an answer for this long is closed and made again. Default 15 s. */
  readonly silenceMs?: number;
}

/** Connects for queue work: commands wait through a restart of Redis, or a socket that
 *  fell silent, instead of failing.
 *  @throws {PalimpsestError} UNAVAILABLE when nothing answers; UNAUTHENTICATED; CONFIG_INVALID when Redis may evict keys */
export async function connectRedis(url: string, options: ConnectOptions): Promise<Redis> {
  const redis = new GatheringRedis(url, {
    ...redisTlsOptions(url),
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: options.timeoutMs ?? 10_000,
    // A peer that is gone without a word leaves an open socket that answers nothing. Blocking commands of BullMQ end
    // after 5 s and pings of subscribers come every 5 s, so silence for longer is never normal.
    socketTimeout: options.silenceMs ?? defaultSilenceMs,
    keepAlive: keepAliveMs,
    retryStrategy: (times) => Math.min(firstRetryMs * 2 ** (times - 1), longestRetryMs),
  });
  let lastError: Error | undefined;
  redis.on("error", (error) => {
    lastError = error;
    options.logger.warn({ err: error }, "redis connection error");
  });
  try {
    await redis.connect();
    await checkServer(redis, options.logger);
  } catch (cause) {
    redis.disconnect();
    if (cause instanceof PalimpsestError) {
      throw cause;
    }
    // The event says more than the rejection, which is often only "connection is closed".
    const reason = [lastError, cause].find(
      (error) => error instanceof Error && /NOAUTH|WRONGPASS/.test(error.message),
    );
    if (reason !== undefined) {
      throw new PalimpsestError(
        "UNAUTHENTICATED",
        `Redis at ${redactText(url)} refuses the password of the URL`,
        {
          cause: reason,
        },
      );
    }
    throw new PalimpsestError("UNAVAILABLE", `no Redis answers at ${redactText(url)}`, {
      cause: lastError ?? cause,
    });
  }
  return redis;
}

/** Eviction would delete jobs and payloads silently: that breaks T1. */
async function checkServer(redis: Redis, logger: Logger): Promise<void> {
  const info = await redis.info();
  const policy = field(info, "maxmemory_policy");
  if (policy !== undefined && policy !== "noeviction") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `maxmemory-policy of Redis is "${policy}", so it may delete jobs; set it to "noeviction"`,
    );
  }
  if (field(info, "aof_enabled") === "0") {
    logger.debug("redis keeps no append-only file: a crash of redis loses the queues");
  }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

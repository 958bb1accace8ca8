import { backoffMs } from "@palimpsest/std";
import { type Logger, redactText } from "@palimpsest/telemetry";
import { PalimpsestError, redisTlsOptions } from "@palimpsest/wire";
import { Redis } from "ioredis";

const reconnection = { firstMs: 50, longestMs: 1000 };
const defaultSilenceMs = 15_000;
const keepAliveMs = 10_000;

export interface ConnectOptions {
  readonly logger: Logger;
  /** Milliseconds that the first connection may take. Default 10,000. */
  readonly timeoutMs?: number;
  /** Milliseconds after which a connection with an outstanding answer is closed and opened again. Default 15,000. */
  readonly silenceMs?: number;
}

/**
 * Connects for work on the queues: while Redis restarts, or a socket is silent, commands wait instead of failing.
 * @throws {PalimpsestError} UNAVAILABLE when nothing answers; UNAUTHENTICATED; CONFIG_INVALID when Redis may evict keys
 */
export async function connectRedis(url: string, options: ConnectOptions): Promise<Redis> {
  const redis = new GatheringRedis(url, {
    ...redisTlsOptions(url),
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: options.timeoutMs ?? 10_000,
    // A peer that vanished leaves an open socket on which nothing arrives. Blocking commands of BullMQ end after 5 s
    // and subscribers ping every 5 s, so a longer silence is never normal.
    socketTimeout: options.silenceMs ?? defaultSilenceMs,
    keepAlive: keepAliveMs,
    retryStrategy: (times) => backoffMs(reconnection, times),
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
        `Redis at ${redactText(url)} refuses the password in the URL`,
        {
          cause: reason,
        },
      );
    }
    throw new PalimpsestError("UNAVAILABLE", `no Redis server answers at ${redactText(url)}`, {
      cause: lastError ?? cause,
    });
  }
  return redis;
}

/** Refuses a Redis that evicts keys, because eviction would silently delete jobs and payloads, which breaks T1. */
async function checkServer(redis: Redis, logger: Logger): Promise<void> {
  const info = await redis.info();
  const policy = field(info, "maxmemory_policy");
  if (policy !== undefined && policy !== "noeviction") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `maxmemory-policy of Redis is "${policy}", so Redis may delete jobs; set it to "noeviction"`,
    );
  }
  if (field(info, "aof_enabled") === "0") {
    logger.debug(
      "Redis has no append-only file, so that a crash of Redis loses the queues; set appendonly to yes",
    );
  }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

/**
 * A client that sends the commands of one turn of the event loop in a single write. Many jobs run at once in one
 * process, and a separate write for each of their commands would cost this process and Redis more than the command
 * does. Order and answers are those of any other client.
 */
class GatheringRedis extends Redis {
  override sendCommand(...args: Parameters<Redis["sendCommand"]>): unknown {
    const { stream } = this;
    if (stream !== undefined && stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return super.sendCommand(...args);
  }
}

import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError, redisTlsOptions } from "@palimpsest/wire";
import { Redis } from "ioredis";

const connectTimeoutMs = 5_000;
const silenceTimeoutMs = 10_000;
const longestReconnectMs = 500;

/**
 * Opens a client whose commands fail at once while Redis is unreachable, and that reconnects on its own. Its users
 * retry their writes (journal.ts).
 * @throws {PalimpsestError} UNAVAILABLE
 */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const client = new Redis(url, {
    ...redisTlsOptions(url),
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: connectTimeoutMs,
    // A lease is renewed every few seconds, so a socket that is silent for this long is frozen and is replaced.
    socketTimeout: silenceTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(longestReconnectMs, 50 * attempt),
  });
  let ready = false;
  client.on("error", (reason) => {
    if (ready) logger.warn({ err: reason }, "redis connection failed");
  });
  try {
    await client.connect();
    await client.ping();
    ready = true;
    return client;
  } catch (reason) {
    client.disconnect();
    const { hostname, port } = new URL(url);
    const message = `cannot use Redis at ${hostname}:${port || 6379}: ${PalimpsestError.from(reason).rawMessage}`;
    throw new PalimpsestError("UNAVAILABLE", `${message}; start it, or leave --redis out for the head's own`);
  }
}

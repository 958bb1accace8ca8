import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError, redisTlsOptions, thrownMessage } from "@palimpsest/wire";
import { Redis } from "ioredis";

const connectTimeoutMs = 5_000;
const silenceTimeoutMs = 10_000;
const longestReconnectMs = 500;

/**
 * Opens a client whose commands fail at once while Redis is unreachable, and that reconnects on its own. Its users
 * retry their writes (journal.ts).
 * @throws {PalimpsestError} UNAVAILABLE; CONFIG_INVALID if Redis refuses the URL's user, password or database
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
  let cause: unknown;
  client.on("error", (reason) => {
    if (ready) logger.warn({ err: reason }, "redis connection failed");
    // The client itself says only that its connection was closed.
    else cause = reason;
  });
  try {
    await client.connect();
    await client.ping();
    // The client goes on in database 0 if the URL's database does not exist.
    if (client.options.db) await client.select(client.options.db);
    ready = true;
    return client;
  } catch (reason) {
    client.disconnect();
    throw failure(url, cause ?? reason);
  }
}

function failure(url: string, cause: unknown): PalimpsestError {
  const { protocol, hostname, port } = new URL(url);
  const why = thrownMessage(cause);
  const { isConfig, fix } = causes
    .find(({ pattern }) => pattern.test(why))
    ?.remedy({ protocol, hostname }) ?? {
    isConfig: false,
    fix: "start it, or leave --redis out for the head's own",
  };
  return new PalimpsestError(
    isConfig ? "CONFIG_INVALID" : "UNAVAILABLE",
    `cannot use Redis at ${hostname}:${port || 6379}: ${why}; ${fix}`,
    { cause },
  );
}

interface Remedy {
  readonly isConfig: boolean;
  readonly fix: string;
}

const encoded = "and write characters such as @ / # % in the password as %40 %2F %23 %25";

/** What failed, by the words of Redis, of TLS and of the system. */
const causes: readonly {
  readonly pattern: RegExp;
  readonly remedy: (at: { readonly protocol: string; readonly hostname: string }) => Remedy;
}[] = [
  {
    pattern: /WRONGPASS|NOAUTH|invalid password|without any password/i,
    remedy: () => ({ isConfig: true, fix: `check user and password of --redis, ${encoded}` }),
  },
  {
    pattern: /DB index|SELECT is not allowed/i,
    remedy: () => ({
      isConfig: true,
      fix: "name a database that the server has at the end of --redis, or none for database 0",
    }),
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN/,
    remedy: ({ hostname }) => ({
      isConfig: false,
      fix: `the name ${hostname} does not resolve: check --redis, ${encoded}`,
    }),
  },
  {
    pattern:
      /wrong version number|packet length|EPROTO|ssl3_|SSL routines|certificate|TLS connection was established/i,
    remedy: ({ protocol }) => ({
      isConfig: false,
      fix:
        protocol === "rediss:"
          ? "give redis:// if it serves no TLS, and its certificate authority with ?ca=FILE if it has one of its own"
          : "give rediss:// if it serves TLS",
    }),
  },
  {
    pattern: /ETIMEDOUT/,
    remedy: ({ protocol }) => ({
      isConfig: false,
      fix:
        protocol === "rediss:"
          ? "it does not answer a TLS handshake: give redis:// if it serves no TLS"
          : "nothing answers there: check the address, and firewalls on the way",
    }),
  },
  {
    pattern: /ECONNRESET|Connection is closed|Protocol error/i,
    remedy: ({ protocol }) => ({
      isConfig: false,
      fix: `it closes the connection: give ${protocol === "rediss:" ? "redis:// if it serves no TLS" : "rediss:// if it serves TLS"}`,
    }),
  },
];

/**
 * Warns of settings of an existing Redis with which data of the cluster is lost.
 * @throws {PalimpsestError} UNAVAILABLE if it is a replica, which takes no writes
 */
export async function checkExistingRedis(client: Redis, logger: Logger): Promise<void> {
  // A managed Redis may not allow it. The head then works without the warnings.
  const info = await client.info().catch(() => "");
  const setting = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  if (setting("role") === "slave")
    throw new PalimpsestError(
      "UNAVAILABLE",
      "the Redis of --redis is a replica, which takes no writes: give the address of its primary",
    );
  const policy = setting("maxmemory_policy");
  if (policy !== undefined && policy !== "noeviction")
    logger.warn(
      { policy },
      "the Redis of --redis may evict the cluster's data: set maxmemory-policy to noeviction",
    );
  if (setting("aof_enabled") === "0")
    logger.warn(
      "the Redis of --redis has no append-only file, so it loses the cluster's tables when it ends: set appendonly to yes",
    );
}

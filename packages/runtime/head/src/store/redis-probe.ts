/** Sends queries to the head's own redis-server, each over a connection of its own. */

import { realpathSync } from "node:fs";
import { delay } from "@palimpsest/std";
import { PalimpsestError, redisTlsOptions, redisUrlWithCa } from "@palimpsest/wire";
import { Redis } from "ioredis";
import type { RedisTls } from "./redis-access.js";
import type { RedisRecord } from "./redis-record.js";

export const probeEveryMs = 20;
const configureTimeoutMs = 10_000;

export interface RedisProbeOptions {
  readonly folder: string;
  readonly tls: RedisTls | undefined;
}

/** Returns the server's record once it answers; undefined if it does not in time. */
export async function answersWithin(
  { folder, tls }: RedisProbeOptions,
  record: RedisRecord,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<RedisRecord | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const running = await probe(folder, record, tls);
    if (running !== undefined || performance.now() >= deadline || signal?.aborted) return running;
    await delay(probeEveryMs);
  }
}

/** Creates a client that tries once and gives up soon. */
function clientOf(record: RedisRecord, tls: RedisTls | undefined, commandTimeoutMs = 2_000): Redis {
  const client = new Redis({
    host: "127.0.0.1",
    port: record.port,
    username: "head",
    password: record.passwords.head,
    ...(tls ? redisTlsOptions(redisUrlWithCa("", tls.identity)) : {}),
    lazyConnect: true,
    connectTimeout: 1_000,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on("error", () => undefined);
  return client;
}

/**
 * Sets the users and settings of a running server.
 * @throws {PalimpsestError} UNAVAILABLE if it does not answer in time
 * @param accessLines lines of redis.conf, each `user NAME RULE...`
 */
export async function configure(
  record: RedisRecord,
  tls: RedisTls | undefined,
  accessLines: readonly string[],
  settings: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  // It has just answered, so on a busy machine it is worth waiting for.
  const client = clientOf(record, tls, configureTimeoutMs);
  try {
    for (const line of accessLines) {
      const [, name = "", ...rules] = line.split(" ");
      await client.call("ACL", "SETUSER", name, ...rules);
    }
    await client.call("CONFIG", "SET", ...settings.flat());
  } catch (cause) {
    throw new PalimpsestError(
      "UNAVAILABLE",
      `the head's own redis-server (pid ${record.pid}, port ${record.port}) took no settings: ${PalimpsestError.from(cause).rawMessage}; start the head again, or end that process first`,
      { cause },
    );
  } finally {
    client.disconnect();
  }
}

/** Returns the id of the server's run, which each start of it changes. */
export async function runIdOf(client: Redis): Promise<string> {
  return /run_id:(\w+)/.exec(await client.info("server"))?.[1] ?? "";
}

/** Returns the server that answers on the port with the password and works on the folder, with its actual pid. */
export async function probe(
  folder: string,
  record: RedisRecord,
  tls: RedisTls | undefined,
): Promise<RedisRecord | undefined> {
  const client = clientOf(record, tls);
  try {
    await client.connect();
    await client.ping();
    const [, dir] = (await client.config("GET", "dir")) as string[];
    const pid = Number(/process_id:(\d+)/.exec(await client.info("server"))?.[1]);
    return dir === realpathSync(folder) && Number.isInteger(pid) ? { ...record, pid } : undefined;
  } catch {
    return undefined;
  } finally {
    client.disconnect();
  }
}

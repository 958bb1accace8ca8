/** Opens the head's Redis, its own or an existing one, as a part of its start. */
import { join, resolve } from "node:path";
import { type Clock, every } from "@palimpsest/std";
import { type TlsIdentity, tlsFiles } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { defaultMaxMemoryBytes, EmbeddedRedis } from "../store/embedded-redis.js";
import type { RedisTls } from "../store/redis-access.js";
import { checkExistingRedis, connectRedis } from "../store/redis-connection.js";
import { endStuckScripts } from "../store/stuck-scripts.js";
import { advertisedHost, type Beginning } from "./head-beginning.js";

const redisCheckMs = 1_000;

export interface HeadRedis {
  readonly client: Redis;
  /** Returns the URL for nodes and drivers. */
  readonly queueUrl: () => string;
  readonly pid: () => number;
  /** Whether it has everything that an earlier head stored. Only of the head's own Redis can that be known. */
  readonly isComplete: boolean;
  /** Records that from now on it has. */
  readonly markComplete: () => Promise<void>;
  /** Replaces the passwords; undefined if Redis is not the head's own. */
  readonly rotatePasswords: (() => Promise<void>) | undefined;
}

export async function beginRedis(
  { config, deps, parts, credentials }: Beginning,
  clock: Clock,
): Promise<HeadRedis> {
  const { logger } = deps;
  const embedded =
    config.redisUrl === undefined
      ? await EmbeddedRedis.start({
          folder: join(config.dataDir, "redis"),
          host: config.host,
          advertiseHost: advertisedHost(config),
          program: config.redisServer,
          maxMemoryBytes: config.redisMaxMemoryBytes ?? defaultMaxMemoryBytes(),
          tls: credentials.tls ? redisTls(config.tls, credentials.tls) : undefined,
          logger,
        })
      : undefined;
  // This applies until the head has started; close() sets it again.
  parts.leaveRedis = embedded?.adopted ?? false;
  parts.endings.push(async () => {
    if (!parts.leaveRedis) await embedded?.stop();
  });
  const url = () => embedded?.url ?? config.redisUrl ?? "";
  const client = await connectRedis(url(), logger);
  parts.endings.push(() => client.disconnect());
  if (embedded === undefined) await checkExistingRedis(client, logger);
  if (embedded !== undefined) {
    const stopChecking = every(clock, redisCheckMs, () => {
      if (client.status === "ready") return;
      embedded
        .ensure()
        .catch((reason: unknown) =>
          logger.error({ err: reason }, "the head's own Redis could not be started"),
        );
    });
    parts.endings.push(stopChecking);
  }
  if (embedded && credentials.tls) {
    // Redis reads its certificate again only on request.
    const reload = () =>
      embedded.reloadTls(client).catch((reason: unknown) => {
        logger.warn(
          { err: reason },
          "the head's own Redis could not load the new certificate and keeps the previous one",
        );
      });
    parts.endings.push(credentials.onChange(() => void reload()));
  }
  parts.endings.push(
    endStuckScripts({
      client,
      clock,
      logger,
      checkMs: redisCheckMs,
      ...(embedded ? { restart: () => embedded.restart() } : {}),
    }),
  );
  const queueUrl = () => embedded?.queueUrl ?? config.queueRedisUrl ?? config.redisUrl ?? "";
  const rotatePasswords = embedded && (() => embedded.rotatePasswords(client));
  const isComplete = (await embedded?.isComplete(client)) ?? false;
  const markComplete = async () => embedded?.markComplete(client);
  return { client, queueUrl, pid: () => embedded?.pid ?? 0, isComplete, markComplete, rotatePasswords };
}

function redisTls(folder: string, identity: TlsIdentity): RedisTls {
  const [caFile, certFile, keyFile] = [tlsFiles.ca, tlsFiles.cert, tlsFiles.key].map((name) =>
    resolve(folder, name),
  );
  return { identity, caFile: caFile ?? "", certFile: certFile ?? "", keyFile: keyFile ?? "" };
}

/**
 * Reads the URLs of the user's own Redis, which may contain passwords, from a flag, the environment or a file. Every
 * user of a machine can read the arguments of its processes, but only the process's own user can read its environment
 * and files.
 */
import { readFileSync } from "node:fs";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";

export interface RedisFlags {
  readonly redis?: string;
  readonly queueRedis?: string;
}

export interface RedisUrls {
  readonly redisUrl?: string;
  readonly queueRedisUrl?: string;
  /** A warning for the user about a flag that reveals a password. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const sources = {
  redis: { flag: "--redis", variable: "PALIMPSEST_REDIS_URL" },
  queueRedis: { flag: "--queue-redis", variable: "PALIMPSEST_QUEUE_REDIS_URL" },
} as const;

/** Variables that configure the user's head. A cluster that a command starts for itself must not inherit them. */
export const redisVariables = Object.values(sources).flatMap(({ variable }) => [
  variable,
  `${variable}_FILE`,
]);

export function withRedis(command: Command): Command {
  return command
    .option(
      "--redis <url>",
      "redis:// URL; if it has a password, prefer PALIMPSEST_REDIS_URL or PALIMPSEST_REDIS_URL_FILE " +
        "(default: these, else the head runs its own redis-server)",
    )
    .option(
      "--queue-redis <url>",
      "the same Redis for nodes and drivers, with a user whose access is limited to keys of runs; " +
        "or PALIMPSEST_QUEUE_REDIS_URL, PALIMPSEST_QUEUE_REDIS_URL_FILE (default: that of --redis)",
    );
}

/**
 * Returns the flag, else the variable, else the content of the file that a variable names.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function redisUrls(flags: RedisFlags, environment: Environment): RedisUrls {
  const warnings: string[] = [];
  const read = (key: keyof typeof sources): string | undefined => {
    const { flag, variable } = sources[key];
    const given = flags[key];
    if (given !== undefined && hasPassword(given)) {
      warnings.push(
        `warning: every user of this machine can read the password in ${flag} in the list of processes: ` +
          `set ${variable}, or ${variable}_FILE to the name of a file that holds the URL, instead\n`,
      );
    }
    const url = given || environment[variable] || fromFile(environment, `${variable}_FILE`);
    if (url && !/^rediss?:\/\//.test(url))
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `${given ? flag : variable}: must be the URL of a Redis, such as redis://127.0.0.1:6379 or rediss://host:6380`,
      );
    return url;
  };
  const redisUrl = read("redis");
  const queueRedisUrl = read("queueRedis");
  if (queueRedisUrl && !redisUrl) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${sources.queueRedis.flag} names a Redis for nodes and drivers, but the head has no URL of one: give the head's URL of the ` +
        `same Redis with ${sources.redis.flag} or ${sources.redis.variable}`,
    );
  }
  return { ...(redisUrl ? { redisUrl } : {}), ...(queueRedisUrl ? { queueRedisUrl } : {}), warnings };
}

function hasPassword(url: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*:[^/?#]+@/.test(url);
}

function fromFile(environment: Environment, variable: string): string | undefined {
  const path = environment[variable];
  if (!path) return undefined;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${variable}: ${path} cannot be read: ${reasonText(cause)}; name a file that holds a redis:// URL`,
      { cause },
    );
  }
}

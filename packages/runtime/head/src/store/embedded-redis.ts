/**
 * Responsibility: the Redis that a head runs itself when it is given none.
 * Not responsible for: its content.
 *
 * Invariants:
 * - REDIS-1. The server survives a head that is killed, and the next head of the same folder adopts it.
 * - REDIS-2. At most one server uses the folder: while the recorded process is alive, no second one is started on
 *   another port, even if the first does not answer.
 * - REDIS-3. Port, password and data stay the same across starts; the port changes only when another program has
 *   taken it.
 * - REDIS-4. Passwords are in files of mode 0600, never in the arguments of a process.
 * - REDIS-5. The data never exceeds `maxMemoryBytes`: writes beyond it are refused with an error and nothing is
 *   evicted, so that the kernel has no reason to kill the server.
 * - REDIS-6. A server that survived its head gets the users and settings of the head that adopts it, which may be of
 *   another version.
 * - REDIS-7. Its tables count as complete only if the same run of the server has had them since a head marked them: then
 *   neither a crash nor FLUSHALL can have taken a write from them.
 * - REDIS-8. Nothing that was begun before the server is stopped starts it again: no server outlives the head that stops
 *   it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { delay } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { reasonText, systemFailure } from "@palimpsest/std/input";
import type { Logger } from "@palimpsest/telemetry";
import {
  formatAddress,
  isLoopback,
  newToken,
  PalimpsestError,
  plainHost,
  redisUrlWithCa,
} from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { writeSecretFile } from "./head-files.js";
import { accessLines, listenLines, type RedisPasswords, type RedisTls } from "./redis-access.js";
import { answersWithin, configure, probe, probeEveryMs, runIdOf } from "./redis-probe.js";
import { isRedisOf, keep, type RedisRecord, readRecord } from "./redis-record.js";
import { busyAfterMs } from "./stuck-scripts.js";

const startTimeoutMs = 10_000;
const defaultStopTimeoutMs = 10_000;
const portAttempts = 5;
const markKey = "palimpsest:complete";

export interface EmbeddedRedisOptions {
  /** The folder for the data, the configuration and the record of the running server. */
  readonly folder: string;
  /** The host that the head itself listens on, because Redis is reachable wherever the head is. */
  readonly host: string;
  /** Name under which other machines reach this one. */
  readonly advertiseHost: string;
  /** Name or path of redis-server. */
  readonly program: string;
  /** The maximum memory of its data in bytes; 0 means no limit. */
  readonly maxMemoryBytes: number;
  /** The certificate. If it is set, the server listens with TLS only. */
  readonly tls: RedisTls | undefined;
  readonly logger: Logger;
  /** The milliseconds that it may take to write its data when it is stopped, before it is killed. Default 10 s. */
  readonly stopTimeoutMs?: number;
}

export class EmbeddedRedis {
  /** Whether it ran before this head: a head that fails to start leaves it running. */
  readonly adopted: boolean;
  readonly #options: EmbeddedRedisOptions;
  #record: RedisRecord;
  #ensuring: Promise<void> | undefined;
  #stopped = false;

  private constructor(options: EmbeddedRedisOptions, record: RedisRecord, adopted: boolean) {
    this.#options = options;
    this.#record = record;
    this.adopted = adopted;
  }

  /** Adopts the server that runs on the folder, or starts one. @throws {PalimpsestError} CONFIG_INVALID, UNAVAILABLE */
  static async start(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
    makeFolder(options.folder, 0o700);
    const known = readRecord(options.folder);
    if (known !== undefined) {
      const running = await answersWithin(options, known, (await isRedisOf(known)) ? startTimeoutMs : 0);
      if (running !== undefined) {
        options.logger.info(
          { pid: running.pid, port: running.port },
          "the head's own Redis was still running and is used again",
        );
        await configure(running, options.tls, accessLines(running.passwords), settingsOf(options));
        writeSecretFile(
          join(options.folder, "redis.conf"),
          configOf(options, running.port, running.passwords),
        );
        return new EmbeddedRedis(options, keep(options.folder, running), true);
      }
    }
    return new EmbeddedRedis(options, await startAnywhere(options, known), false);
  }

  /** The ioredis URL of the head's own user. It never leaves this process. */
  get url(): string {
    return this.#urlOf("head", "127.0.0.1");
  }

  /** The ioredis URL of the user for runs, which nodes and drivers get. */
  get queueUrl(): string {
    const { host, advertiseHost } = this.#options;
    return this.#urlOf("queues", isLoopback(host) ? "127.0.0.1" : advertiseHost);
  }

  #urlOf(user: keyof RedisPasswords, host: string): string {
    const { tls } = this.#options;
    const address = formatAddress(host, this.#record.port);
    const url = `${tls ? "rediss" : "redis"}://${user}:${this.#record.passwords[user]}@${address}`;
    return tls ? redisUrlWithCa(url, tls.identity) : url;
  }

  get pid(): number {
    return this.#record.pid;
  }

  get port(): number {
    return this.#record.port;
  }

  /** Returns whether the server has everything that an earlier head stored (REDIS-7). */
  async isComplete(client: Redis): Promise<boolean> {
    const { complete } = this.#record;
    if (complete === undefined) return false;
    const [runId, mark] = await Promise.all([runIdOf(client), client.get(markKey)]);
    return runId === complete.runId && mark === complete.mark;
  }

  /** Records that the tables lack nothing that runs (REDIS-7). */
  async markComplete(client: Redis): Promise<void> {
    const complete = { runId: await runIdOf(client), mark: newToken() };
    await client.set(markKey, complete.mark);
    this.#record = keep(this.#options.folder, { ...this.#record, complete });
  }

  /** Restarts the server if it has died. Only one attempt runs at a time. */
  async ensure(): Promise<void> {
    if (this.#stopped) return;
    await this.#ensureOnce();
  }

  #ensureOnce(): Promise<void> {
    this.#ensuring ??= this.#ensure().finally(() => {
      this.#ensuring = undefined;
    });
    return this.#ensuring;
  }

  /** Makes the server read the files of its certificate again after they were replaced. */
  async reloadTls(client: Redis): Promise<void> {
    const { tls } = this.#options;
    if (tls === undefined) return;
    const { certFile, keyFile, caFile } = tls;
    const files = ["tls-cert-file", certFile, "tls-key-file", keyFile, "tls-ca-cert-file", caFile];
    await client.call("CONFIG", "SET", ...files);
  }

  /**
   * Sets new passwords for both users: the old ones are refused at once, and connections that used them end. Both are
   * valid until the files have the new ones, so that a head that dies in between finds its Redis again.
   * @param client the head's own client, which continues with the new password
   */
  async rotatePasswords(client: Redis): Promise<void> {
    const passwords: RedisPasswords = { head: newToken(), queues: newToken() };
    const users = ["head", "queues"] as const;
    for (const user of users) await client.call("ACL", "SETUSER", user, `>${passwords[user]}`);
    const { folder } = this.#options;
    writeSecretFile(join(folder, "redis.conf"), configOf(this.#options, this.#record.port, passwords));
    this.#record = keep(folder, { ...this.#record, passwords });
    client.options.password = passwords.head;
    for (const user of users) await client.call("ACL", "SETUSER", user, "resetpass", `>${passwords[user]}`);
    await client.call("CLIENT", "KILL", "USER", "queues");
    await client.call("CLIENT", "KILL", "USER", "head", "SKIPME", "yes");
  }

  /** Kills the server, whatever it is doing, and restarts it with the content of its file. */
  async restart(): Promise<void> {
    await this.#ensuring?.catch(() => undefined);
    if (this.#stopped) return;
    if (await isRedisOf(this.#record)) process.kill(this.#record.pid, "SIGKILL");
    const deadline = performance.now() + this.#stopTimeoutMs;
    while ((await isRedisOf(this.#record)) && performance.now() < deadline) await delay(probeEveryMs);
    await this.ensure();
  }

  /** Stops the server in an orderly way, after which everything written is on disk. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ensuring?.catch(() => undefined);
    const { folder, logger } = this.#options;
    // On a busy machine, or while it writes, it may not answer. Its process is ended all the same.
    const answering = await probe(folder, this.#record, this.#options.tls);
    const running = answering ?? this.#record;
    if (answering === undefined && !(await isRedisOf(running))) return;
    process.kill(running.pid, "SIGTERM");
    const deadline = performance.now() + this.#stopTimeoutMs;
    while (await isRedisOf(running)) {
      if (performance.now() > deadline) {
        logger.warn({ pid: running.pid }, "the head's own Redis did not end and was killed");
        process.kill(running.pid, "SIGKILL");
        return;
      }
      await delay(probeEveryMs);
    }
  }

  /** The milliseconds within which the process of a stopped server must be gone. */
  get #stopTimeoutMs(): number {
    return this.#options.stopTimeoutMs ?? defaultStopTimeoutMs;
  }

  async #ensure(): Promise<void> {
    const { folder, logger } = this.#options;
    const running = await probe(folder, this.#record, this.#options.tls);
    if (running !== undefined) {
      if (running.pid !== this.#record.pid) this.#record = keep(folder, running);
      return;
    }
    logger.warn(
      { pid: this.#record.pid, port: this.#record.port },
      "the head's own Redis has ended and is started again",
    );
    this.#record = await launch(this.#options, this.#record.port, this.#record.passwords);
  }
}

async function startAnywhere(
  options: EmbeddedRedisOptions,
  known: RedisRecord | undefined,
): Promise<RedisRecord> {
  const passwords = known?.passwords ?? { head: newToken(), queues: newToken() };
  for (let attempt = 0; ; attempt++) {
    const port = attempt === 0 && known ? known.port : await freePort(options.host);
    try {
      return await launch(options, port, passwords);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      // REDIS-2: the recorded server may still have the port and the folder.
      const taken = error.code === "ALREADY_EXISTS" && !(known && (await isRedisOf(known)));
      if (!taken || attempt === portAttempts) throw error;
    }
  }
}

/** @throws {PalimpsestError} ALREADY_EXISTS when the port is taken, CONFIG_INVALID when there is no redis-server */
async function launch(
  options: EmbeddedRedisOptions,
  port: number,
  passwords: RedisPasswords,
): Promise<RedisRecord> {
  const { folder, program, logger } = options;
  const startedAt = Date.now();
  const configPath = join(folder, "redis.conf");
  writeSecretFile(configPath, configOf(options, port, passwords));
  // The record is written before the process exists, so that the port identifies it to the next head if this one is
  // killed right after the start.
  keep(folder, { pid: 0, port, passwords });
  const logPath = join(folder, "redis.log");
  const log = openSync(logPath, "w", 0o600);
  const child = spawn(program, [configPath], { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  child.unref();
  const wanted = { pid: child.pid ?? 0, port, passwords };
  const starting = new AbortController();
  const running = await Promise.race([
    answersWithin(options, wanted, startTimeoutMs, starting.signal),
    endOf(child, program, logPath, starting.signal),
  ]).finally(() => starting.abort());
  if (running instanceof PalimpsestError) throw running;
  if (running === undefined) {
    if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
    throw new PalimpsestError(
      "UNAVAILABLE",
      `${program} did not answer within ${startTimeoutMs} ms: see ${folder}`,
    );
  }
  logger.info({ pid: running.pid, port, ms: Date.now() - startedAt }, "the head's own Redis started");
  return keep(folder, running);
}

/** Resolves with the reason when the process cannot start, or ends before the signal. */
function endOf(
  child: ChildProcess,
  program: string,
  logPath: string,
  started: AbortSignal,
): Promise<PalimpsestError> {
  return new Promise((resolve) => {
    child.once("error", (reason: NodeJS.ErrnoException) => resolve(cannotRun(program, reason)));
    child.once("exit", (code) => {
      if (started.aborted) return;
      const output = readFileSync(logPath, "utf8").trim();
      const taken = /address already in use/i.test(output);
      const lastLine = output.split("\n").at(-1) ?? "";
      const message = `${program} ended with code ${code} while starting: ${lastLine || `it printed nothing; is the disk of ${dirname(logPath)} full?`}`;
      resolve(new PalimpsestError(taken ? "ALREADY_EXISTS" : "UNAVAILABLE", message));
    });
  });
}

function cannotRun(program: string, reason: NodeJS.ErrnoException): PalimpsestError {
  if (reason.code !== "ENOENT") return new PalimpsestError("UNAVAILABLE", `${program}: ${reason.message}`);
  return new PalimpsestError(
    "CONFIG_INVALID",
    `${program} is not installed: run \`apt-get install redis-server\` (Debian, Ubuntu) or \`brew install redis\` ` +
      "(macOS), or name a running Redis with --redis",
  );
}

function configOf(options: EmbeddedRedisOptions, port: number, passwords: RedisPasswords): string {
  const { folder, host, tls } = options;
  const bind = isLoopback(host)
    ? "127.0.0.1"
    : host === "0.0.0.0" || host === "::"
      ? "*"
      : `${host} 127.0.0.1`;
  return [
    `bind ${bind}`,
    ...listenLines(port, tls),
    ...accessLines(passwords),
    `dir ${JSON.stringify(realpathSync(folder))}`,
    ...settingsOf(options).map(([name, value]) => `${name} ${value === "" ? '""' : value}`),
    "daemonize no",
    "",
  ].join("\n");
}

/**
 * Returns the settings that can also be changed on a running server. Where it listens and its folder are fixed at its
 * start.
 */
function settingsOf({ maxMemoryBytes }: EmbeddedRedisOptions): [name: string, value: string][] {
  return [
    ["appendonly", "yes"],
    ["appendfsync", "everysec"],
    ["maxmemory", String(maxMemoryBytes)],
    ["maxmemory-policy", "noeviction"],
    ["save", ""],
    ["busy-reply-threshold", String(busyAfterMs)],
    ["loglevel", "warning"],
  ];
}

/** Returns a quarter of the memory of the machine or of its container, in bytes. */
export function defaultMaxMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  const total = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor(total / 4);
}

/** Returns a port that is free at the head's address. @throws {PalimpsestError} UNAVAILABLE for an address of others */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", (cause) => {
      const remedy = systemFailure(cause)?.remedy ?? "give another";
      const text = `host ${host}: cannot be listened on (${reasonText(cause)}); ${remedy}`;
      reject(new PalimpsestError("UNAVAILABLE", text, { cause }));
    });
    server.listen(0, plainHost(host), () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/**
 * Responsibility: the records of durable actors in Redis: one hash per name, changed by one script.
 * Not responsible for: the meaning of fields (worker/durable), or who may open a record (durable-rpcs.ts).
 *
 * Invariants:
 * - DURABLE-1. A commit is atomic and happens at most once: it names the version that it creates.
 * - DURABLE-2. Once a process has opened a record, no other process changes it.
 * - DURABLE-3. A commit is acknowledged after Redis has written it to its append-only file. The head's own Redis has
 *   synced it to disk by then, also after it was killed and restarted. A Redis without such a file is refused.
 * - DURABLE-4. A head that another one has succeeded changes no record.
 * - DURABLE-5. While Redis is away every request fails with UNAVAILABLE, so that it is retried: an actor that commits
 *   or starts meanwhile waits, and does not end.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { z } from "zod";
import { durableScripts, runLua } from "./redis-scripts.js";

export interface DurableField {
  readonly name: string;
  readonly value: Uint8Array;
}

export interface DurableRecord {
  readonly epoch: number;
  readonly version: number;
  readonly fields: readonly DurableField[];
}

export interface DurableStatesOptions {
  readonly clusterName: string;
  /** Returns the epoch of this head's leadership. */
  readonly epoch: () => number;
  /** Whether Redis is the head's own, so that the head may set how it writes its file. */
  readonly ownRedis: boolean;
}

const openAnswer = z.array(z.instanceof(Buffer));
/**
 * Matches answers of a Redis that is starting, standing by, or cannot write its file now, and may carry the command out
 * later.
 */
const passing = /^(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY|TRYAGAIN|MISCONF|BUSY) /;
/** Field names that are reserved for the record itself. */
const own = { epoch: "!epoch", version: "!version", owner: "!owner" } as const;

export class DurableStates {
  readonly #redis: Redis;
  readonly #options: DurableStatesOptions;
  readonly #prefix: string;
  /**
   * Resolves when Redis was found, or configured, to keep what it acknowledges. This is checked again for each
   * connection.
   */
  #keeps: Promise<void> | undefined;

  constructor(redis: Redis, options: DurableStatesOptions) {
    this.#redis = redis;
    this.#options = options;
    // The braces put all keys of a cluster, including the epoch, into one slot, so that a script may access them
    // together.
    this.#prefix = `palimpsest:{${options.clusterName}}:head`;
    redis.on("close", () => {
      this.#keeps = undefined;
    });
  }

  /** @param owner the process, as actor and incarnation */
  async open(namespace: string, name: string, owner: string): Promise<DurableRecord> {
    await this.#keeping();
    const keys = [`${this.#prefix}:epoch`, this.#key(namespace, name)];
    // The answer is read as bytes, because `eval` decodes text and values are binary.
    const answer = await reached(
      this.#redis.callBuffer(
        "EVAL",
        `#!lua flags=allow-oom\n${durableScripts.open}`,
        keys.length,
        ...keys,
        this.#options.epoch(),
        owner,
      ),
    );
    const parts = openAnswer.parse(answer);
    if (parts.length === 1) throw behind(String(parts[0]));
    const fields: DurableField[] = [];
    const numbers = new Map<string, number>();
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [field, value] = [String(parts[at]), parts[at + 1] ?? Buffer.alloc(0)];
      if (field.startsWith("!")) numbers.set(field, Number(value));
      else fields.push({ name: field, value });
    }
    return { epoch: numbers.get(own.epoch) ?? 0, version: numbers.get(own.version) ?? 0, fields };
  }

  /** @throws {PalimpsestError} ACTOR_DIED when another process has opened the record, or Redis has lost its data */
  async commit(
    namespace: string,
    name: string,
    commit: {
      readonly epoch: number;
      readonly version: number;
      readonly set: readonly DurableField[];
      readonly remove: readonly string[];
    },
  ): Promise<void> {
    await this.#keeping();
    const keys = [`${this.#prefix}:epoch`, this.#key(namespace, name)];
    const args = [
      ...[this.#options.epoch(), commit.epoch, commit.version, commit.set.length],
      ...commit.set.flatMap((field) => [field.name, Buffer.from(field.value)]),
      ...commit.remove,
    ];
    const answer = await reached(runLua(this.#redis, durableScripts.commit, keys, args));
    if (answer === "written") return;
    if (answer === "fenced")
      throw new PalimpsestError(
        "ACTOR_DIED",
        `another process has taken over the state of ${name}: the commits of this one are refused`,
      );
    if (answer === "lost")
      throw new PalimpsestError(
        "ACTOR_DIED",
        `Redis has lost commits of ${name} before version ${commit.version}: the actor restarts from the state that is left`,
      );
    throw behind(String(answer));
  }

  async remove(namespace: string, name: string): Promise<boolean> {
    await this.#keeping();
    const keys = [`${this.#prefix}:epoch`, this.#key(namespace, name)];
    const epoch = [this.#options.epoch()];
    const answer = await reached(runLua(this.#redis, durableScripts.remove, keys, epoch));
    if (answer === "behind") throw behind("behind");
    return answer === "1";
  }

  #key(namespace: string, name: string): string {
    return `${this.#prefix}:durable:${namespace || "default"}:${name}`;
  }

  /** DURABLE-3 */
  #keeping(): Promise<void> {
    this.#keeps ??= reached(this.#ensureKept()).catch((reason: unknown) => {
      this.#keeps = undefined;
      throw reason;
    });
    return this.#keeps;
  }

  async #ensureKept(): Promise<void> {
    if (this.#options.ownRedis) {
      await this.#redis.config("SET", "appendfsync", "always");
      return;
    }
    const info = await this.#redis.info("persistence");
    if (/^aof_enabled:1/m.test(info)) return;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "the head's Redis has no append-only file, so durable actors would lose what they commit: set appendonly yes in that Redis",
    );
  }
}

/** DURABLE-5 */
async function reached<Answer>(command: Promise<Answer>): Promise<Answer> {
  try {
    return await command;
  } catch (reason) {
    if (!(reason instanceof Error) || reason instanceof PalimpsestError) throw reason;
    if (reason.name === "ReplyError" && !passing.test(reason.message)) throw reason;
    throw new PalimpsestError(
      "UNAVAILABLE",
      `the head's Redis, which keeps the states of actors, does not answer: ${reason.message}`,
      { cause: reason },
    );
  }
}

function behind(answer: string): PalimpsestError {
  return new PalimpsestError(
    "UNAVAILABLE",
    `this head cannot write the states of actors now (Redis answered "${answer}"): retry`,
  );
}

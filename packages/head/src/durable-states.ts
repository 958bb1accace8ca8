/**
 * Responsibility: the records of durable actors in Redis: one hash for each name, changed by one script.
 * Not responsible for: what the fields mean (worker/durable), who may open a record (durable-rpcs.ts).
 *
 * Invariants:
 * - DURABLE-1. A commit happens entirely or not at all, and once: it names the version that it makes.
 * - DURABLE-2. From the moment at which a process has opened a record, no other process changes it.
 * - DURABLE-3. A commit is answered when Redis has written it to its append-only file; a Redis of the head's own has synced
 *   it to the disk by then, also after it was killed and started again. A Redis without such a file is refused.
 * - DURABLE-4. A head that another one has succeeded changes no record.
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
  /** The epoch with which this head leads. */
  readonly epoch: () => number;
  /** Redis is the head's own: it may set how that writes its file. */
  readonly ownRedis: boolean;
}

const openAnswer = z.array(z.instanceof(Buffer));
/** Names of fields that are not the actor's. */
const own = { epoch: "!epoch", version: "!version", owner: "!owner" } as const;

export class DurableStates {
  readonly #redis: Redis;
  readonly #options: DurableStatesOptions;
  readonly #prefix: string;
  /** Redis was found, or set, to keep what it answers; asked anew for each connection. */
  #keeps: Promise<void> | undefined;

  constructor(redis: Redis, options: DurableStatesOptions) {
    this.#redis = redis;
    this.#options = options;
    // The braces put all of a cluster's keys into one slot, the epoch's too: scripts may touch them together.
    this.#prefix = `palimpsest:{${options.clusterName}}:head`;
    redis.on("close", () => {
      this.#keeps = undefined;
    });
  }

  /** @param owner the process, by its actor and incarnation */
  async open(namespace: string, name: string, owner: string): Promise<DurableRecord> {
    await this.#keeping();
    const keys = [`${this.#prefix}:epoch`, this.#key(namespace, name)];
    // As bytes: eval answers text, which values are not.
    const answer = await this.#redis.callBuffer(
      "EVAL",
      `#!lua flags=allow-oom\n${durableScripts.open}`,
      keys.length,
      ...keys,
      this.#options.epoch(),
      owner,
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

  /** @throws {PalimpsestError} ACTOR_DIED when another process has opened it, or Redis has lost what it held */
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
    const answer = await runLua(
      this.#redis,
      durableScripts.commit,
      [`${this.#prefix}:epoch`, this.#key(namespace, name)],
      [
        ...[this.#options.epoch(), commit.epoch, commit.version, commit.set.length],
        ...commit.set.flatMap((field) => [field.name, Buffer.from(field.value)]),
        ...commit.remove,
      ],
    );
    if (answer === "written") return;
    if (answer === "fenced")
      throw new PalimpsestError(
        "ACTOR_DIED",
        `another process has the state of ${name}: what this one commits is refused`,
      );
    if (answer === "lost")
      throw new PalimpsestError(
        "ACTOR_DIED",
        `Redis has lost commits of ${name} before version ${commit.version}: the process begins anew with what is left`,
      );
    throw behind(String(answer));
  }

  async remove(namespace: string, name: string): Promise<boolean> {
    await this.#keeping();
    const keys = [`${this.#prefix}:epoch`, this.#key(namespace, name)];
    const answer = await runLua(this.#redis, durableScripts.remove, keys, [this.#options.epoch()]);
    if (answer === "behind") throw behind("behind");
    return answer === "1";
  }

  #key(namespace: string, name: string): string {
    return `${this.#prefix}:durable:${namespace || "default"}:${name}`;
  }

  /** DURABLE-3 */
  #keeping(): Promise<void> {
    this.#keeps ??= this.#ensureKept().catch((reason: unknown) => {
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
      "the head's Redis has no append-only file, so durable actors would lose what they commit: set appendonly yes there",
    );
  }
}

function behind(answer: string): PalimpsestError {
  return new PalimpsestError(
    "UNAVAILABLE",
    `this head cannot write the states of actors now: it is ${answer}`,
  );
}

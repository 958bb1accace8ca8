/** Job: which object stores hold what every process of a run needs for as long as it lasts: base weights, tokenizer.
 *  Not its job: the objects; knowing which of the stores are still alive.
 *
 *  H1. A store is listed after it holds all of them. */
import type { Redis } from "ioredis";
import type { RunKeys } from "./run-keys.js";

export class ObjectHolders {
  readonly #redis: Redis;
  readonly #key: string;

  constructor(redis: Redis, keys: RunKeys) {
    this.#redis = redis;
    this.#key = keys.objectHolders;
  }

  /** @param address host:port of an Objects service */
  async add(address: string): Promise<void> {
    await this.#redis.sadd(this.#key, address);
  }

  /** What was found gone. */
  async remove(address: string): Promise<void> {
    await this.#redis.srem(this.#key, address);
  }

  /** For a driver that begins: what an earlier one's nodes held went with its session. */
  async reset(addresses: readonly string[]): Promise<void> {
    const change = this.#redis.multi().del(this.#key);
    if (addresses.length > 0) change.sadd(this.#key, ...addresses);
    await change.exec();
  }

  /** Sorted. */
  async all(): Promise<readonly string[]> {
    return (await this.#redis.smembers(this.#key)).sort();
  }
}

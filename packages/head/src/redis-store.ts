import type { Redis } from "ioredis";
import type { Store, StoreTable, StoreWrite } from "./store.js";

const prefix = "palimpsest:head";

/** The head's tables as Redis hashes, one a table. The client is the caller's, to close too. */
export class RedisStore implements Store {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = await this.#redis.hgetallBuffer(`${prefix}:${table}`);
    return new Map(Object.entries(rows));
  }

  /** One transaction: a head that dies in the middle leaves all of it or nothing. */
  async write(writes: readonly StoreWrite[]): Promise<void> {
    const transaction = this.#redis.multi();
    for (const { table, key, bytes } of writes) {
      if (bytes === undefined) transaction.hdel(`${prefix}:${table}`, key);
      else transaction.hset(`${prefix}:${table}`, key, Buffer.from(bytes));
    }
    const answers = await transaction.exec();
    const failed = answers?.find(([error]) => error !== null);
    if (failed?.[0]) throw failed[0];
  }

  async fact(name: string, initial: string): Promise<string> {
    await this.#redis.hsetnx(`${prefix}:facts`, name, initial);
    return (await this.#redis.hget(`${prefix}:facts`, name)) ?? initial;
  }
}

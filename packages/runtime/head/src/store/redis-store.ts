import type { Redis } from "ioredis";
import { z } from "zod";
import { leaseScripts, runLua } from "./redis-scripts.js";
import type {
  Leader,
  LeaseAnswer,
  LeaseClaim,
  LeaseView,
  SharedStore,
  WriteAnswer,
  WriteGuard,
} from "./shared-store.js";
import type { StoreTable, StoreWrite } from "./store.js";

/** The number of rows per HSCAN. Each step has its own deadline, so that a table of any size can be read. */
const scanCount = 500;

const leaderSchema = z.object({ headId: z.string(), address: z.string(), epoch: z.number() });
const answerSchema = z.tuple([z.enum(["held", "refused"]), z.number(), z.string(), z.number()]);
const writeAnswerSchema = z.tuple([z.enum(["written", "behind", "deposed"]), z.number()]);

/** The shared store of the cluster `name` in Redis. The client belongs to the caller, who also closes it. */
export class RedisStore implements SharedStore {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, clusterName: string) {
    this.#redis = redis;
    // The braces put all keys of a cluster into one slot of a Redis Cluster, so that scripts may access them
    // together.
    this.#prefix = `palimpsest:{${clusterName}}:head`;
  }

  async lease(): Promise<LeaseView> {
    const [leader, epoch, clusterId] = await Promise.all([
      this.#redis.get(this.#key("leader")),
      this.#redis.get(this.#key("epoch")),
      this.#redis.hget(this.#key("facts"), "clusterId"),
    ]);
    return { leader: leaderOf(leader ?? ""), epoch: Number(epoch ?? 0), clusterId: clusterId ?? "" };
  }

  async takeLease(claim: LeaseClaim, epochFloor: number, predecessorId: string): Promise<LeaseAnswer> {
    const { headId, address, leaseMs } = claim;
    return this.#lease(leaseScripts.take, [headId, address, leaseMs, epochFloor, predecessorId]);
  }

  async renewLease(claim: LeaseClaim, epoch: number, epochFloor: number): Promise<LeaseAnswer> {
    const { headId, address, leaseMs } = claim;
    return this.#lease(leaseScripts.renew, [headId, address, leaseMs, epoch, epochFloor]);
  }

  async releaseLease(headId: string): Promise<void> {
    await runLua(this.#redis, leaseScripts.release, [this.#key("leader")], [headId]);
  }

  async announce(address: string, ttlMs: number): Promise<readonly string[]> {
    const answer = await runLua(this.#redis, leaseScripts.announce, [this.#key("heads")], [address, ttlMs]);
    return z.array(z.string()).parse(answer);
  }

  async readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = new Map<string, Uint8Array>();
    let cursor = "0";
    do {
      const [next, parts] = await this.#redis.hscanBuffer(this.#key(table), cursor, "COUNT", scanCount);
      for (let at = 0; at + 1 < parts.length; at += 2) {
        const [key, bytes] = [parts[at], parts[at + 1]];
        if (key && bytes) rows.set(key.toString(), bytes);
      }
      cursor = next.toString();
    } while (cursor !== "0");
    return rows;
  }

  tableKeys(table: StoreTable): Promise<readonly string[]> {
    return this.#redis.hkeys(this.#key(table));
  }

  /** Writes all rows in one script, so that a head that dies in the middle leaves all of the writes or none. */
  async write(guard: WriteGuard, writes: readonly StoreWrite[]): Promise<WriteAnswer> {
    const tables: StoreTable[] = [];
    const args: (string | number | Buffer)[] = [guard.epoch, guard.sequence, guard.unanswered];
    for (const { table, key, bytes } of writes) {
      if (!tables.includes(table)) tables.push(table);
      args.push(tables.indexOf(table), key, bytes === undefined ? 0 : 1, bufferOf(bytes));
    }
    const keys = [this.#key("epoch"), this.#key("sequence"), ...tables.map((table) => this.#key(table))];
    const answer = await runLua(this.#redis, leaseScripts.write, keys, args);
    const [kind, sequence] = writeAnswerSchema.parse(answer);
    return kind === "written" ? { kind, sequence } : { kind };
  }

  async fact(name: string, initial: string): Promise<string> {
    const value = await runLua(this.#redis, leaseScripts.fact, [this.#key("facts")], [name, initial]);
    return z.string().parse(value);
  }

  async #lease(lua: string, args: readonly (string | number)[]): Promise<LeaseAnswer> {
    const keys = ["leader", "epoch", "sequence"].map((part) => this.#key(part));
    const [kind, epoch, leader, sequence] = answerSchema.parse(await runLua(this.#redis, lua, keys, args));
    return kind === "held" ? { kind, epoch, sequence } : { kind, epoch, leader: leaderOf(leader) };
  }

  #key(part: string): string {
    return `${this.#prefix}:${part}`;
  }
}

/** Returns a buffer over the same memory, because rows are not changed once they are written. */
function bufferOf(bytes: Uint8Array | undefined): Buffer | string {
  return bytes === undefined ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function leaderOf(text: string): Leader | undefined {
  return text === "" ? undefined : leaderSchema.parse(JSON.parse(text));
}

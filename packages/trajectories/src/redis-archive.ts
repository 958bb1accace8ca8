import {
  MemoryError,
  MemoryStore,
  memoryRecordSchema,
  type StoreBases,
  type StoreOptions,
  storeDiffSchema,
} from "@palimpsest/memory";
import { parseInput } from "@palimpsest/memory/input";
import type { MemoryRecord, StoreDiff } from "@palimpsest/memory/records";
import { redisTlsOptions } from "@palimpsest/wire";
import { Redis } from "ioredis";
import { z } from "zod";

/*
 * Responsibility: stores namespaces in Redis by name, so that they outlive their process. Each is stored as its base,
 * which is kept once however many namespaces share it, and its changes.
 * Not responsible for: vectors and indexes, which are computed again, or agreement between writers of one name (the
 * last write wins).
 *
 * Invariants:
 * - ARCHIVE-1. A namespace is saved as a whole or not at all. A reader never sees its base without its changes.
 * - ARCHIVE-2. Equal bases are stored once, and are deleted with the last namespace over them.
 * - ARCHIVE-3. An opened namespace has the records, ids, order and diff of the saved one.
 */
export class RedisArchive {
  readonly #redis: Redis;
  readonly #prefix: string;
  #closed = false;

  private constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  /** @param options.prefix prefix of every key. Default "palimpsest:memory:" */
  static async connect(options: { readonly url: string; readonly prefix?: string }): Promise<RedisArchive> {
    const { url } = options;
    const redis = new Redis(url, { ...redisTlsOptions(url), lazyConnect: true, maxRetriesPerRequest: 3 });
    // The client's error events are ignored, because each call throws its own errors.
    redis.on("error", () => undefined);
    try {
      await redis.connect();
    } catch (reason) {
      redis.disconnect();
      throw reason;
    }
    return new RedisArchive(redis, options.prefix ?? "palimpsest:memory:");
  }

  async save(name: string, store: MemoryStore): Promise<void> {
    const { hash, records } = store.base;
    const diff = JSON.stringify(store.diff());
    const save = (base: string) => this.#redis.eval(saveScript, 1, this.#prefix, name, hash, diff, base);
    // The base is sent only when Redis does not have it.
    const known = await this.#redis.exists(this.#key("base", hash));
    const saved = known === 1 ? await save("") : 0;
    if (saved === 0) await save(JSON.stringify(records));
  }

  /** @throws {MemoryError} NOT_FOUND, DAMAGED, EMBEDDER_FAILED */
  async open(
    name: string,
    bases: StoreBases,
    options: StoreOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<MemoryStore> {
    const found = await this.#redis.eval(openScript, 1, this.#prefix, name);
    const [base, changes] = Array.isArray(found) ? found : [];
    if (typeof base !== "string" || typeof changes !== "string")
      throw new MemoryError("NOT_FOUND", `namespace "${name}" is not in the archive; save it first`);
    const records = parse<MemoryRecord[]>(`base of namespace "${name}"`, z.array(memoryRecordSchema), base);
    const diff = parse<StoreDiff>(`changes of namespace "${name}"`, storeDiffSchema, changes);
    const store = new MemoryStore(await bases.baseOf(records, options.signal), options);
    await store.apply(diff, options.signal);
    return store;
  }

  /** Returns the names of the namespaces, sorted. */
  async names(): Promise<string[]> {
    return (await this.#redis.hkeys(this.#key("spaces"))).sort();
  }

  /** @returns whether a namespace of that name existed */
  async delete(name: string): Promise<boolean> {
    return (await this.#redis.eval(deleteScript, 1, this.#prefix, name)) === 1;
  }

  /** Closes the connection. Calling it again does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#redis.quit();
  }

  #key(...parts: readonly string[]): string {
    return this.#prefix + parts.join(":");
  }
}

/** The keys are spaces (name → hash of its base), diffs (name → changes) and users:HASH (the names over a base). */
const dropBase = `
local function leave(prefix, name, hash)
  redis.call('SREM', prefix .. 'users:' .. hash, name)
  if redis.call('SCARD', prefix .. 'users:' .. hash) == 0 then
    redis.call('DEL', prefix .. 'base:' .. hash)
  end
end`;

const saveScript = `${dropBase}
local prefix, name, hash, diff, base = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if base == '' and redis.call('EXISTS', prefix .. 'base:' .. hash) == 0 then return 0 end
local old = redis.call('HGET', prefix .. 'spaces', name)
if base ~= '' then redis.call('SET', prefix .. 'base:' .. hash, base) end
redis.call('SADD', prefix .. 'users:' .. hash, name)
redis.call('HSET', prefix .. 'spaces', name, hash)
redis.call('HSET', prefix .. 'diffs', name, diff)
if old and old ~= hash then leave(prefix, name, old) end
return 1`;

const openScript = `
local hash = redis.call('HGET', KEYS[1] .. 'spaces', ARGV[1])
if not hash then return false end
return { redis.call('GET', KEYS[1] .. 'base:' .. hash), redis.call('HGET', KEYS[1] .. 'diffs', ARGV[1]) }`;

const deleteScript = `${dropBase}
local hash = redis.call('HGET', KEYS[1] .. 'spaces', ARGV[1])
if not hash then return 0 end
redis.call('HDEL', KEYS[1] .. 'spaces', ARGV[1])
redis.call('HDEL', KEYS[1] .. 'diffs', ARGV[1])
leave(KEYS[1], ARGV[1], hash)
return 1`;

/** @throws {MemoryError} DAMAGED */
function parse<T>(what: string, schema: z.ZodType<T>, json: string): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new MemoryError("DAMAGED", `${what}: is not JSON`, { cause });
  }
  return parseInput(schema, value, (problem) => new MemoryError("DAMAGED", `${what}: ${problem}`));
}

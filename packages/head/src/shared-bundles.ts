/**
 * Responsibility: copies of bundles in the Redis that the heads of a cluster share, so that a standby that takes over has
 * what an earlier head received.
 * Not responsible for: the files (bundles.ts); which bundles are still used (the control plane).
 *
 * Invariants:
 * - SHARED-BUNDLE-1. A bundle can be read only when all of it is there: its parts are renamed after the last one.
 * - SHARED-BUNDLE-2. All copies take at most `maxBytes`: the longest stored go first. A larger bundle is not stored.
 * - SHARED-BUNDLE-3. No command carries more than `partBytes`, so that the lease's renewal never waits for a bundle.
 */
import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import type { Bundle } from "./bundles.js";

const partBytes = 1024 * 1024;
/** An upload that breaks off leaves its parts for this long. */
const unfinishedSeconds = 600;

/** Where bundles lie besides the head's folder. */
export interface BundleShare {
  /** Stores a copy; false when it is larger than all copies may be together. */
  put(bundle: Bundle, chunks: AsyncIterable<Uint8Array>): Promise<boolean>;
  has(sha256: string): Promise<boolean>;
  /** The copy's bytes; none when it is not there (any more). */
  read(sha256: string): AsyncIterable<Uint8Array>;
  remove(sha256: string): Promise<void>;
}

export class SharedBundles implements BundleShare {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #maxBytes: number;

  constructor(redis: Redis, clusterName: string, maxBytes: number) {
    this.#redis = redis;
    this.#prefix = `palimpsest:{${clusterName}}:head:bundles`;
    this.#maxBytes = maxBytes;
  }

  async put({ sha256, sizeBytes }: Bundle, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
    if (sizeBytes > this.#maxBytes) return false;
    await this.#makeRoom(sizeBytes);
    const unfinished = `${this.#key(sha256)}:${randomBytes(6).toString("hex")}`;
    for await (const chunk of chunks) {
      for (let offset = 0; offset < chunk.byteLength; offset += partBytes) {
        await this.#redis.rpush(unfinished, Buffer.from(chunk.subarray(offset, offset + partBytes)));
        await this.#redis.expire(unfinished, unfinishedSeconds);
      }
    }
    const stored = this.#redis.multi();
    if (sizeBytes > 0) stored.persist(unfinished).rename(unfinished, this.#key(sha256));
    await stored
      .hset(this.#key("sizes"), sha256, sizeBytes)
      .zadd(this.#key("times"), Date.now(), sha256)
      .exec();
    return true;
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.#redis.hexists(this.#key("sizes"), sha256)) === 1;
  }

  async *read(sha256: string): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; at++) {
      const part = await this.#redis.lindexBuffer(this.#key(sha256), at);
      if (part === null) return;
      yield part;
    }
  }

  async remove(sha256: string): Promise<void> {
    await this.#redis
      .multi()
      .del(this.#key(sha256))
      .hdel(this.#key("sizes"), sha256)
      .zrem(this.#key("times"), sha256)
      .exec();
  }

  async #makeRoom(sizeBytes: number): Promise<void> {
    const sizes = await this.#redis.hgetall(this.#key("sizes"));
    let totalBytes = Object.values(sizes).reduce((sum, size) => sum + Number(size), sizeBytes);
    for (const sha256 of await this.#redis.zrange(this.#key("times"), "0", "-1")) {
      if (totalBytes <= this.#maxBytes) return;
      totalBytes -= Number(sizes[sha256] ?? 0);
      await this.remove(sha256);
    }
  }

  #key(part: string): string {
    return `${this.#prefix}:${part}`;
  }
}

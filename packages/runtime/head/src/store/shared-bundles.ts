/**
 * Responsibility: copies of bundles in the Redis that a cluster's heads share, so that a standby that takes over has
 * the bundles that an earlier head received.
 * Not responsible for: the files (bundles.ts), or which bundles are still used (the control plane).
 *
 * Invariants:
 * - SHARED-BUNDLE-1. A bundle can be read only when it is complete: its parts are counted, and renamed after the last
 *   one. An upload some of whose parts Redis lost stores nothing.
 * - SHARED-BUNDLE-2. All copies together take at most `maxBytes`: the oldest are removed first. A larger bundle is
 *   not stored.
 * - SHARED-BUNDLE-3. No command carries more than `partBytes`, so that the renewal of the lease never waits for a
 *   bundle.
 * - SHARED-BUNDLE-4. A head that another one has succeeded stores and removes no copy, because the store's epoch is
 *   later than its own.
 */
import { randomBytes } from "node:crypto";
import { PalimpsestError } from "@palimpsest/wire";
import type { ChainableCommander, Redis } from "ioredis";
import type { Bundle } from "./bundle.js";
import { bundleScripts, runLua } from "./redis-scripts.js";
import { DeposedError } from "./store.js";

const partBytes = 1024 * 1024;
/** The seconds for which the parts of an interrupted upload stay. */
const unfinishedSeconds = 600;

/** Where bundles are stored besides the head's folder. */
export interface BundleShare {
  /** Stores a copy. Resolves to false when it is larger than the limit of all copies. */
  put(bundle: Bundle, chunks: AsyncIterable<Uint8Array>): Promise<boolean>;
  has(sha256: string): Promise<boolean>;
  /** Returns the copy's bytes; none if there is no copy. */
  read(sha256: string): AsyncIterable<Uint8Array>;
  remove(sha256: string): Promise<void>;
}

export interface SharedBundlesOptions {
  readonly clusterName: string;
  /** The maximum size of all copies together, in bytes. */
  readonly maxBytes: number;
  /** Returns the epoch of this head's leadership. */
  readonly epoch: () => number;
}

export class SharedBundles implements BundleShare {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #options: SharedBundlesOptions;

  constructor(redis: Redis, options: SharedBundlesOptions) {
    this.#redis = redis;
    // The braces put all keys of a cluster, including the epoch, into one slot, so that a script may access them
    // together.
    this.#prefix = `palimpsest:{${options.clusterName}}:head`;
    this.#options = options;
  }

  async put({ sha256, sizeBytes }: Bundle, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
    if (sizeBytes > this.#options.maxBytes) return false;
    // The epoch is checked before anything is sent, and again by the last step.
    if (Number(await this.#redis.get(this.#epochKey)) > this.#options.epoch()) throw deposed();
    await this.#makeRoom(sizeBytes);
    let parts = 0;
    const unfinished = `${this.#key(sha256)}:${randomBytes(6).toString("hex")}`;
    for await (const chunk of chunks) {
      for (let offset = 0; offset < chunk.byteLength; offset += partBytes) {
        const part = Buffer.from(chunk.subarray(offset, offset + partBytes));
        await execute(this.#redis.multi().rpush(unfinished, part).expire(unfinished, unfinishedSeconds));
        parts++;
      }
    }
    const answer = await this.#guarded(
      bundleScripts.store,
      sha256,
      [sizeBytes, Date.now(), parts],
      unfinished,
    );
    if (answer === "lost") {
      throw new PalimpsestError("UNAVAILABLE", `Redis lost parts of bundle ${sha256} while it was stored`, {
        retryable: true,
      });
    }
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
    await this.#guarded(bundleScripts.remove, sha256, []);
  }

  /** Runs a script under SHARED-BUNDLE-4. @throws {DeposedError} when another head leads */
  async #guarded(
    lua: string,
    sha256: string,
    args: readonly number[],
    unfinished = this.#key(sha256),
  ): Promise<unknown> {
    const keys = [this.#epochKey, this.#key(sha256), this.#key("sizes"), this.#key("times"), unfinished];
    const answer = await runLua(this.#redis, lua, keys, [this.#options.epoch(), sha256, ...args]);
    if (answer === "deposed") throw deposed();
    return answer;
  }

  async #makeRoom(sizeBytes: number): Promise<void> {
    const sizes = await this.#redis.hgetall(this.#key("sizes"));
    let totalBytes = Object.values(sizes).reduce((sum, size) => sum + Number(size), sizeBytes);
    for (const sha256 of await this.#redis.zrange(this.#key("times"), "0", "-1")) {
      if (totalBytes <= this.#options.maxBytes) return;
      totalBytes -= Number(sizes[sha256] ?? 0);
      await this.remove(sha256);
    }
  }

  get #epochKey(): string {
    return `${this.#prefix}:epoch`;
  }

  #key(part: string): string {
    return `${this.#prefix}:bundles:${part}`;
  }
}

/** @throws the first error among the answers, because exec() itself resolves with them */
async function execute(commands: ChainableCommander): Promise<void> {
  for (const [error] of (await commands.exec()) ?? []) if (error) throw error;
}

function deposed(): DeposedError {
  return new DeposedError("another head leads: this one stores and removes no copies of bundles");
}

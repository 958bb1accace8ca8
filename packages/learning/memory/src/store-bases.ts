import type { Embedder } from "./embedder.js";
import type { MemoryRecord } from "./records/index.js";
import { hashRecords, StoreBase } from "./store-base.js";

/*
 * Responsibility: keeps one base for all callers that start from equal records, however many copies of the records
 * there are.
 * Not responsible for: namespaces, and what becomes of them.
 * - STOREBASES-1. Callers with equal records, also at the same time, share one base; it is embedded once.
 * - STOREBASES-2. At most maxBases are kept; the least recently requested one is dropped first. Namespaces keep theirs alive.
 * - STOREBASES-3. An abort ends only the caller's wait, and not the work that others wait for.
 * - STOREBASES-4. A base that could not be created is not kept: the next caller tries again.
 */
export class StoreBases {
  readonly embedder: Embedder;
  readonly #maxBases: number;
  readonly #bases = new Map<string, Promise<StoreBase>>();
  readonly #hashes = new WeakMap<readonly MemoryRecord[], string>();

  constructor(embedder: Embedder, options: { readonly maxBases?: number } = {}) {
    this.embedder = embedder;
    this.#maxBases = options.maxBases ?? 64;
  }

  /** @throws {MemoryError} DUPLICATE_ID, EMBEDDER_FAILED */
  async baseOf(records: readonly MemoryRecord[], signal?: AbortSignal): Promise<StoreBase> {
    signal?.throwIfAborted();
    const hash = this.#hashes.get(records) ?? hashRecords(records);
    this.#hashes.set(records, hash);
    let base = this.#bases.get(hash);
    // Deleted and set again, it becomes the most recent.
    this.#bases.delete(hash);
    if (base === undefined) {
      base = StoreBase.of(records, this.embedder);
      const made = base;
      made.catch(() => {
        if (this.#bases.get(hash) === made) this.#bases.delete(hash);
      });
    }
    this.#bases.set(hash, base);
    for (const oldest of this.#bases.keys()) {
      if (this.#bases.size <= this.#maxBases) break;
      this.#bases.delete(oldest);
    }
    return await abortable(base, signal);
  }
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  return await new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

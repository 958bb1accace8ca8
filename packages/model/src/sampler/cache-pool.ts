/** What one request holds of the cache until it is released. */
export interface CacheLease {
  /** Where its tokens lie: pages in the order of tokens, shared ones first; in a table, its one slot. */
  readonly pages: readonly number[];
  /** Prompt tokens that others read, or are about to. */
  readonly sharedTokens: number;
  /** The slot that the shared tokens are copied from, where it is another than its own. */
  readonly source?: number;
}

/** Which part of a cache holds which tokens: a pool of pages (page-pool.ts) or a table of slots (slot-pool.ts). */
export interface CachePool {
  /** Room for a prompt and what may follow it, `length` tokens in all; undefined while there is none. */
  reserve(promptTokenIds: readonly number[], length: number): CacheLease | undefined;
  /** Whether the shared tokens are there: "pending" while another request reads them, "broken" where it gave up. */
  state(lease: CacheLease): "filled" | "pending" | "broken";
  /** The first `tokens` tokens of the lease's request are in the cache. */
  filled(lease: CacheLease, tokens: number): void;
  /** Gives the room back. @param tokenIds what it holds, prompt and sampled */
  release(lease: CacheLease, tokenIds: readonly number[]): void;
  /** Gives room back whose numbers are not to be trusted. @returns what has to be zeroed before others use it */
  discard(lease: CacheLease): readonly number[];
  /** Forgets everything. Nobody may hold a lease. */
  clear(): void;
}

/** Fewer shared tokens than this are read again, unless they are half of the prompt: reading over a past costs more. */
export const worthwhileTokens = 128;

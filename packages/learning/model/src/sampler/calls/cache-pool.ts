/** The part of the cache that one request owns until it is released. */
export interface CacheLease {
  /** Where its tokens are stored: pages in the order of tokens, shared ones first; with slots, its one slot. */
  readonly pages: readonly number[];
  /** Number of prompt tokens that other requests have read, or are about to read. */
  readonly sharedTokens: number;
  /** The slot that the shared tokens are copied from, if it is not its own. */
  readonly source?: number;
}

/** Tracks which part of a cache stores which tokens: a pool of pages (page-pool.ts) or a table of slots (slot-pool.ts). */
export interface CachePool {
  /** Reserves room for a prompt and its reply, `length` tokens in all; undefined while there is none. */
  reserve(promptTokenIds: readonly number[], length: number): CacheLease | undefined;
  /** State of the shared tokens: "pending" while another request reads them, "broken" if it gave up. */
  state(lease: CacheLease): "filled" | "pending" | "broken";
  /** Records that the first `tokens` tokens of the lease's request are in the cache. */
  filled(lease: CacheLease, tokens: number): void;
  /** Releases the room. @param tokenIds the tokens stored in it, prompt and sampled */
  release(lease: CacheLease, tokenIds: readonly number[]): void;
  /** Releases room whose values may not be finite. @returns what has to be zeroed before it is reused */
  discard(lease: CacheLease): readonly number[];
  /**
   * Forgets what is kept for later requests. Leases keep their room, of which nothing is kept when it is released; none of them may
   * be waiting for tokens that another reads.
   */
  clear(): void;
}

/** Fewer shared tokens than this are read again, unless they are half of the prompt, because reading over a past costs more. */
export const worthwhileTokens = 128;

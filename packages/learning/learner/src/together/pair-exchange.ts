import type { Peers } from "./peers.js";

/** Number of values in one chunk, over all its slices: 4 MiB. */
const CHUNK_VALUES = 2 ** 20;
/** Number of chunks in flight, so that one travels while another is summed. */
const CHUNKS_AT_ONCE = 2;

/**
 * Exchanges values with another rank under the same tag. Both ranks must call it with the same tags; it waits for the other rank,
 * up to a deadline.
 */
export type Swap = <Value>(rank: number, tag: string, value: Value) => Promise<Value>;

/** Totals of all exchanges so far. */
export interface ExchangeStats {
  /** Bytes of gradients and state sent to all other ranks, without small values. */
  readonly sentBytes: number;
  /** Includes waiting for others. */
  readonly seconds: number;
}

/**
 * Sums and gathers through pairwise exchanges. Each chunk has a slice for each rank: that rank receives all ranks' parts of the
 * slice, adds them up in the order of ranks and sends the sum to all. All ranks thus get the same bits, and each sends and receives
 * 2 · (size − 1) / size times the values, however many ranks there are.
 */
export class PairExchange implements Peers {
  readonly rank: number;
  readonly size: number;
  readonly #swap: Swap;
  readonly #chunkValues: number;
  #calls = 0;
  #sentBytes = 0;
  #seconds = 0;

  constructor(rank: number, size: number, swap: Swap, options: { readonly chunkValues?: number } = {}) {
    this.rank = rank;
    this.size = size;
    this.#swap = swap;
    this.#chunkValues = options.chunkValues ?? CHUNK_VALUES;
  }

  get stats(): ExchangeStats {
    return { sentBytes: this.#sentBytes, seconds: this.#seconds };
  }

  async allGather<Value>(value: Value): Promise<readonly Value[]> {
    const tag = `gather ${this.#calls++}`;
    return await this.#timed(() => this.#withEach((rank) => this.#swap(rank, tag, value), value));
  }

  async allReduce(values: Float32Array): Promise<void> {
    const tag = `sum ${this.#calls++}`;
    const starts: number[] = [];
    for (let start = 0; start < values.length; start += this.#chunkValues) starts.push(start);
    const reduceNext = async (): Promise<void> => {
      for (let start = starts.shift(); start !== undefined; start = starts.shift())
        await this.#reduceChunk(values.subarray(start, start + this.#chunkValues), `${tag} at ${start}`);
    };
    await this.#timed(() => Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, reduceNext)));
  }

  async #reduceChunk(chunk: Float32Array, tag: string): Promise<void> {
    const sliceOf = (rank: number) =>
      [
        Math.floor((rank * chunk.length) / this.size),
        Math.floor(((rank + 1) * chunk.length) / this.size),
      ] as const;
    const own = chunk.slice(...sliceOf(this.rank));
    const parts = await this.#withEach(
      (rank) => this.#send(rank, `${tag}, parts`, chunk.slice(...sliceOf(rank))),
      own,
    );
    const sum = new Float32Array(own.length);
    for (const [rank, part] of parts.entries()) {
      if (part.length !== own.length)
        throw new Error(`rank ${rank} sent ${part.length} values, but rank ${this.rank} has ${own.length}`);
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (part[i] as number);
    }
    const sums = await this.#withEach((rank) => this.#send(rank, `${tag}, sums`, sum), sum);
    for (const [rank, values] of sums.entries()) chunk.set(values, sliceOf(rank)[0]);
  }

  async #send(rank: number, tag: string, values: Float32Array): Promise<Float32Array> {
    this.#sentBytes += values.byteLength;
    return await this.#swap(rank, tag, values);
  }

  /** Returns values by rank: `others` for each other rank, and `own`. */
  async #withEach<Value>(others: (rank: number) => Promise<Value>, own: Value): Promise<Value[]> {
    return await Promise.all(
      Array.from({ length: this.size }, (_, rank) => (rank === this.rank ? own : others(rank))),
    );
  }

  async #timed<Value>(work: () => Promise<Value>): Promise<Value> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#seconds += (performance.now() - startedAt) / 1000;
    }
  }
}

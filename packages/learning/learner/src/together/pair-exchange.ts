import { sumFloats, sumHalves } from "./host-sums.js";
import type { Peers, RankLinks } from "./peers.js";

/** Number of bytes that travel at once between two ranks: 2 MiB, which stay in a processor's cache while they are summed. */
const SLICE_BYTES = 2 ** 21;
/** Number of chunks in flight for each call, so that some travel while others are summed. */
const CHUNKS_AT_ONCE = 4;

/**
 * Exchanges small values with another rank under the same tag. Both ranks must call it with the same tags; it waits for the other
 * rank, up to a deadline.
 */
export type Swap = <Value>(rank: number, tag: string, value: Value) => Promise<Value>;

/** Totals of all exchanges so far. */
export interface ExchangeStats {
  /** Bytes of gradients and state sent to all other ranks, without small values. */
  readonly sentBytes: number;
  /** Includes waiting for others. */
  readonly seconds: number;
}

type Values = Float32Array | Uint16Array;

/**
 * Sums and gathers directly between any two ranks. A chunk has a slice for each rank: that rank receives all ranks' parts of the slice,
 * adds them up in the order of ranks and sends the sum to all. All ranks thus get the same bits, and each sends and receives
 * 2 · (size − 1) / size times the values, however many ranks there are, as in a ring. In a ring a sum would pass through all ranks one
 * after another, and be rounded to bfloat16 by each.
 */
export class PairExchange implements Peers {
  readonly rank: number;
  readonly size: number;
  readonly #swap: Swap;
  readonly #links: RankLinks;
  readonly #sliceBytes: number;
  /** Buffers of slices that are not in use. */
  readonly #free: ArrayBuffer[] = [];
  #calls = 0;
  #sentBytes = 0;
  #seconds = 0;
  #running = 0;
  #startedAt = 0;

  constructor(
    rank: number,
    size: number,
    ways: { readonly swap: Swap; readonly links: RankLinks },
    options: { readonly sliceBytes?: number } = {},
  ) {
    this.rank = rank;
    this.size = size;
    this.#swap = ways.swap;
    this.#links = ways.links;
    this.#sliceBytes = options.sliceBytes ?? SLICE_BYTES;
  }

  get stats(): ExchangeStats {
    return { sentBytes: this.#sentBytes, seconds: this.#seconds };
  }

  async allGather<Value>(value: Value): Promise<readonly Value[]> {
    const tag = `gather ${this.#calls++}`;
    const ofOthers = (rank: number) => (rank === this.rank ? value : this.#swap(rank, tag, value));
    return await this.#timed(() => Promise.all(this.#ranks().map(ofOthers)));
  }

  async allReduce(values: Values): Promise<void> {
    const call = this.#calls++;
    const chunk = (this.size * this.#sliceBytes) / values.BYTES_PER_ELEMENT;
    await this.#inChunks(values.length, chunk, async (start) => {
      await this.#reduceChunk(values.subarray(start, start + chunk), `${call} ${start}`);
    });
  }

  /** The values pass from each rank to the next, so that rank 0 sends them once. */
  async broadcast(values: Float32Array): Promise<void> {
    const call = this.#calls++;
    const chunk = this.#sliceBytes / values.BYTES_PER_ELEMENT;
    await this.#inChunks(values.length, chunk, async (start) => {
      const bytes = bytesOf(values.subarray(start, start + chunk));
      const name = `${call} ${start}`;
      if (this.rank > 0) await this.#links.take(this.rank - 1, name, bytes);
      if (this.rank < this.size - 1) await this.#give(this.rank + 1, name, bytes);
    });
  }

  async #inChunks(length: number, chunk: number, work: (start: number) => Promise<void>): Promise<void> {
    let next = 0;
    const workNext = async (): Promise<void> => {
      while (next < length) {
        const start = next;
        next += chunk;
        await work(start);
      }
    };
    await this.#timed(() => Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, workNext)));
  }

  async #reduceChunk(chunk: Values, name: string): Promise<void> {
    const slices = this.#ranks().map((rank) =>
      chunk.subarray(
        Math.floor((rank * chunk.length) / this.size),
        Math.floor(((rank + 1) * chunk.length) / this.size),
      ),
    );
    const own = slices[this.rank] as Values;
    const others = this.#ranks().filter((rank) => rank !== this.rank);
    const given = others.map((rank) => this.#give(rank, `${name} p`, bytesOf(slices[rank] as Values)));
    const parts = this.#ranks().map((rank) => (rank === this.rank ? own : this.#bufferLike(own)));
    const taken = others.map((rank) => this.#take(rank, `${name} p`, parts[rank] as Values));
    await allOf([...given, ...taken]);
    sumInto(parts, own);
    for (const part of parts) if (part !== own) this.#free.push(part.buffer as ArrayBuffer);
    await allOf([
      ...others.map((rank) => this.#give(rank, `${name} s`, bytesOf(own))),
      // The other rank has had this one's part of the slice, or it could not have summed it.
      ...others.map((rank) => this.#take(rank, `${name} s`, slices[rank] as Values)),
    ]);
  }

  #bufferLike(values: Values): Values {
    const buffer = this.#free.pop() ?? new ArrayBuffer(this.#sliceBytes + 8);
    return values instanceof Float32Array
      ? new Float32Array(buffer, 0, values.length)
      : new Uint16Array(buffer, 0, values.length);
  }

  async #give(rank: number, name: string, bytes: Uint8Array): Promise<void> {
    this.#sentBytes += bytes.byteLength;
    if (bytes.byteLength > 0) await this.#links.give(rank, name, bytes);
  }

  async #take(rank: number, name: string, into: Values): Promise<void> {
    if (into.length > 0) await this.#links.take(rank, name, bytesOf(into));
  }

  #ranks(): number[] {
    return Array.from({ length: this.size }, (_, rank) => rank);
  }

  /** Counts the time in which any exchange runs. */
  async #timed<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running++ === 0) this.#startedAt = performance.now();
    try {
      return await work();
    } finally {
      if (--this.#running === 0) this.#seconds += (performance.now() - this.#startedAt) / 1000;
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Values): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function sumInto(parts: readonly Values[], into: Values): void {
  if (into instanceof Uint16Array) sumHalves(parts as readonly Uint16Array[], into);
  else sumFloats(parts as readonly Float32Array[], into);
}

/** Waits for all that have begun, so that none of them uses memory after this. @throws the first error */
async function allOf(promises: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(promises);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

import { sumFloats, sumHalves } from "./host-sums.js";
import type { ExchangeLane, RankLinks, Values } from "./peers.js";

/** Number of bytes that travel at once between two ranks: 2 MiB, which stay in a processor's cache while they are summed. */
export const SLICE_BYTES = 2 ** 21;
/** Number of chunks in flight for each call, so that some travel while others are summed. */
const CHUNKS_AT_ONCE = 4;

/**
 * Sums and passes values directly between any two ranks. A chunk has a slice for each rank: that rank receives all ranks' parts of the
 * slice, adds them up in the order of ranks and sends the sum to all. All ranks thus get the same bits, and each sends and receives
 * 2 · (size − 1) / size times the values, however many ranks there are, as in a ring. In a ring a sum would pass through all ranks one
 * after another, and be rounded to bfloat16 by each.
 */
export class PairSums implements ExchangeLane {
  readonly #rank: number;
  readonly #size: number;
  readonly #links: RankLinks;
  readonly #sliceBytes: number;
  /** Buffers of slices that are not in use. */
  readonly #free: ArrayBuffer[] = [];
  #sentBytes = 0;

  constructor(
    rank: number,
    size: number,
    links: RankLinks,
    options: { readonly sliceBytes?: number | undefined } = {},
  ) {
    this.#rank = rank;
    this.#size = size;
    this.#links = links;
    this.#sliceBytes = options.sliceBytes ?? SLICE_BYTES;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  async sum(call: number, values: Values): Promise<void> {
    const chunk = (this.#size * this.#sliceBytes) / values.BYTES_PER_ELEMENT;
    await this.#inChunks(values.length, chunk, async (start) => {
      await this.#reduceChunk(values.subarray(start, start + chunk), `${call} ${start}`);
    });
  }

  /** The values pass from each rank to the next, so that rank 0 sends them once. */
  async pass(call: number, values: Values): Promise<void> {
    const chunk = this.#sliceBytes / values.BYTES_PER_ELEMENT;
    await this.#inChunks(values.length, chunk, async (start) => {
      const bytes = bytesOf(values.subarray(start, start + chunk));
      const name = `${call} ${start}`;
      if (this.#rank > 0) await this.#links.take(this.#rank - 1, name, bytes);
      if (this.#rank < this.#size - 1) await this.#give(this.#rank + 1, name, bytes);
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
    await Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, workNext));
  }

  async #reduceChunk(chunk: Values, name: string): Promise<void> {
    const slices = this.#ranks().map((rank) =>
      chunk.subarray(
        Math.floor((rank * chunk.length) / this.#size),
        Math.floor(((rank + 1) * chunk.length) / this.#size),
      ),
    );
    const own = slices[this.#rank] as Values;
    const others = this.#ranks().filter((rank) => rank !== this.#rank);
    const given = others.map((rank) => this.#give(rank, `${name} p`, bytesOf(slices[rank] as Values)));
    const parts = this.#ranks().map((rank) => (rank === this.#rank ? own : this.#bufferLike(own)));
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
    return Array.from({ length: this.#size }, (_, rank) => rank);
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

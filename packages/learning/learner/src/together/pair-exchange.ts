import { SLICE_BYTES } from "./pair-sums.js";
import type { ExchangeLane, Peers, Values } from "./peers.js";

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

/**
 * Exchanges values in lanes, each of which has a part of every call, as threads do: the same part on all ranks. Values that fit into one
 * slice go through one lane, and the lanes take turns.
 */
export class PairExchange implements Peers {
  readonly rank: number;
  readonly size: number;
  readonly #swap: Swap;
  readonly #lanes: readonly ExchangeLane[];
  readonly #sliceBytes: number;
  #calls = 0;
  #seconds = 0;
  #running = 0;
  #startedAt = 0;

  /** @param ways as many lanes on every rank */
  constructor(
    rank: number,
    size: number,
    ways: { readonly swap: Swap; readonly lanes: readonly ExchangeLane[] },
    options: { readonly sliceBytes?: number | undefined } = {},
  ) {
    this.rank = rank;
    this.size = size;
    this.#swap = ways.swap;
    this.#lanes = ways.lanes;
    this.#sliceBytes = options.sliceBytes ?? SLICE_BYTES;
  }

  get stats(): ExchangeStats {
    const sentBytes = this.#lanes.reduce((sum, lane) => sum + lane.sentBytes, 0);
    return { sentBytes, seconds: this.#seconds };
  }

  async allGather<Value>(value: Value): Promise<readonly Value[]> {
    const tag = `gather ${this.#calls++}`;
    const ranks = Array.from({ length: this.size }, (_, rank) => rank);
    const ofOthers = (rank: number) => (rank === this.rank ? value : this.#swap(rank, tag, value));
    return await this.#timed(() => Promise.all(ranks.map(ofOthers)));
  }

  async allReduce(values: Values): Promise<void> {
    await this.#inLanes(values, (lane, call, part) => lane.sum(call, part));
  }

  async broadcast(values: Float32Array): Promise<void> {
    await this.#inLanes(values, (lane, call, part) => lane.pass(call, part));
  }

  async #inLanes(
    values: Values,
    work: (lane: ExchangeLane, call: number, part: Values) => Promise<void>,
  ): Promise<void> {
    const call = this.#calls++;
    const count = Math.min(this.#lanes.length, Math.ceil(values.byteLength / this.#sliceBytes));
    const at = (part: number) => Math.floor((part * values.length) / count);
    const parts = Array.from({ length: count }, (_, part) => {
      const lane = this.#lanes[(call + part) % this.#lanes.length] as ExchangeLane;
      return () => work(lane, call, values.subarray(at(part), at(part + 1)));
    });
    await this.#timed(() => Promise.all(parts.map((part) => part())));
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

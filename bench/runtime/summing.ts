import type { ActorHandle } from "@palimpsest/client";
import { PairExchange } from "../../packages/learning/learner/src/together/pair-exchange.js";
import { SwapBox } from "../../packages/learning/learner/src/together/swap-box.js";

const timeoutMs = 300_000;

/** A rank of data-parallel learners without a model: it sums arrays in place of gradients, as `LearnerRank` does. */
export class Summing {
  readonly #rank: number;
  readonly #box = new SwapBox(timeoutMs);
  readonly #peers: PairExchange;
  #others: readonly ActorHandle<Summing>[] = [];

  constructor(rank: number, size: number) {
    this.#rank = rank;
    this.#peers = new PairExchange(rank, size, async (other, tag, value) => {
      if (other < this.#rank) return (await this.#box.give(other, tag, value)) as typeof value;
      const handle = this.#others[other] as ActorHandle<Summing>;
      return (await handle.with({ timeoutMs, retries: 0 }).swap(this.#rank, tag, value)) as typeof value;
    });
  }

  /** @param others all ranks, in order */
  join(others: readonly ActorHandle<Summing>[]): void {
    this.#others = others;
  }

  async swap(rank: number, tag: string, value: unknown): Promise<unknown> {
    return await this.#box.bring(rank, tag, value);
  }

  /** @returns the seconds of each round */
  async sum(values: number, rounds: number): Promise<number[]> {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const gradients = new Float32Array(values).fill(this.#rank + 1);
      const startedAt = performance.now();
      await this.#peers.allReduce(gradients);
      seconds.push((performance.now() - startedAt) / 1000);
    }
    return seconds;
  }
}

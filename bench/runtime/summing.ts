import type { ActorContext, ActorHandle } from "@palimpsest/client";
import { PairExchange } from "../../packages/learning/learner/src/together/pair-exchange.js";
import { SwapBox } from "../../packages/learning/learner/src/together/swap-box.js";
import { RankBulk } from "../../packages/learning/trainer/src/actors/rank-bulk.js";

const timeoutMs = 300_000;

export interface Round {
  readonly seconds: number;
  readonly sentBytes: number;
  readonly cpuSeconds: number;
}

/** A rank of data-parallel learners without a model: it sums arrays in place of gradients, as `LearnerRank` does. */
export class Summing {
  readonly #rank: number;
  readonly #box = new SwapBox(timeoutMs);
  readonly #links: RankBulk;
  readonly #peers: PairExchange;
  #others: readonly ActorHandle<Summing>[] = [];
  #address = "";

  constructor(rank: number, size: number) {
    this.#rank = rank;
    this.#links = new RankBulk(rank, timeoutMs);
    const swap = async <Value>(other: number, tag: string, value: Value) => {
      if (other < this.#rank) return (await this.#box.give(other, tag, value)) as Value;
      const handle = this.#others[other] as ActorHandle<Summing>;
      return (await handle.with({ timeoutMs, retries: 0 }).swap(this.#rank, tag, value)) as Value;
    };
    this.#peers = new PairExchange(rank, size, { swap, links: this.#links });
  }

  async start(context: ActorContext): Promise<void> {
    this.#address = await this.#links.serve(context.bulk);
  }

  address(): string {
    return this.#address;
  }

  /** @param others all ranks, in order */
  join(others: readonly ActorHandle<Summing>[], addresses: readonly string[]): void {
    this.#others = others;
    this.#links.join(addresses);
  }

  async swap(rank: number, tag: string, value: unknown): Promise<unknown> {
    return await this.#box.bring(rank, tag, value);
  }

  async sum(sizeBytes: number, type: "float32" | "bfloat16", rounds: number): Promise<Round[]> {
    const done: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      // Blocks as a learner exchanges them.
      const all = new ArrayBuffer(sizeBytes);
      const blocks: (Float32Array | Uint16Array)[] = [];
      for (let at = 0; at < sizeBytes; at += 2 ** 26) {
        const bytes = Math.min(2 ** 26, sizeBytes - at);
        blocks.push(
          type === "float32" ? new Float32Array(all, at, bytes / 4) : new Uint16Array(all, at, bytes / 2),
        );
      }
      for (const block of blocks) block.fill(type === "float32" ? this.#rank + 1 : 0x3f80);
      // All ranks begin together.
      await this.#peers.allGather(round);
      const before = { cpu: process.cpuUsage(), sent: this.#peers.stats.sentBytes, at: performance.now() };
      let earlier: Promise<void> = Promise.resolve();
      for (const block of blocks) {
        const own = this.#peers.allReduce(block);
        await earlier;
        earlier = own;
      }
      await earlier;
      const seconds = (performance.now() - before.at) / 1000;
      const { user, system } = process.cpuUsage(before.cpu);
      const sentBytes = this.#peers.stats.sentBytes - before.sent;
      done.push({ seconds, sentBytes, cpuSeconds: (user + system) / 1e6 });
    }
    return done;
  }
}

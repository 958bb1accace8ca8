import type { ActorContext, ActorHandle } from "@palimpsest/client";
import { loadBackend } from "@palimpsest/jit";
import { type Checkpoint, createLearner, type Learner, PairExchange, SwapBox } from "@palimpsest/learner";
import { initParameters } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { type RankAddress, RankThreads } from "@palimpsest/trainer/actors";

const timeoutMs = 300_000;
const model = smallConfig({ layers: 1 });
/** Nine rows of different lengths, of which a micro-batch has one. */
const rows = Array.from({ length: 9 }, (_, row) => {
  const tokenIds = Array.from({ length: 5 + (row % 5) }, (_, at) => (7 * row + 3 * at * at) % 16);
  return { tokenIds, lossMask: tokenIds.map((_, at) => (at > 1 ? 1 : 0)) };
});

interface HostOptions {
  readonly replicas: number;
  readonly optimizerState: "whole" | "sharded";
  readonly checkpoint?: Checkpoint;
}

/** A learner of one host, as `LearnerRank` is, with several replicas, which share a CPU here. With one rank it trains alone. */
export class HostLearner {
  readonly #rank: number;
  readonly #size: number;
  readonly #options: HostOptions;
  readonly #box = new SwapBox(timeoutMs);
  readonly #threads: RankThreads;
  #others: readonly ActorHandle<HostLearner>[] = [];
  #address: RankAddress = [];
  #learner!: Learner;

  constructor(rank: number, size: number, options: HostOptions) {
    this.#rank = rank;
    this.#size = size;
    this.#options = options;
    this.#threads = new RankThreads(rank, size, timeoutMs, 2);
  }

  async start(context: ActorContext): Promise<void> {
    this.#address = await this.#threads.serve(context.bulk);
    const { replicas, optimizerState, checkpoint } = this.#options;
    const swap = async <Value>(other: number, tag: string, value: Value) => {
      if (other < this.#rank) return (await this.#box.give(other, tag, value)) as Value;
      const handle = this.#others[other] as ActorHandle<HostLearner>;
      return (await handle.with({ timeoutMs, retries: 0 }).swap(this.#rank, tag, value)) as Value;
    };
    this.#learner = createLearner({
      backend: await loadBackend({ prefer: "tensorflow", threads: 1 }),
      config: {
        preset: "verl",
        schedule: { learningRate: 1e-2 },
        optimizer: { epsilon: 1e-3 },
        precision: "float32",
        buckets: [{ rows: 1, length: 12 }],
        replicas,
        memory: { optimizerState },
      },
      model,
      parameters: initParameters(model, 1, { projectionStd: 0.2, headStd: 0.2 }),
      objectives: ["supervised"],
      mode: "xla",
      ...(checkpoint ? { checkpoint } : {}),
      ...(this.#size === 1
        ? {}
        : { peers: new PairExchange(this.#rank, this.#size, { swap, lanes: this.#threads.lanes }) }),
    });
  }

  address(): RankAddress {
    return this.#address;
  }

  pid(): number {
    return process.pid;
  }

  async join(others: readonly ActorHandle<HostLearner>[], addresses: readonly RankAddress[]): Promise<void> {
    this.#others = others;
    this.#threads.join(addresses);
    await this.#learner.shareState();
  }

  async swap(rank: number, tag: string, value: unknown): Promise<unknown> {
    return await this.#box.bring(rank, tag, value);
  }

  stepsDone(): number {
    return this.#learner.step;
  }

  /** @returns the losses */
  async train(steps: number): Promise<number[]> {
    const losses: number[] = [];
    for (let step = 0; step < steps; step++) losses.push((await this.#learner.sft(rows)).loss);
    return losses;
  }

  weightsHash(): string {
    return this.#learner.weightsHash();
  }

  checkpoint(): Checkpoint {
    return this.#learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
  }
}

/**
 * Responsibility: a learner that trains a run's model together with the run's learner actor and others of its kind, on another lease.
 * Not responsible for: the run's groups, checkpoints and publication. The learner actor (rank 0) is responsible for
 *   these. It owns this actor, which ends with it and keeps nothing that would have to survive.
 */

import type { ActorContext, ActorHandle } from "@palimpsest/client";
import { type Backend, loadBackend } from "@palimpsest/jit";
import { createLearner, type Learner, PairExchange, SwapBox } from "@palimpsest/learner";
import { withDeadline } from "@palimpsest/std";
import { decodeStepDump } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { LoadedModules } from "../modules/load-module.js";
import { fetchModules } from "../modules/recipe-modules.js";
import { exchangeThreads, learnerSettings, publishedType } from "../parts/learner-settings.js";
import { checkFitsGpu } from "../plan/plan-gpu.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { type ProcessMemory, processMemory } from "../records/process-memory.js";
import type { RunSpec } from "../records/run-spec.js";
import { fetchFloats } from "../weights/weights.js";
import { type RankAddress, RankThreads } from "./rank-threads.js";

/** A rank's policy version and optimizer step after an update. */
export interface RankState {
  readonly policyVersion: number;
  readonly optimizerStep: number;
}

/** The parts of its context that a rank uses. */
type RankContext = Pick<ActorContext, "signal"> & {
  readonly bulk: Pick<ActorContext["bulk"], "lend">;
  readonly logger: Pick<ActorContext["logger"], "warn">;
  readonly objects: Parameters<typeof fetchModules>[0] & Parameters<typeof fetchFloats>[0];
};

/** One of several learner actors that train one model together. */
export class LearnerRank {
  readonly #spec: RunSpec;
  readonly #rank: number;
  readonly #box: SwapBox;
  readonly #threads: RankThreads;
  readonly #abort = new AbortController();
  #others: readonly ActorHandle<LearnerRank>[] = [];
  #backend!: Backend;
  #learner!: Learner;
  #context!: RankContext;
  #advantage: LoadedModules["advantage"];
  #address: RankAddress = [];

  constructor(spec: RunSpec, rank: number) {
    this.#spec = spec;
    this.#rank = rank;
    const { train, learnerActors, learnerThreads } = spec.recipe;
    this.#box = new SwapBox(train.stopWhenStuckMs);
    const threads = exchangeThreads(learnerThreads);
    this.#threads = new RankThreads(rank, learnerActors, train.stopWhenStuckMs, threads);
  }

  async start(context: RankContext): Promise<void> {
    const { recipe, model, modules } = this.#spec;
    this.#context = context;
    this.#address = await this.#threads.serve(context.bulk);
    const backend = await loadBackend({
      threads: recipe.learnerThreads,
      device: recipe.learnerGpus > 0 ? "gpu" : "auto",
      deterministic: recipe.learner.deterministic ?? false,
    });
    this.#backend = backend;
    if (backend.gpuUnused !== undefined) context.logger.warn(backend.gpuUnused);
    checkFitsGpu(recipe, model, backend.gpuMemoryBytes);
    this.#advantage = (await fetchModules(context.objects, modules, ["advantage"])).advantage;
    this.#learner = await this.#created(recipe.learner.precision);
  }

  async #created(precision: Recipe["learner"]["precision"]): Promise<Learner> {
    const { recipe, model, initialWeights } = this.#spec;
    const advantage = this.#advantage;
    return createLearner({
      backend: this.#backend,
      config: { ...learnerSettings(recipe), precision },
      model,
      parameters: await fetchFloats(this.#context.objects, proto.WeightManifest.decode(initialWeights)),
      publishedType: publishedType(recipe),
      objectives: ["policy"],
      peers: new PairExchange(this.#rank, recipe.learnerActors, {
        swap: this.#swap,
        lanes: this.#threads.lanes,
      }),
      ...(advantage ? { advantage } : {}),
    });
  }

  async stop(): Promise<void> {
    this.#fail(new PalimpsestError("ACTOR_UNAVAILABLE", `the learner of rank ${this.#rank} is stopping`));
    await this.#threads.close();
  }

  /** Returns where the other ranks read this one's gradients. */
  address(): RankAddress {
    return this.#address;
  }

  /**
   * @param others all ranks from 1 on, in their order
   * @param addresses those of all ranks
   * @param precision rank 0's, with which all ranks compute: a trial on this rank's machine may have chosen another, and a checkpoint
   *   names only one
   * @returns the precision of this rank's learner
   */
  async join(
    others: readonly ActorHandle<LearnerRank>[],
    addresses: readonly RankAddress[],
    precision: Learner["config"]["precision"],
  ): Promise<Learner["config"]["precision"]> {
    this.#others = others;
    this.#threads.join(addresses);
    if (this.#learner.config.precision !== precision) {
      this.#learner.close();
      this.#learner = await this.#created(precision);
    }
    return this.#learner.config.precision;
  }

  /** Called by a lower rank: takes its value, and returns this rank's value of the same tag. */
  async swap(rank: number, tag: string, value: unknown): Promise<unknown> {
    return await this.#box.bring(rank, tag, value);
  }

  /** Copies the state of rank 0. */
  async shareState(): Promise<RankState> {
    return await this.#together(() => this.#learner.shareState());
  }

  /** @param dump the step's dump, as in the log of steps */
  async update(dump: Uint8Array): Promise<RankState> {
    const { groups, shuffleRewards } = decodeStepDump(dump);
    return await withDeadline({ signals: [this.#context.signal, this.#abort.signal] }, (signal) =>
      this.#together(() => this.#learner.update(groups, { shuffleRewards, signal })),
    );
  }

  weightsHash(): string {
    return this.#learner.weightsHash();
  }

  /** Returns the peak memory of this process and its GPU. */
  memory(): ProcessMemory {
    return processMemory(this.#backend);
  }

  async #together(work: () => Promise<unknown>): Promise<RankState> {
    try {
      await work();
    } catch (reason) {
      // Ranks that wait for this one fail at once instead of at their deadline.
      this.#fail(reason);
      throw reason;
    }
    return { policyVersion: this.#learner.policyVersion, optimizerStep: this.#learner.step };
  }

  #fail(reason: unknown): void {
    this.#box.fail(reason);
    this.#threads.fail(reason);
    this.#abort.abort(reason);
  }

  /** Exchanges a value with another rank. Of the two, the lower rank calls the higher one. */
  readonly #swap = async <Value>(rank: number, tag: string, value: Value): Promise<Value> => {
    if (rank < this.#rank) return (await this.#box.give(rank, tag, value)) as Value;
    const other = this.#others[rank - 1];
    if (other === undefined) throw new PalimpsestError("INTERNAL", `rank ${rank} has not joined`);
    const timeoutMs = this.#spec.recipe.train.stopWhenStuckMs;
    const call = other.with({ timeoutMs, retries: 0, signal: this.#abort.signal });
    return (await call.swap(this.#rank, tag, value)) as Value;
  };
}

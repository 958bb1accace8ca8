import type { ActorContext } from "@palimpsest/client";
import type { BpeTokenizer } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { type EngineSettings, mustComeUp } from "../recipe/engine-settings.js";
import type { RunSpec } from "../records/run-spec.js";
import { EngineIntake } from "./engine-intake.js";
import { EngineSampler, isAiling, isAway } from "./engine-sampler.js";
import type { LayeredPolicy } from "./own-sampler.js";

/** The fields of the first policy that it uses. */
type FirstPolicy = Pick<LayeredPolicy, "parameters"> & {
  /** Absent where they are merged into the parameters. */
  readonly adapters?: LayeredPolicy["adapters"];
  readonly manifest: Pick<LayeredPolicy["manifest"], "policyVersion" | "weightsHash">;
};

/** The parts of its actor that it uses. */
type Living = Pick<ActorContext, "environment" | "logger" | "signal">;

/** The engine of one rollout actor: its sampler, and the episodes that it runs. */
export class RolloutEngine {
  readonly sampler: EngineSampler;
  readonly #settings: EngineSettings;
  readonly #context: Living;
  #intake: EngineIntake | undefined;

  private constructor(sampler: EngineSampler, settings: EngineSettings, context: Living) {
    this.sampler = sampler;
    this.#settings = settings;
    this.#context = context;
  }

  static async open(
    engine: EngineSettings,
    place: number,
    { runId, model: config, recipe }: Pick<RunSpec, "runId" | "model" | "recipe">,
    { tokenizer, context }: { readonly tokenizer: BpeTokenizer; readonly context: Living },
  ): Promise<RolloutEngine> {
    const { environment, logger, signal } = context;
    const { temperature } = recipe.rollout;
    // The recipe's check has refused what only our own sampler does.
    const weightUpdates = recipe.rollout.weightUpdates === "in-flight" ? ("in-flight" as const) : undefined;
    const model = { config, tokenizer, lora: recipe.learner.lora ?? undefined };
    const options = { engine, temperature, weightUpdates, place, runId, model, environment, logger, signal };
    return new RolloutEngine(await EngineSampler.open(options), engine, context);
  }

  /**
   * Gives the engine its first weights and takes episodes while it is up.
   * @throws {EngineError} if an engine that the run cannot do without is not up
   */
  async follow(
    open: () => Promise<{ close(): Promise<void> }>,
    first: () => Promise<FirstPolicy>,
  ): Promise<void> {
    const { logger, signal } = this.#context;
    const { sampler } = this;
    const intake = new EngineIntake({ open, back: (living) => sampler.back(living), logger, signal });
    this.#intake = intake;
    try {
      await intake.start(async () => {
        const { manifest, parameters, adapters } = await first();
        const { policyVersion, weightsHash } = manifest;
        await sampler.setWeights(parameters, policyVersion, weightsHash);
        await (adapters && sampler.setAdapters?.(adapters, policyVersion, weightsHash));
      }, mustComeUp(this.#settings));
    } catch (reason) {
      // An actor whose start fails is not stopped, so its weights would stay on disk.
      await sampler.close();
      throw reason;
    }
  }

  /** Runs one episode of the queue. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const sampled = () => this.sampler.under(work);
    return this.#intake === undefined ? await sampled() : await this.#intake.run(sampled, signal);
  }

  /** Runs a request that is for this engine only. @throws {PalimpsestError} UNAVAILABLE, retryable: another engine may do it */
  async ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.sampler.under(work);
    } catch (reason) {
      if (!isAway(reason) && !isAiling(reason)) throw reason;
      this.#intake?.leave(reason);
      throw new PalimpsestError("UNAVAILABLE", (reason as Error).message, { cause: reason });
    }
  }
}

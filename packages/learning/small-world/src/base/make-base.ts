/**
 * Responsibility: creates a base model from nothing: a tokenizer, random weights, and the stages that teach the model
 * to copy, to look names up and to follow the agent's prompts. Which of this is rewarded it does not learn here.
 * Not responsible for: reinforcement learning, printing.
 *
 * BASE-1. The same recipe, seed, backend and number of threads give the same base.
 * BASE-2. The folder appears complete at the end, or not at all.
 */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { createLearner, warmStart } from "@palimpsest/learner";
import {
  hashWeights,
  initParameters,
  type ModelConfig,
  parseModelConfig,
  saveModel,
} from "@palimpsest/model";
import type { BaseRecipe } from "./base-recipe.js";
import { formatStage, recallStage, rememberingTokenizer, repeatStage, type StageRows } from "./base-rows.js";
import { textIds, trainBaseTokenizer } from "./base-tokenizer.js";

const baseStages = ["repeat", "recall", "format"] as const;
type BaseStage = (typeof baseStages)[number];

export interface BaseProgress {
  readonly stage: BaseStage;
  /** The number of optimizer steps done in this stage, out of `steps`. */
  readonly step: number;
  readonly steps: number;
  /** The mean loss over the trained tokens of the step, nats. */
  readonly loss: number;
  readonly tokensPerSecond: number;
  /** The time left for all stages at the average speed so far; NaN at the first step. */
  readonly secondsLeft: number;
}

export interface MakeBaseOptions {
  readonly recipe: BaseRecipe;
  /** The folder of the model; an existing one is replaced. */
  readonly outDir: string;
  /** Replaces the recipe's seed. */
  readonly seed?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BaseProgress) => void;
}

export interface MadeBase {
  readonly outDir: string;
  readonly model: ModelConfig;
  readonly weightsHash: string;
  readonly seconds: number;
}

/** Creates the base model of a recipe and saves it. @throws {PalimpsestError} CONFIG_INVALID; the signal's reason */
export async function makeBaseModel(options: MakeBaseOptions): Promise<MadeBase> {
  const { recipe, outDir, seed = recipe.seed, signal } = options;
  signal.throwIfAborted();
  const startedAt = performance.now();
  const bpe = trainBaseTokenizer(recipe);
  const tokenizer = rememberingTokenizer(bpe);
  const { projectionStd, ...shape } = recipe.model;
  const model = parseModelConfig({
    ...shape,
    architecture: "llama",
    kvHeads: shape.heads,
    vocabSize: bpe.vocabSize,
    rmsNormEps: 1e-5,
    tieWordEmbeddings: false,
  });
  const rows: Record<BaseStage, StageRows> = {
    repeat: repeatStage(recipe, seed, textIds(recipe, bpe)),
    recall: recallStage(recipe, seed, tokenizer),
    format: await formatStage(recipe, seed, tokenizer),
  };
  const backend = await loadBackend({ threads: recipe.threads });
  const plan = baseStages.map((stage) => ({ stage, ...recipe[stage], rowTokens: longestRow(rows[stage]) }));
  const tokensOf = ({ steps, batch, rowTokens }: StagePlan) => steps * batch * rowTokens;
  const tokensInAll = plan.reduce((sum, entry) => sum + tokensOf(entry), 0);
  let tokensDone = 0;
  // The first step includes compilation, so the speed is measured from its end.
  let paceSince: { readonly ms: number; readonly tokens: number } | undefined;
  let parameters = initParameters(model, seed, { projectionStd });
  for (const entry of plan) {
    const before = tokensDone;
    const onStep = (progress: Omit<BaseProgress, "secondsLeft">) => {
      tokensDone = before + (tokensOf(entry) * progress.step) / entry.steps;
      const nowMs = performance.now();
      paceSince ??= { ms: nowMs, tokens: tokensDone };
      const secondsPerToken = (nowMs - paceSince.ms) / 1000 / (tokensDone - paceSince.tokens);
      options.onProgress({ ...progress, secondsLeft: secondsPerToken * (tokensInAll - tokensDone) });
    };
    parameters = await trainStage(
      { backend, model, parameters, entry, rows: rows[entry.stage], signal },
      onStep,
    );
  }
  await saveModel(outDir, { config: model, parameters, tokenizer: bpe });
  const seconds = (performance.now() - startedAt) / 1000;
  return { outDir, model, weightsHash: hashWeights(parameters), seconds };
}

interface StagePlan {
  readonly stage: BaseStage;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly decayFrom: number;
  readonly rowTokens: number;
}

interface StageRun {
  readonly backend: Backend;
  readonly model: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  readonly entry: StagePlan;
  readonly rows: StageRows;
  readonly signal: AbortSignal;
}

/** Trains one stage with a new optimizer, and returns the weights. */
async function trainStage(
  { backend, model, parameters, entry, rows, signal }: StageRun,
  onProgress: (progress: Omit<BaseProgress, "secondsLeft">) => void,
): Promise<Record<string, Float32Array>> {
  const { stage, steps } = entry;
  const learner = createLearner({
    backend,
    model,
    parameters,
    objectives: ["supervised"],
    config: {
      reference: "none",
      kl: { coefficient: 0 },
      optimizer: { beta2: 0.99 },
      buckets: [{ rows: entry.batch, length: entry.rowTokens }],
    },
  });
  try {
    await warmStart({
      learner,
      rows,
      steps,
      signal,
      learningRate: (step) => learningRateAt(step, entry),
      onStep: ({ loss, tokensPerSecond }, step) =>
        onProgress({ stage, step: step + 1, steps, loss, tokensPerSecond }),
    });
    return learner.parameters();
  } catch (reason) {
    signal.throwIfAborted();
    throw reason;
  } finally {
    learner.close();
  }
}

/**
 * Returns the learning rate of a step: a linear warmup, then the peak, then a linear decay from `decayFrom` to a
 * twentieth of the peak.
 */
export function learningRateAt(step: number, plan: Omit<StagePlan, "stage" | "batch" | "rowTokens">): number {
  const { steps, learningRate, warmupSteps, decayFrom } = plan;
  const rise = Math.min(1, (step + 1) / Math.max(1, warmupSteps));
  const fall = step < steps * decayFrom ? 1 : 0.05 + (0.95 * (steps - step)) / (steps * (1 - decayFrom));
  return learningRate * rise * fall;
}

/** Returns the length of a stage's longest row; the first 8 steps show it where all rows have the same form. */
function longestRow(rows: StageRows): number {
  if (rows.longest !== undefined) return rows.longest;
  const probes = Array.from({ length: 8 }, (_, step) => rows(step)).flat();
  return Math.max(...probes.map((row) => row.tokenIds.length));
}

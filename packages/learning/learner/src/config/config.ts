import type { JitPrecision } from "@palimpsest/jit";
import { loraConfigSchema } from "@palimpsest/model";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { Bucket } from "./bucket.js";
import { LearnerError } from "./error.js";
import {
  AdvantageConfig,
  Aggregation,
  ImportanceConfig,
  KlConfig,
  LossConfig,
  OverlongConfig,
  StepAdvantageConfig,
} from "./loss-config.js";
import { MemoryConfig } from "./memory-config.js";
import { PRESET_NAMES, presets } from "./preset.js";

const count = z.int().min(1);
const positive = z.number().positive();

/** AdamW with decoupled weight decay (on every parameter) and clipping by the global norm. */
export const OptimizerConfig = z.strictObject({
  beta1: z.number().min(0).lt(1).default(0.9).describe("Decay rate of the first moment."),
  beta2: z.number().min(0).lt(1).default(0.95).describe("Decay rate of the second moment."),
  epsilon: positive.default(1e-8).describe("Added to the square root of the second moment."),
  weightDecay: z
    .number()
    .min(0)
    .default(0)
    .describe("Decoupled weight decay, multiplied by the learning rate."),
  maxGradNorm: positive
    .nullable()
    .default(1)
    .describe("Global gradient norm above which gradients are scaled down to it; null: never."),
});
export type OptimizerConfig = z.infer<typeof OptimizerConfig>;

const ScheduleFields = z.strictObject({
  kind: z
    .enum(["constant", "linear", "cosine"])
    .default("constant")
    .describe("Course of the learning rate after the warm-up."),
  learningRate: z.number().min(0).default(5e-4).describe("Peak learning rate."),
  warmupSteps: z
    .int()
    .min(0)
    .default(0)
    .describe("Optimizer steps in which the learning rate rises linearly from 0."),
  totalSteps: count.default(1000).describe("Optimizer step at which linear and cosine reach their end."),
  endFraction: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("Fraction of the peak learning rate that remains at totalSteps."),
});
/** Learning rate as a function of the optimizer step. */
export const ScheduleConfig = ScheduleFields.refine(
  ({ kind, warmupSteps, totalSteps }) => kind === "constant" || warmupSteps <= totalSteps,
  { path: ["warmupSteps"], error: "must not exceed totalSteps, at which the schedule ends; make it smaller" },
);
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

/** Shapes derived from a budget, instead of `buckets`. */
const MicroBatchConfig = z.strictObject({
  tokens: z.int().min(2).describe("Maximum number of token positions of a micro-batch, including padding."),
  lengths: z
    .array(z.int().min(2))
    .min(1)
    .max(16)
    .describe("Row lengths to compile for, in tokens; every row uses the shortest one that fits it."),
  packed: z
    .boolean()
    .default(false)
    .describe(
      "Packs rows end to end into sequences of the longest length, which needs one shape and little padding.",
    ),
  trainedTokens: count
    .optional()
    .describe(
      "Most trained tokens per micro-batch, which are the only ones that get logits. Absent: packed, every position has room for one; otherwise all positions get logits.",
    ),
});

const withDefaults = <T extends z.ZodType>(schema: T): z.ZodPrefault<T> => schema.prefault({} as z.input<T>);

/** All settings of the learner. Fields that presets define and that are left out come from `preset`. */
export const LearnerConfig = z.strictObject({
  preset: z
    .enum(PRESET_NAMES)
    .default("memagent")
    .describe(
      "Algorithm from which advantage, stepAdvantage, spread, loss, importance, aggregation, kl and oldLogprobs are taken unless they are set.",
    ),
  groupSize: z
    .int()
    .min(2)
    .default(8)
    .describe("Episodes per task, whose rewards are compared with each other."),
  advantage: AdvantageConfig.optional().describe("Advantage estimator; replaces the preset's as a whole."),
  stepAdvantage: StepAdvantageConfig.nullable()
    .optional()
    .describe(
      "Advantages of single steps, which are mixed into the outcome's; null: only the outcome's. Replaces the preset's as a whole.",
    ),
  spread: z
    .enum(["copy", "divide"])
    .optional()
    .describe(
      "Outcome advantage of each conversation: the trajectory's, or the trajectory's divided by its number of conversations. Replaces the preset's.",
    ),
  zeroVariance: z
    .enum(["train", "skip"])
    .default("train")
    .describe(
      "What to do with groups in which all advantages are 0, as when all episodes have the same reward. train: their KL and entropy still affect the weights; skip: their rows are not computed, unless this holds for all groups.",
    ),
  overlong: OverlongConfig.default({ kind: "none" }).describe(
    "What to do with trajectories that were cut off at a length limit.",
  ),
  loss: LossConfig.optional().describe("Policy loss; replaces the preset's as a whole."),
  importance: ImportanceConfig.optional().describe(
    "Correction for the mismatch of sampler and trainer; replaces the preset's as a whole.",
  ),
  entropyCoefficient: z
    .number()
    .min(0)
    .default(0)
    .describe("Coefficient of the entropy bonus per token in the loss; 0: none."),
  aggregation: Aggregation.optional().describe("How token losses are averaged; replaces the preset's."),
  normTokens: count
    .optional()
    .describe("Divisor of the two aggregations whose names end in -norm, in tokens."),
  kl: KlConfig.optional().describe("KL to the reference; replaces the preset's as a whole."),
  reference: z
    .enum(["initial", "none"])
    .default("initial")
    .describe(
      "Weights to which the KL is measured. initial: the initial weights, or referenceParameters; none: there is no KL, and no second forward pass.",
    ),
  referenceRefreshUpdates: count
    .nullable()
    .default(null)
    .describe("Policy versions after which the reference is replaced by the current weights; null: never."),
  optimizer: withDefaults(OptimizerConfig).describe("Settings of AdamW."),
  schedule: withDefaults(ScheduleConfig).describe("Learning rate over the optimizer steps."),
  epochs: count.max(64).default(1).describe("Passes over the groups in each update."),
  miniBatches: count
    .max(1024)
    .default(1)
    .describe("Optimizer steps per pass, with groups distributed evenly."),
  buckets: z
    .array(Bucket)
    .min(1)
    .max(64)
    .optional()
    .describe("Shapes to compile for; every row must fit into one. Absent: derived from microBatch."),
  microBatch: MicroBatchConfig.optional().describe(
    "Token budget from which shapes are derived if there are no buckets.",
  ),
  memory: withDefaults(MemoryConfig).describe("Settings that trade speed for memory."),
  replicas: count
    .max(16)
    .default(1)
    .describe(
      "GPUs of one machine that train together in mode xla: each has the whole state, micro-batches are distributed over them, and gradients are summed once per step. A training run must lease as many GPUs (learnerGpus).",
    ),
  reduceType: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "Type in which learners of several hosts, and two replicas in a step of one micro-batch each, pass on the gradients of matrices, once per optimizer step (reduce_dtype in FSDP); they are added in float32. auto: bfloat16 if all weights are trained in it. Gains of norms, biases and the embedding are passed on in float32.",
    ),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "Type to which matrix products round their inputs. Trained parameters, moments, gradients and everything else stay float32; matrices that are not trained (a base of adapters, the reference) are stored in it. auto: the checkpoint's precision; otherwise bfloat16 on a CPU if a trial of 100 ms finds it faster for this model and the ratio does not use the sampler's log-probs; otherwise float32. bfloat16 needs mode graph or xla. A GPU rounds float32 products to TF32 unless NVIDIA_TF32_OVERRIDE=0 is set.",
    ),
  lora: loraConfigSchema
    .nullable()
    .default(null)
    .describe(
      "Adapters to train instead of the weights; the reference is the base model. null: all weights.",
    ),
  maxLogprobDifference: positive
    .nullable()
    .optional()
    .describe(
      "Mean difference in nats between the log-probs of sampler and learner, over the rows of this update and the seven before it that were sampled with the weights of their time, above which an update fails; with few such tokens a larger one is allowed, (1 + 8 / √tokens) times this. null: never. Absent: 0.05 in a training run, never elsewhere.",
    ),
  measureEntropy: z
    .boolean()
    .default(true)
    .describe(
      "Whether to report the exact entropy of the policy, which costs one more softmax over the vocabulary.",
    ),
  oldLogprobs: z
    .enum(["rollout", "recompute"])
    .optional()
    .describe(
      "π_old, the denominator of the ratio. rollout: the sampler's log-probs; recompute: the learner's own, from the weights before the update's first step, so that an update does not depend on how the sampler batched. Replaces the preset's.",
    ),
  maxPolicyKl: positive
    .nullable()
    .default(null)
    .describe(
      "KL from π_old, in nats per token, above which a step is not applied and ends the update; null: never.",
    ),
  gradientGate: z
    .strictObject({
      norm: positive.describe("Bound on the global gradient norm before clipping."),
      action: z
        .enum(["skip", "stop"])
        .default("skip")
        .describe("skip: the step is not applied; stop: the run ends with an error."),
    })
    .nullable()
    .default(null)
    .describe("What to do with a step whose gradient norm exceeds a bound; null: nothing."),
  peakTeraflops: positive
    .nullable()
    .default(null)
    .describe(
      "Peak performance of the device, from which utilization is computed; null: it is not reported.",
    ),
  firstStepChecks: z
    .boolean()
    .default(false)
    .describe(
      "Whether to check, before the first step, that the sampler's log-probs equal the learner's within 1e-4, ratios equal 1 within 1e-6, and the KL to the reference is 0.",
    ),
  deterministic: z
    .boolean()
    .default(false)
    .describe(
      "Whether the same weights and groups give the same bits on a GPU, too, where gradients of attention are otherwise summed in no fixed order; slower. On a CPU this always holds.",
    ),
  seed: z.int().min(0).max(0xffffffff).default(0).describe("Seed of the learner's shuffles."),
});
export type LearnerConfig = z.infer<typeof LearnerConfig>;
export type LearnerConfigInput = z.input<typeof LearnerConfig>;

/** A configuration with all defaults resolved. */
export type ResolvedLearnerConfig = Omit<LearnerConfig, "precision"> & {
  readonly buckets: readonly Bucket[];
  readonly advantage: AdvantageConfig;
  readonly loss: LossConfig;
  readonly aggregation: Aggregation;
  readonly kl: KlConfig;
  readonly stepAdvantage: StepAdvantageConfig | null;
  readonly spread: "copy" | "divide";
  readonly importance: ImportanceConfig;
  readonly oldLogprobs: "rollout" | "recompute";
  readonly precision: JitPrecision;
};

/**
 * Parses, fills in the preset and refuses contradictions. Precision auto becomes float32 here, because no backend is known;
 * `chosenConfig` (chosen-config.ts) knows it.
 * @throws {LearnerError} CONFIG_INVALID naming field, value and fix
 */
export function resolveLearnerConfig(input: LearnerConfigInput): ResolvedLearnerConfig {
  const config = parseInput(
    LearnerConfig,
    input,
    (problem, cause) => new LearnerError("CONFIG_INVALID", problem, { cause }),
  );
  const preset = presets[config.preset];
  const resolved: ResolvedLearnerConfig = {
    ...config,
    precision: config.precision === "auto" ? "float32" : config.precision,
    buckets: config.buckets ?? bucketsWithin(config.microBatch),
    advantage: config.advantage ?? AdvantageConfig.parse(preset.advantage),
    loss: config.loss ?? LossConfig.parse(preset.loss),
    aggregation: config.aggregation ?? preset.aggregation,
    kl: config.kl ?? KlConfig.parse(preset.kl),
    stepAdvantage:
      config.stepAdvantage === undefined
        ? StepAdvantageConfig.nullable().parse(preset.stepAdvantage ?? null)
        : config.stepAdvantage,
    spread: config.spread ?? preset.spread ?? "copy",
    importance: config.importance ?? ImportanceConfig.parse(preset.importance ?? { kind: "none" }),
    oldLogprobs: config.oldLogprobs ?? preset.oldLogprobs ?? "recompute",
  };
  refuseContradictions(resolved);
  return resolved;
}

/**
 * Returns buckets for each length: one with as many rows as the budget allows, and one with a single row for the
 * remainder.
 */
function bucketsWithin(budget: z.infer<typeof MicroBatchConfig> | undefined): Bucket[] {
  if (budget === undefined)
    throw new LearnerError("CONFIG_INVALID", "buckets and microBatch are both absent; set one of them");
  const { tokens, lengths, packed, trainedTokens = Number.POSITIVE_INFINITY } = budget;
  const longest = Math.max(...lengths);
  const shape = (rows: number, length: number): Bucket =>
    trainedTokens >= rows * length ? { rows, length } : { rows, length, trainedTokens };
  if (longest > tokens)
    throw new LearnerError(
      "CONFIG_INVALID",
      `microBatch.lengths contains ${longest}, but microBatch.tokens is ${tokens}, so that one row does not fit; raise tokens`,
    );
  if (packed) {
    const rows = Math.floor(tokens / longest);
    return [{ ...shape(rows, longest), packedRows: PACKED_ROWS_A_SEQUENCE * rows }];
  }
  return lengths.flatMap((length) => {
    const rows = Math.floor(tokens / length);
    return rows === 1 ? [shape(1, length)] : [shape(rows, length), shape(1, length)];
  });
}

/**
 * Number of rows per sequence for which a packed bucket has room. Rows are rarely shorter than an eighth of the
 * longest; if they are, a sequence stays partly empty.
 */
const PACKED_ROWS_A_SEQUENCE = 8;

function refuseContradictions(resolved: ResolvedLearnerConfig): void {
  const needsReference = resolved.kl.coefficient > 0 || resolved.kl.adaptive !== null;
  if (needsReference && resolved.reference === "none")
    throw new LearnerError(
      "CONFIG_INVALID",
      `kl.coefficient is ${resolved.kl.coefficient}, but reference is "none"; set reference to "initial" or the coefficient to 0`,
    );
  if (resolved.kl.adaptive !== null && resolved.kl.coefficient === 0)
    throw new LearnerError(
      "CONFIG_INVALID",
      "kl.coefficient is 0, which kl.adaptive cannot change because it multiplies it; set an initial value, such as 0.01",
    );
  if (resolved.referenceRefreshUpdates !== null && resolved.reference === "none")
    throw new LearnerError(
      "CONFIG_INVALID",
      `referenceRefreshUpdates is ${resolved.referenceRefreshUpdates}, but reference is "none"; set reference to "initial" or leave it out`,
    );
  if (resolved.importance.kind !== "none" && resolved.oldLogprobs === "rollout")
    throw new LearnerError(
      "CONFIG_INVALID",
      `importance ${resolved.importance.kind} compares π_old with the sampler's log-probs, which are the same with oldLogprobs "rollout"; set oldLogprobs to "recompute"`,
    );
  if (resolved.lora !== null && resolved.referenceRefreshUpdates !== null)
    throw new LearnerError(
      "CONFIG_INVALID",
      `referenceRefreshUpdates is ${resolved.referenceRefreshUpdates}, but with lora the reference is always the base model; leave it out`,
    );
  const { epochs, miniBatches, maxPolicyKl, firstStepChecks, memory } = resolved;
  const looks = firstStepChecks
    ? "firstStepChecks"
    : maxPolicyKl !== null && epochs * miniBatches > 1
      ? `maxPolicyKl ${maxPolicyKl}`
      : undefined;
  if (memory.accumulators === "none" && looks !== undefined)
    throw new LearnerError(
      "CONFIG_INVALID",
      `memory.accumulators is "none", but ${looks} has to check a step before it is applied; set accumulators to "auto", or leave the other out`,
    );
  if (memory.optimizerState === "sharded" && resolved.replicas === 1)
    throw new LearnerError(
      "CONFIG_INVALID",
      'memory.optimizerState is "sharded", but replicas is 1, so there is nothing to shard over; set replicas to 2 or more, or optimizerState to "whole"',
    );
  if (memory.optimizerState === "sharded" && memory.accumulators === "none")
    throw new LearnerError(
      "CONFIG_INVALID",
      'memory.optimizerState is "sharded", which needs accumulators, but memory.accumulators is "none"; set accumulators to "auto", or optimizerState to "whole"',
    );
  const needsNorm =
    resolved.aggregation === "seq-mean-token-sum-norm" || resolved.aggregation === "batch-token-norm";
  if (needsNorm && resolved.normTokens === undefined)
    throw new LearnerError(
      "CONFIG_INVALID",
      `aggregation ${resolved.aggregation} needs normTokens; set it to the longest response in tokens`,
    );
  if (resolved.loss.kind === "gspo" && resolved.aggregation !== "seq-mean-token-mean")
    throw new LearnerError(
      "CONFIG_INVALID",
      `loss gspo has one ratio per row and needs aggregation "seq-mean-token-mean", not "${resolved.aggregation}"`,
    );
}

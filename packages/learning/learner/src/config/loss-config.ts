import { z } from "zod";

const positive = z.number().positive();

const epsilonOf = (text: string) => z.number().nonnegative().describe(text);

const singleton = z
  .enum(["zero", "reward"])
  .default("zero")
  .describe("Advantage of the last remaining episode of a group: 0, or its raw reward as in verl.");

/** The built-in estimators. */
export const BuiltInAdvantage = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("grpo"),
    epsilon: epsilonOf("Added to the group's standard deviation; verl and slime use 1e-6, TRL 1e-4.").default(
      1e-6,
    ),
    ddof: z
      .union([z.literal(0), z.literal(1)])
      .default(1)
      .describe("Delta degrees of freedom of the standard deviation. 0: population, 1: sample (unbiased)."),
    singleton,
  }),
  z.strictObject({ kind: z.literal("drgrpo"), singleton }),
  z.strictObject({ kind: z.literal("rloo"), singleton }),
  z.strictObject({
    kind: z.literal("reinforce++"),
    baseline: z
      .boolean()
      .default(false)
      .describe("Whether the group's mean reward is subtracted first, as in REINFORCE++-baseline."),
    singleton,
  }),
]);
export type BuiltInAdvantage = z.infer<typeof BuiltInAdvantage>;

/** How a reward becomes an advantage within its group. */
export const AdvantageConfig = z.discriminatedUnion("kind", [
  ...BuiltInAdvantage.options,
  z.strictObject({
    kind: z
      .literal("module")
      .optional()
      .describe("An estimator of your own, which a file exports (`defineAdvantage`)."),
    module: z
      .string()
      .min(1)
      .describe("TypeScript or JavaScript file that exports the estimator, relative to the recipe.")
      .meta({ format: "path" }),
    settings: z.record(z.string(), z.unknown()).default({}).describe("Settings of the estimator, by name."),
  }),
]);
export type AdvantageConfig = z.infer<typeof AdvantageConfig>;

/** How rewards of single steps join the outcome's advantage. */
export const StepAdvantageConfig = z.strictObject({
  outcomeWeight: z
    .number()
    .min(0)
    .max(1)
    .default(0.8)
    .describe("α in advantage = α · outcome advantage + (1 − α) · step advantage; ReMemR1 uses 0.8."),
  advantage: BuiltInAdvantage.prefault({ kind: "drgrpo" }).describe(
    "Estimator over the episodes of one group at the same step.",
  ),
  scale: positive.default(1).describe("Factor of step rewards; ReMemR1's code counts each reward twice."),
});
export type StepAdvantageConfig = z.infer<typeof StepAdvantageConfig>;

/** What happens to trajectories that a length limit cut off. */
export const OverlongConfig = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({
    kind: z.literal("mask"),
    of: z
      .enum(["final", "any"])
      .default("final")
      .describe(
        "Which conversations decide that a trajectory was cut off at its limit: the last one, or any.",
      ),
  }),
  z.strictObject({
    kind: z.literal("penalty"),
    of: z
      .enum(["final", "any"])
      .default("final")
      .describe("Whether the length is that of the last reply or of the longest."),
    maxTokens: z.int().min(1).describe("Length in tokens at which the penalty is full."),
    bufferTokens: z.int().min(1).describe("Tokens before that length over which the penalty grows linearly."),
    factor: positive.default(1).describe("Full penalty, which is subtracted from the reward."),
  }),
]);
export type OverlongConfig = z.infer<typeof OverlongConfig>;

const clampLogRatio = positive
  .nullable()
  .default(20)
  .describe("Bound in nats to which log-ratios are clamped on both sides before exp; null: none.");

/** The policy loss of one token. */
export const LossConfig = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("clip"),
    clipLow: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe("Distance below 1 at which the ratio is clipped."),
    clipHigh: z.number().min(0).default(0.2).describe("Distance above 1 at which the ratio is clipped."),
    dualClip: z
      .number()
      .gt(1)
      .nullable()
      .default(null)
      .describe("Bound c on the ratio of tokens with a negative advantage; null: none."),
    clampLogRatio,
  }),
  z.strictObject({
    kind: z.literal("gspo"),
    clipLow: z
      .number()
      .min(0)
      .max(1)
      .default(3e-4)
      .describe("Distance below 1 at which the sequence's ratio is clipped."),
    clipHigh: z
      .number()
      .min(0)
      .default(4e-4)
      .describe("Distance above 1 at which the sequence's ratio is clipped."),
    maxLogRatio: positive.default(10).describe("Upper bound on a row's mean log-ratio, in nats."),
  }),
  z.strictObject({
    kind: z.literal("cispo"),
    clipLow: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe("Distance below 1 at which the weight is clipped."),
    clipHigh: z.number().min(0).default(0.2).describe("Distance above 1 at which the weight is clipped."),
    clampLogRatio,
  }),
  z.strictObject({
    kind: z.literal("dppo"),
    maskLow: z
      .number()
      .min(0)
      .default(0.2)
      .describe("Tokens with an advantage ≤ 0 whose probability fell by more than this are dropped."),
    maskHigh: z
      .number()
      .min(0)
      .default(0.2)
      .describe("Tokens with an advantage > 0 whose probability rose by more than this are dropped."),
    tau: z.number().min(0).default(1e-3).describe("Coefficient of the squared log-ratio."),
    clampLogRatio,
  }),
]);
export type LossConfig = z.infer<typeof LossConfig>;

const low = (value: number) =>
  z.number().min(0).default(value).describe("Ratio below which the weight is 0.");
const high = (value: number) => positive.default(value).describe("Ratio above which the weight is 0.");
const cap = positive.default(2).describe("Upper bound on the weights.");
const length = z
  .enum(["sum", "mean"])
  .describe("Whether log-ratios of a conversation are summed or averaged over its tokens.");

/** Correction for the mismatch of sampler and trainer; see `importanceWeights`. */
export const ImportanceConfig = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({ kind: z.literal("tis-token"), cap }),
  // The rounding of a sampler in bfloat16, summed over a thousand tokens, gives weights that starve the gradient.
  z.strictObject({ kind: z.literal("tis-sequence"), cap, length: length.default("mean") }),
  z.strictObject({
    kind: z.literal("sequence-mask"),
    low: low(0),
    high: high(3),
    length: length.default("sum"),
    weigh: z
      .boolean()
      .default(true)
      .describe("Whether tokens that are kept are weighted by their ratio; false: by 1."),
  }),
  z.strictObject({ kind: z.literal("icepop"), low: low(0.5), high: high(5) }),
]);
export type ImportanceConfig = z.infer<typeof ImportanceConfig>;

/** How token losses become one number; see `aggregationWeights`. */
export const Aggregation = z.enum([
  "token-mean",
  "seq-mean-token-mean",
  "seq-mean-token-sum",
  "seq-mean-token-sum-norm",
  "batch-token-norm",
  "trajectory-mean",
]);
export type Aggregation = z.infer<typeof Aggregation>;

/** The KL penalty towards the reference policy. */
export const KlConfig = z.strictObject({
  coefficient: z
    .number()
    .min(0)
    .default(0)
    .describe("Coefficient β of the KL, with `adaptive` its initial value; 0: no KL term."),
  in: z
    .enum(["loss", "reward"])
    .default("loss")
    .describe(
      "loss: the KL is added to the loss of every token; reward: its sum over a trajectory is subtracted from the reward.",
    ),
  adaptive: z
    .strictObject({
      target: positive.describe("KL to aim for, in nats per token."),
      horizon: positive
        .default(10_000)
        .describe(
          "Number of trajectories over which a KL that misses the target by 20 % or more changes β by 20 %.",
        ),
    })
    .nullable()
    .default(null)
    .describe("Adjusts β so that the KL approaches a target; null: β is constant."),
  estimator: z.enum(["k1", "k2", "k3", "abs"]).default("k3").describe("Estimator of the KL per token."),
  clampLogRatio: positive
    .nullable()
    .default(20)
    .describe("k3 only: bound in nats to which log-ratios are clamped on both sides."),
  clampValue: positive
    .nullable()
    .default(10)
    .describe("k3 only: bound in nats to which the estimate is clamped on both sides."),
});
export type KlConfig = z.infer<typeof KlConfig>;

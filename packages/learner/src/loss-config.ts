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
    epsilon: epsilonOf("Added to the group's standard deviation; verl, slime: 1e-6, TRL: 1e-4.").default(
      1e-6,
    ),
    ddof: z
      .union([z.literal(0), z.literal(1)])
      .default(1)
      .describe("0: population std, 1: unbiased std."),
    singleton,
  }),
  z.strictObject({ kind: z.literal("drgrpo"), singleton }),
  z.strictObject({ kind: z.literal("rloo"), singleton }),
  z.strictObject({
    kind: z.literal("reinforce++"),
    baseline: z
      .boolean()
      .default(false)
      .describe("First subtracts the group's mean reward: REINFORCE++-baseline."),
    singleton,
  }),
]);
export type BuiltInAdvantage = z.infer<typeof BuiltInAdvantage>;

/** How a reward becomes an advantage within its group. */
export const AdvantageConfig = z.discriminatedUnion("kind", [
  ...BuiltInAdvantage.options,
  z.strictObject({
    kind: z.literal("module").optional().describe("An estimator of your own (`defineAdvantage`)."),
    module: z
      .string()
      .min(1)
      .describe("TypeScript or JavaScript file that exports it, relative to the recipe.")
      .meta({ format: "path" }),
    settings: z.record(z.string(), z.unknown()).default({}).describe("Its own settings, by name."),
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
    .describe("α: advantage = α · outcome's + (1 − α) · the step's; ReMemR1: 0.8."),
  advantage: BuiltInAdvantage.prefault({ kind: "drgrpo" }).describe(
    "Estimator over the episodes of one group at the same step.",
  ),
  scale: positive.default(1).describe("Factor on step rewards; ReMemR1's code counts each twice."),
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
        "A trajectory counts as cut off if its last conversation, or any of them, stopped at its limit.",
      ),
  }),
  z.strictObject({
    kind: z.literal("penalty"),
    of: z.enum(["final", "any"]).default("final").describe("Length of the last, or of the longest, reply."),
    maxTokens: z.int().min(1).describe("Length at which the penalty is full."),
    bufferTokens: z.int().min(1).describe("The penalty grows linearly over this many tokens before that."),
    factor: positive.default(1).describe("The full penalty, subtracted from the reward."),
  }),
]);
export type OverlongConfig = z.infer<typeof OverlongConfig>;

const clampLogRatio = positive
  .nullable()
  .default(20)
  .describe("Log-ratios are clamped to ± this many nats before exp; null: not clamped.");

/** The policy loss of one token. */
export const LossConfig = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("clip"),
    clipLow: z.number().min(0).max(1).default(0.2).describe("Ratio is clipped below 1 − this."),
    clipHigh: z.number().min(0).default(0.2).describe("Ratio is clipped above 1 + this."),
    dualClip: z
      .number()
      .gt(1)
      .nullable()
      .default(null)
      .describe("Bound c on the ratio where the advantage is negative; null: none."),
    clampLogRatio,
  }),
  z.strictObject({
    kind: z.literal("gspo"),
    clipLow: z.number().min(0).max(1).default(3e-4).describe("Sequence ratio is clipped below 1 − this."),
    clipHigh: z.number().min(0).default(4e-4).describe("Sequence ratio is clipped above 1 + this."),
    maxLogRatio: positive.default(10).describe("Mean log-ratio of a row is capped here, nats."),
  }),
  z.strictObject({
    kind: z.literal("cispo"),
    clipLow: z.number().min(0).max(1).default(0.2).describe("Weight is clipped below 1 − this."),
    clipHigh: z.number().min(0).default(0.2).describe("Weight is clipped above 1 + this."),
    clampLogRatio,
  }),
  z.strictObject({
    kind: z.literal("dppo"),
    maskLow: z
      .number()
      .min(0)
      .default(0.2)
      .describe("Drops tokens whose probability fell by more, if A ≤ 0."),
    maskHigh: z
      .number()
      .min(0)
      .default(0.2)
      .describe("Drops tokens whose probability rose by more, if A > 0."),
    tau: z.number().min(0).default(1e-3).describe("Coefficient of the squared log-ratio."),
    clampLogRatio,
  }),
]);
export type LossConfig = z.infer<typeof LossConfig>;

const low = (value: number) =>
  z.number().min(0).default(value).describe("The weight is 0 where the ratio is below this.");
const high = (value: number) =>
  positive.default(value).describe("The weight is 0 where the ratio is above this.");
const cap = positive.default(2).describe("Upper bound on the weights.");
const length = z
  .enum(["sum", "mean"])
  .default("sum")
  .describe("Log-ratios of a conversation are summed, or averaged per token.");

/** Correction for the mismatch of sampler and trainer; see `importanceWeights`. */
export const ImportanceConfig = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({ kind: z.literal("tis-token"), cap }),
  z.strictObject({ kind: z.literal("tis-sequence"), cap, length }),
  z.strictObject({
    kind: z.literal("sequence-mask"),
    low: low(0),
    high: high(3),
    length,
    weigh: z.boolean().default(true).describe("Kept tokens are weighted by their ratio; false: by 1."),
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
  coefficient: z.number().min(0).default(0).describe("β; 0: no KL term. With `adaptive`: its initial value."),
  in: z
    .enum(["loss", "reward"])
    .default("loss")
    .describe("Adds the KL to every token's loss, or subtracts its sum over a trajectory from the reward."),
  adaptive: z
    .strictObject({
      target: positive.describe("Target KL, nats per token."),
      horizon: positive
        .default(10_000)
        .describe("Number of trajectories after which a KL that is 20 % off has changed β by 20 %."),
    })
    .nullable()
    .default(null)
    .describe("Adjusts β towards a target KL; null: β is constant."),
  estimator: z.enum(["k1", "k2", "k3", "abs"]).default("k3").describe("Estimator."),
  clampLogRatio: positive.nullable().default(20).describe("k3 only: ± clamp of the log-ratio, nats."),
  clampValue: positive.nullable().default(10).describe("k3 only: ± clamp of the estimate, nats."),
});
export type KlConfig = z.infer<typeof KlConfig>;

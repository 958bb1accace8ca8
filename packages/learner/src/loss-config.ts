import { z } from "zod";

const epsilonOf = (text: string) => z.number().nonnegative().describe(text);

/** How a reward becomes an advantage within its group. */
export const AdvantageConfig = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("grpo"),
    epsilon: epsilonOf("Added to the group's standard deviation; verl, slime: 1e-6, TRL: 1e-4.").default(
      1e-6,
    ),
    ddof: z
      .union([z.literal(0), z.literal(1)])
      .default(1)
      .describe("0: population std, 1: unbiased std."),
    singleton: z
      .enum(["zero", "reward"])
      .default("zero")
      .describe("Advantage of the last episode left of a group: 0, or its bare reward as in verl."),
  }),
  z.strictObject({ kind: z.literal("drgrpo") }),
  z.strictObject({ kind: z.literal("rloo") }),
]);
export type AdvantageConfig = z.infer<typeof AdvantageConfig>;

const clampLogRatio = z
  .number()
  .positive()
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
    maxLogRatio: z.number().positive().default(10).describe("Mean log-ratio of a row is capped here, nats."),
  }),
  z.strictObject({
    kind: z.literal("cispo"),
    clipLow: z.number().min(0).max(1).default(0.2).describe("Weight is clipped below 1 − this."),
    clipHigh: z.number().min(0).default(0.2).describe("Weight is clipped above 1 + this."),
    clampLogRatio,
  }),
  z.strictObject({
    kind: z.literal("dppo"),
    maskLow: z.number().min(0).default(0.2).describe("Drop when the probability fell by more and A ≤ 0."),
    maskHigh: z.number().min(0).default(0.2).describe("Drop when the probability rose by more and A > 0."),
    tau: z.number().min(0).default(1e-3).describe("Coefficient of the squared log-ratio."),
    clampLogRatio,
  }),
]);
export type LossConfig = z.infer<typeof LossConfig>;

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

/** The pull towards the reference policy, added to the loss. */
export const KlConfig = z.strictObject({
  coefficient: z.number().min(0).default(0).describe("β; 0: no KL term."),
  estimator: z.enum(["k1", "k2", "k3", "abs"]).default("k3").describe("Estimator in the loss."),
  clampLogRatio: z
    .number()
    .positive()
    .nullable()
    .default(20)
    .describe("k3 only: ± clamp of the log-ratio, nats."),
  clampValue: z
    .number()
    .positive()
    .nullable()
    .default(10)
    .describe("k3 only: ± clamp of the estimate, nats."),
});
export type KlConfig = z.infer<typeof KlConfig>;

import type { z } from "zod";
import type {
  Aggregation,
  BuiltInAdvantage,
  ImportanceConfig,
  KlConfig,
  LossConfig,
  StepAdvantageConfig,
} from "./loss-config.js";

export const PRESET_NAMES = [
  "memagent",
  "memagent-vime",
  "rememr1",
  "rememr1-released",
  "verl",
  "trl",
  "trl-grpo",
  "slime",
  "prime",
] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** The options in which the other systems differ; what is left out does not apply to a system. */
export interface Preset {
  readonly advantage: z.input<typeof BuiltInAdvantage>;
  readonly loss: z.input<typeof LossConfig>;
  readonly aggregation: Aggregation;
  readonly kl: z.input<typeof KlConfig>;
  readonly stepAdvantage?: z.input<typeof StepAdvantageConfig>;
  /** Default "copy". */
  readonly spread?: "copy" | "divide";
  readonly importance?: z.input<typeof ImportanceConfig>;
  /** Default "recompute". */
  readonly oldLogprobs?: "rollout" | "recompute";
}

/** The options that both presets of ReMemR1 share. Source: arXiv:2509.23040. */
const rememr1 = {
  advantage: { kind: "drgrpo", singleton: "reward" },
  loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, dualClip: 3 },
  aggregation: "token-mean",
  kl: { coefficient: 1e-3, estimator: "k3" },
  stepAdvantage: { outcomeWeight: 0.8, advantage: { kind: "drgrpo", singleton: "reward" } },
} as const;

/**
 * Each system's defaults. The same rewards and log-probabilities give different numbers in each of them, so a result
 * names its preset.
 */
export const presets: Readonly<Record<PresetName, Preset>> = {
  /** MemAgent's published run: no std, dual clip 3, k3 in the loss. arXiv:2507.02259. */
  memagent: {
    advantage: { kind: "drgrpo" },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, dualClip: 3 },
    aggregation: "token-mean",
    kl: { coefficient: 1e-3, estimator: "k3" },
  },
  /**
   * MemAgent in vime (slime's algorithms): std, clip-higher, each conversation gets a share of the advantage, mean of
   * row means; the KL is not divided.
   */
  "memagent-vime": {
    advantage: { kind: "grpo", epsilon: 1e-6, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.3, clampLogRatio: null },
    aggregation: "seq-mean-token-mean",
    kl: { coefficient: 1e-3, estimator: "k3", clampLogRatio: null },
    spread: "divide",
  },
  /** ReMemR1 as in its paper: MemAgent's loss; 0.8 of the outcome's and 0.2 of the step's centered rewards. */
  rememr1: { ...rememr1, stepAdvantage: { ...rememr1.stepAdvantage, scale: 1 } },
  /** ReMemR1's code, which adds each step reward twice. */
  "rememr1-released": { ...rememr1, stepAdvantage: { ...rememr1.stepAdvantage, scale: 2 } },
  /** verl's GRPO defaults with global denominators. */
  verl: {
    advantage: { kind: "grpo", epsilon: 1e-6, ddof: 1, singleton: "reward" },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, dualClip: 3 },
    aggregation: "token-mean",
    kl: { coefficient: 0, estimator: "k3" },
  },
  /** TRL's defaults: loss_type dapo, vLLM correction sequence_mask. */
  trl: {
    advantage: { kind: "grpo", epsilon: 1e-4, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, clampLogRatio: null },
    aggregation: "token-mean",
    kl: { coefficient: 0, estimator: "k3", clampLogRatio: null, clampValue: null },
    importance: { kind: "sequence-mask", high: 3 },
  },
  /** TRL's loss_type grpo: mean over each row, then over rows. */
  "trl-grpo": {
    advantage: { kind: "grpo", epsilon: 1e-4, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, clampLogRatio: null },
    aggregation: "seq-mean-token-mean",
    kl: { coefficient: 0, estimator: "k3", clampLogRatio: null, clampValue: null },
    importance: { kind: "sequence-mask", high: 3 },
  },
  /** slime's defaults: the rows of one rollout share a denominator. */
  slime: {
    advantage: { kind: "grpo", epsilon: 1e-6, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, clampLogRatio: null },
    aggregation: "trajectory-mean",
    kl: { coefficient: 0, estimator: "k1", clampLogRatio: null, clampValue: null },
  },
  /** prime-rl's defaults: centered rewards, and probability masks instead of a ratio clip, all against the sampler's log-probs. */
  prime: {
    advantage: { kind: "drgrpo" },
    loss: { kind: "dppo", maskLow: 0.2, maskHigh: 0.2, tau: 1e-3, clampLogRatio: null },
    aggregation: "token-mean",
    kl: { coefficient: 0, estimator: "k3" },
    oldLogprobs: "rollout",
  },
};

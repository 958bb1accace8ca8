import type { z } from "zod";
import type { AdvantageConfig, Aggregation, KlConfig, LossConfig } from "./loss-config.js";

export const PRESET_NAMES = ["memagent", "verl", "trl", "trl-grpo", "slime", "prime"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** The four choices in which the neighbouring systems differ. */
export interface Preset {
  readonly advantage: z.input<typeof AdvantageConfig>;
  readonly loss: z.input<typeof LossConfig>;
  readonly aggregation: Aggregation;
  readonly kl: z.input<typeof KlConfig>;
}

/**
 * What each system does by default. The same rewards and log-probabilities give different numbers
 * in each of them, so a result names its preset.
 */
export const presets: Readonly<Record<PresetName, Preset>> = {
  /** MemAgent's published run: no std, dual clip 3, k3 in the loss. arXiv:2507.02259. */
  memagent: {
    advantage: { kind: "drgrpo" },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, dualClip: 3 },
    aggregation: "token-mean",
    kl: { coefficient: 1e-3, estimator: "k3" },
  },
  /** verl's GRPO defaults with global denominators. */
  verl: {
    advantage: { kind: "grpo", epsilon: 1e-6, ddof: 1, singleton: "reward" },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, dualClip: 3 },
    aggregation: "token-mean",
    kl: { coefficient: 0, estimator: "k3" },
  },
  /** TRL's defaults: loss_type dapo. */
  trl: {
    advantage: { kind: "grpo", epsilon: 1e-4, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, clampLogRatio: null },
    aggregation: "token-mean",
    kl: { coefficient: 0, estimator: "k3", clampLogRatio: null, clampValue: null },
  },
  /** TRL's loss_type grpo: mean over each row, then over rows. */
  "trl-grpo": {
    advantage: { kind: "grpo", epsilon: 1e-4, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, clampLogRatio: null },
    aggregation: "seq-mean-token-mean",
    kl: { coefficient: 0, estimator: "k3", clampLogRatio: null, clampValue: null },
  },
  /** slime's defaults: the rows of one rollout share a denominator. */
  slime: {
    advantage: { kind: "grpo", epsilon: 1e-6, ddof: 1 },
    loss: { kind: "clip", clipLow: 0.2, clipHigh: 0.2, clampLogRatio: null },
    aggregation: "trajectory-mean",
    kl: { coefficient: 0, estimator: "k1", clampLogRatio: null, clampValue: null },
  },
  /** prime-rl's defaults: centred rewards, probability masks in place of a ratio clip. */
  prime: {
    advantage: { kind: "drgrpo" },
    loss: { kind: "dppo", maskLow: 0.2, maskHigh: 0.2, tau: 1e-3, clampLogRatio: null },
    aggregation: "token-mean",
    kl: { coefficient: 0, estimator: "k3" },
  },
};

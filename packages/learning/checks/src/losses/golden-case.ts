import {
  type Aggregation,
  type BuiltInAdvantage,
  type KlConfig,
  type LossConfig,
  type PresetName,
  presets,
} from "@palimpsest/learner";
import type { z } from "zod";

type LossInput = z.input<typeof LossConfig>;

/** Says how the learner computes a golden value. */
export type GoldenCase = { readonly golden: string; readonly preset: PresetName | "none" } & (
  | {
      readonly kind: "advantage";
      readonly advantage: z.input<typeof BuiltInAdvantage>;
      readonly lone?: number;
    }
  | { readonly kind: "kl"; readonly estimator: "k1" | "k2" | "k3" }
  | {
      readonly kind: "loss";
      readonly loss: LossInput;
      readonly aggregation: Aggregation;
      readonly normTokens?: number;
      readonly kl?: z.input<typeof KlConfig>;
    }
  /** The ratio exp(new − old) of each token. */
  | { readonly kind: "ratio" }
  /**
   * The losses of single rows: "global" sums them with the token weights of the batch, "own" averages them, each with
   * token weights of its own.
   */
  | { readonly kind: "micro-batches"; readonly denominators: "global" | "own" }
);

const advantage = (golden: string, preset: PresetName): GoldenCase => ({
  kind: "advantage",
  golden,
  preset,
  advantage: presets[preset].advantage,
});

const loss = (
  golden: string,
  preset: PresetName,
  change: {
    readonly loss?: LossInput;
    readonly aggregation?: Aggregation;
    readonly normTokens?: number;
    readonly kl?: z.input<typeof KlConfig>;
  } = {},
): GoldenCase => ({
  kind: "loss",
  golden,
  preset,
  loss: presets[preset].loss,
  aggregation: presets[preset].aggregation,
  ...change,
});

const clip = (change: object): LossInput => ({ kind: "clip", ...change });

const verlAggregations = [
  ["token-mean", {}],
  ["seq-mean-token-sum", {}],
  ["seq-mean-token-mean", {}],
  ["seq-mean-token-sum-norm", { normTokens: 3 }],
] as const;

const slimeRows = "B_slime_default(per-rollout mean,no dual clip)";

/** The known cases. MemAgent's presets share the numbers of the systems that they run on; KL has cases of its own. */
export const goldenCases: readonly GoldenCase[] = [
  advantage("A_verl_grpo(std unbiased,eps1e-6)", "verl"),
  {
    kind: "advantage",
    golden: "A_singleton_verl(r=0.7)",
    preset: "verl",
    advantage: presets.verl.advantage,
    lone: 0.7,
  },
  advantage("A_verl_drgrpo", "memagent"),
  advantage("A_verl_drgrpo", "rememr1"),
  advantage("A_verl_drgrpo", "rememr1-released"),
  advantage("A_slime(c/(std(c)+1e-6))", "slime"),
  advantage("A_slime(c/(std(c)+1e-6))", "memagent-vime"),
  advantage("A_trl(std unbiased,eps1e-4)", "trl"),
  advantage("A_trl(std unbiased,eps1e-4)", "trl-grpo"),
  advantage("A_prime(centre only)", "prime"),
  {
    kind: "advantage",
    golden: "A_art(std population,eps1e-6)",
    preset: "none",
    advantage: { kind: "grpo", ddof: 0, epsilon: 1e-6 },
  },
  { kind: "advantage", golden: "A_verl_rloo", preset: "none", advantage: { kind: "rloo" } },
  { kind: "ratio", golden: "B_ratio", preset: "none" },
  ...(["k1", "k2", "k3"] as const).flatMap((estimator): GoldenCase[] => [
    { kind: "kl", golden: `B_verl_kl_${estimator}`, preset: "verl", estimator },
    { kind: "kl", golden: `B_slime_kl_${estimator}`, preset: "slime", estimator },
  ]),
  ...verlAggregations.flatMap(([aggregation, norm]) => [
    loss(`B_verl_vanilla_${aggregation}`, "verl", { aggregation, ...norm }),
    loss(`B_verl_vanilla_${aggregation}_hi0.28`, "verl", {
      aggregation,
      ...norm,
      loss: clip({ dualClip: 3, clipHigh: 0.28 }),
    }),
  ]),
  loss("B_verl_vanilla_token-mean", "memagent"),
  loss("B_verl_vanilla_token-mean", "rememr1"),
  loss("B_verl_vanilla_token-mean", "rememr1-released"),
  loss("B_verl_gspo(3e-4,4e-4)", "verl", { loss: { kind: "gspo" }, aggregation: "seq-mean-token-mean" }),
  loss("B_verl_cispo", "verl", { loss: { kind: "cispo" } }),
  loss(slimeRows, "slime"),
  loss(slimeRows, "memagent-vime", { loss: clip({ clampLogRatio: null }) }),
  loss("B_slime_per_token", "slime", { aggregation: "token-mean" }),
  loss("B_slime_per_token_c3", "slime", {
    aggregation: "token-mean",
    loss: clip({ dualClip: 3, clampLogRatio: null }),
  }),
  loss("B_trl_grpo", "trl-grpo"),
  loss("B_trl_dapo", "trl"),
  loss("B_trl_dr_grpo(max_len=8)", "trl", { aggregation: "batch-token-norm", normTokens: 8 }),
  loss("B_trl_dapo_delta3", "trl", { loss: clip({ dualClip: 3 }) }),
  loss("B_trl_dapo_beta0.04", "trl", { kl: { ...presets.trl.kl, coefficient: 0.04 } }),
  loss("B_prime_default(DPPO)", "prime"),
  { kind: "micro-batches", golden: "C_global_token_mean", preset: "verl", denominators: "global" },
  {
    kind: "micro-batches",
    golden: "C_legacy_mean_of_microbatch_token_means(mb=1)",
    preset: "verl",
    denominators: "own",
  },
];

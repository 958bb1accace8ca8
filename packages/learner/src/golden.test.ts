import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadBackend } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, it } from "vitest";
import { groupAdvantages } from "./advantages.js";
import { aggregationWeights } from "./aggregation.js";
import { klEstimate } from "./kl.js";
import { tensorAlgebra } from "./loss-algebra.js";
import {
  type AdvantageConfig as Advantage,
  AdvantageConfig,
  type Aggregation,
  KlConfig,
  LossConfig,
} from "./loss-config.js";
import { tokenStatistics } from "./metrics.js";
import { policyLoss } from "./policy-loss.js";
import { type PresetName, presets } from "./preset.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const shared = process.env["PALIMPSEST_SHARED"] ?? `${root}../shared`;
const path = `${shared}/fixtures/losses/golden.json`;
const missing = !existsSync(path);

interface Case {
  readonly loss: number;
  readonly grad: readonly number[];
  readonly clipfrac?: number;
  readonly lower?: number;
  readonly ppo_kl?: number;
}
const golden = missing ? {} : (JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>);
const caseOf = (name: string) => {
  const found = golden[name];
  if (found === undefined) throw new Error(`${path} has no case ${name}`);
  return found as Case;
};
const matrices = () =>
  golden["B_in"] as Record<"new" | "old" | "ref" | "mask" | "adv", readonly (readonly number[])[]>;

const advantageConfig = (input: Parameters<typeof AdvantageConfig.parse>[0]): Advantage =>
  AdvantageConfig.parse(input);
const noKl = KlConfig.parse({});

/** Loss and gradient of fixture B, as one batch or row by row with the same global weights. */
function evaluate(
  loss: LossConfig,
  aggregation: Aggregation,
  options: { readonly normTokens?: number; readonly kl?: KlConfig; readonly rowByRow?: boolean } = {},
) {
  const b = matrices();
  const rows = b.mask.map((mask, index) => ({
    tokens: mask.reduce((sum, value) => sum + value, 0),
    trajectoryId: `t${index}`,
  }));
  const weights = aggregationWeights(rows, aggregation, options.normTokens);
  const parts = options.rowByRow ? rows.map((_, index) => [index]) : [rows.map((_, index) => index)];
  let total = 0;
  const grad: number[] = [];
  for (const part of parts) {
    const pick = (name: keyof typeof b) => tf.tensor2d(part.map((i) => [...(b[name][i] ?? [])]));
    const constants = {
      oldLogprobs: pick("old"),
      refLogprobs: pick("ref"),
      lossMask: pick("mask"),
      advantages: tf.tensor2d(part.map((i) => [b.adv[i]?.[0] ?? Number.NaN])),
      tokenWeights: tf.tensor2d(part.map((i) => [weights[i] ?? Number.NaN])),
    };
    const f = (policyLogprobs: tf.Tensor) =>
      policyLoss(
        tensorAlgebra,
        { policyLogprobs, ...constants },
        {
          loss,
          kl: options.kl ?? noKl,
          importance: { kind: "none" },
          entropyCoefficient: 0,
        },
      ) as tf.Scalar;
    const result = tf.valueAndGrad(f)(pick("new"));
    total += result.value.dataSync()[0] ?? Number.NaN;
    grad.push(...result.grad.dataSync());
  }
  return { loss: total, grad };
}

function expectCase(name: string, actual: { loss: number; grad: readonly number[] }) {
  const wanted = caseOf(name);
  expect(Math.abs(actual.loss - wanted.loss), `${name} loss ${actual.loss}`).toBeLessThan(1e-6);
  expect(actual.grad).toHaveLength(wanted.grad.length);
  wanted.grad.forEach((value, index) => {
    expect(Math.abs((actual.grad[index] ?? Number.NaN) - value), `${name} grad[${index}]`).toBeLessThan(1e-6);
  });
}

const clip = (extra: Record<string, unknown> = {}) => LossConfig.parse({ kind: "clip", ...extra });
const presetLoss = (name: PresetName) => LossConfig.parse(presets[name].loss);

describe.skipIf(missing)(
  `golden numbers of neighbouring systems${missing ? " (fixture not here)" : ""}`,
  () => {
    beforeAll(async () => {
      await loadBackend({ prefer: "cpu" });
    });

    it.each<[string, Parameters<typeof AdvantageConfig.parse>[0]]>([
      ["A_verl_grpo(std unbiased,eps1e-6)", presets.verl.advantage],
      ["A_slime(c/(std(c)+1e-6))", presets.slime.advantage],
      ["A_trl(std unbiased,eps1e-4)", presets.trl.advantage],
      ["A_prime(centre only)", presets.prime.advantage],
      ["A_verl_drgrpo", presets.memagent.advantage],
      ["A_art(std population,eps1e-6)", { kind: "grpo", ddof: 0, epsilon: 1e-6 }],
      ["A_verl_rloo", { kind: "rloo" }],
    ])("advantages equal %s", (name, input) => {
      const actual = groupAdvantages(golden["A_rewards"] as number[], advantageConfig(input));
      const wanted = golden[name] as number[];
      actual.forEach((value, index) => {
        expect(Math.abs(value - (wanted[index] ?? Number.NaN))).toBeLessThan(1e-6);
      });
    });

    it("the verl preset trains a lone episode on its bare reward, the others on nothing", () => {
      const [lone] = groupAdvantages([0.7], advantageConfig(presets.verl.advantage));
      expect(lone).toBeCloseTo((golden["A_singleton_verl(r=0.7)"] as number[])[0] ?? Number.NaN, 6);
      expect(groupAdvantages([0.7], advantageConfig(presets.trl.advantage))).toEqual([0]);
    });

    it.each(["k1", "k2", "k3"] as const)("KL estimator %s equals verl's and slime's", (estimator) => {
      const b = matrices();
      const config = { ...noKl, estimator };
      const policy = tf.tensor2d(b.new.map((row) => [...row]));
      const actual = klEstimate(
        tensorAlgebra,
        policy,
        tf.tensor2d(b.ref.map((row) => [...row])),
        config,
      ).dataSync();
      for (const system of ["verl", "slime"]) {
        (golden[`B_${system}_kl_${estimator}`] as number[]).forEach((value, index) => {
          expect(Math.abs((actual[index] ?? Number.NaN) - value)).toBeLessThan(1e-6);
        });
      }
    });

    it.each([
      ["token-mean", undefined],
      ["seq-mean-token-sum", undefined],
      ["seq-mean-token-mean", undefined],
      ["seq-mean-token-sum-norm", 3],
    ] as const)("the verl loss with %s has verl's value and gradient", (aggregation, normTokens) => {
      const norm = normTokens === undefined ? {} : { normTokens };
      expectCase(`B_verl_vanilla_${aggregation}`, evaluate(presetLoss("verl"), aggregation, norm));
      const high = clip({ dualClip: 3, clipHigh: 0.28 });
      expectCase(`B_verl_vanilla_${aggregation}_hi0.28`, evaluate(high, aggregation, norm));
    });

    it("clip fractions and the policy KL are counted as verl counts them", () => {
      const b = matrices();
      const wanted = caseOf("B_verl_vanilla_token-mean");
      const statistics = tokenStatistics(presetLoss("verl"));
      b.mask.forEach((mask, r) => {
        mask.forEach((trained, t) => {
          if (trained === 0) return;
          statistics.add({
            policyLogprob: b.new[r]?.[t] ?? Number.NaN,
            rolloutLogprob: b.old[r]?.[t] ?? Number.NaN,
            advantage: b.adv[r]?.[t] ?? Number.NaN,
          });
        });
      });
      const result = statistics.result();
      expect(result.clipFractionHigh + result.clipFractionLow).toBeCloseTo(wanted.clipfrac ?? Number.NaN, 9);
      expect(result.dualClipFraction).toBeCloseTo(wanted.lower ?? Number.NaN, 9);
      expect(result.policyKl).toBeCloseTo(wanted.ppo_kl ?? Number.NaN, 9);
      expect(result.ratioMax).toBeCloseTo((golden["B_ratio"] as number[])[3] ?? Number.NaN, 8);
    });

    it("GSPO and CISPO have verl's value and gradient", () => {
      const gspo = LossConfig.parse({ kind: "gspo" });
      expectCase("B_verl_gspo(3e-4,4e-4)", evaluate(gspo, "seq-mean-token-mean"));
      expectCase("B_verl_cispo", evaluate(LossConfig.parse({ kind: "cispo" }), "token-mean"));
    });

    it("the slime, trl and prime presets have their systems' values and gradients", () => {
      const slime = evaluate(presetLoss("slime"), presets.slime.aggregation);
      expectCase("B_slime_default(per-rollout mean,no dual clip)", slime);
      expectCase("B_slime_per_token", evaluate(presetLoss("slime"), "token-mean"));
      expectCase("B_slime_per_token_c3", evaluate(clip({ dualClip: 3, clampLogRatio: null }), "token-mean"));
      expectCase("B_trl_grpo", evaluate(presetLoss("trl-grpo"), presets["trl-grpo"].aggregation));
      expectCase("B_trl_dapo", evaluate(presetLoss("trl"), presets.trl.aggregation));
      expectCase(
        "B_trl_dr_grpo(max_len=8)",
        evaluate(presetLoss("trl"), "batch-token-norm", { normTokens: 8 }),
      );
      expectCase("B_trl_dapo_delta3", evaluate(clip({ dualClip: 3 }), "token-mean"));
      const kl = KlConfig.parse({ ...presets.trl.kl, coefficient: 0.04 });
      expectCase("B_trl_dapo_beta0.04", evaluate(presetLoss("trl"), "token-mean", { kl }));
      expectCase("B_prime_default(DPPO)", evaluate(presetLoss("prime"), presets.prime.aggregation));
    });

    it("the sum over micro-batches is the batch's loss, not the mean of micro-batch means", () => {
      const whole = evaluate(presetLoss("verl"), "token-mean");
      const cut = evaluate(presetLoss("verl"), "token-mean", { rowByRow: true });
      expect(cut.loss).toBeCloseTo(golden["C_global_token_mean"] as number, 6);
      expect(cut.loss).not.toBeCloseTo(golden["C_legacy_mean_of_microbatch_token_means(mb=1)"] as number, 2);
      cut.grad.forEach((value, index) => {
        expect(value).toBeCloseTo(whole.grad[index] ?? Number.NaN, 6);
      });
    });
  },
);

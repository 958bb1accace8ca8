import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadBackend, tf } from "@palimpsest/jit";
import {
  type BuiltInAdvantage as Advantage,
  type Aggregation,
  aggregationWeights,
  BuiltInAdvantage,
  groupAdvantages,
  KlConfig,
  klEstimate,
  LossConfig,
  type LossTerms,
  type PresetName,
  presets,
  tensorAlgebra,
  tokenStatistics,
} from "@palimpsest/learner";
import { beforeAll, describe, expect, it } from "vitest";
import { type EvaluatedLoss, evaluateLoss } from "./evaluate-loss.js";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
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

const advantageConfig = (input: Parameters<typeof BuiltInAdvantage.parse>[0]): Advantage =>
  BuiltInAdvantage.parse(input);
const noKl = KlConfig.parse({});

interface EvaluateOptions {
  readonly normTokens?: number;
  readonly kl?: KlConfig;
  readonly rowByRow?: boolean;
}

interface Evaluated {
  readonly loss: number;
  readonly grad: readonly number[];
}

/** Loss and gradient of fixture B in float32 tensors and in float64, as one batch or row by row with global weights. */
function evaluate(
  loss: LossConfig,
  aggregation: Aggregation,
  options: EvaluateOptions = {},
): { readonly float: Evaluated; readonly double: Evaluated } {
  const b = matrices();
  const rows = b.mask.map((mask, index) => ({
    tokens: mask.reduce((sum, value) => sum + value, 0),
    trajectoryId: `t${index}`,
  }));
  const weights = aggregationWeights(rows, aggregation, options.normTokens);
  const parts = options.rowByRow ? rows.map((_, index) => [index]) : [rows.map((_, index) => index)];
  const terms: LossTerms = {
    loss,
    kl: options.kl ?? noKl,
    importance: { kind: "none" },
    entropyCoefficient: 0,
  };
  const evaluated = parts.map((part) => {
    const pick = (name: keyof typeof b) => part.map((i) => [...(b[name][i] ?? [])]);
    const values = {
      policyLogprobs: pick("new"),
      oldLogprobs: pick("old"),
      refLogprobs: pick("ref"),
      lossMask: pick("mask"),
      advantages: part.map((i) => [b.adv[i]?.[0] ?? Number.NaN]),
      tokenWeights: part.map((i) => [weights[i] ?? Number.NaN]),
    };
    const { float32, double } = evaluateLoss(values, terms);
    const named = ({ loss, gradient }: EvaluatedLoss): Evaluated => ({ loss, grad: gradient });
    return { float: named(float32), double: named(double) };
  });
  const joined = (of: "float" | "double"): Evaluated => ({
    loss: evaluated.reduce((sum, part) => sum + part[of].loss, 0),
    grad: evaluated.flatMap((part) => part[of].grad),
  });
  return { float: joined("float"), double: joined("double") };
}

/** 1e-6 in float64 (the fixture has nine decimals), and in float32 too: the numbers are small. */
function expectCase(name: string, { float, double }: ReturnType<typeof evaluate>) {
  const wanted = caseOf(name);
  for (const [width, actual, within] of [
    ["float64", double, 1e-8],
    ["float32", float, 1e-6],
  ] as const) {
    // slime computes in float32 itself.
    const tolerance = name.startsWith("B_slime") ? 1e-6 : within;
    expect(Math.abs(actual.loss - wanted.loss), `${name} ${width} loss`).toBeLessThan(tolerance);
    expect(actual.grad).toHaveLength(wanted.grad.length);
    wanted.grad.forEach((value, index) => {
      const off = Math.abs((actual.grad[index] ?? Number.NaN) - value);
      expect(off, `${name} ${width} grad[${index}]`).toBeLessThan(tolerance);
    });
  }
}

const clip = (extra: Record<string, unknown> = {}) => LossConfig.parse({ kind: "clip", ...extra });
const presetLoss = (name: PresetName) => LossConfig.parse(presets[name].loss);

describe.skipIf(missing)(
  `golden numbers of neighboring systems${missing ? " (fixture not here)" : ""}`,
  () => {
    beforeAll(async () => {
      await loadBackend({ prefer: "cpu" });
    });

    it.each<[string, Parameters<typeof BuiltInAdvantage.parse>[0]]>([
      ["A_verl_grpo(std unbiased,eps1e-6)", presets.verl.advantage],
      ["A_slime(c/(std(c)+1e-6))", presets.slime.advantage],
      ["A_trl(std unbiased,eps1e-4)", presets.trl.advantage],
      ["A_prime(centre only)", presets.prime.advantage],
      ["A_verl_drgrpo", presets.memagent.advantage],
      ["A_verl_drgrpo", presets.rememr1.advantage],
      ["A_slime(c/(std(c)+1e-6))", presets["memagent-vime"].advantage],
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

    it("the memagent presets have the values and gradients of the systems that they come from, KL added", () => {
      // MemAgent and ReMemR1 run on verl; their KL of 0.001 is β · Σ w · k3 on top of verl's golden loss.
      for (const name of ["memagent", "rememr1"] as const) {
        expect(presets[name].aggregation).toBe("token-mean");
        expectCase("B_verl_vanilla_token-mean", evaluate(presetLoss(name), presets[name].aggregation));
        const kl = KlConfig.parse(presets[name].kl);
        const { double, float } = evaluate(presetLoss(name), presets[name].aggregation, { kl });
        const k3 = golden["B_verl_kl_k3"] as number[];
        const trained = matrices().mask.flat();
        const added = k3.reduce((sum, value, i) => sum + (value * (trained[i] ?? 0)) / 5, 0);
        const wanted = caseOf("B_verl_vanilla_token-mean").loss + 1e-3 * added;
        expect(Math.abs(double.loss - wanted)).toBeLessThan(1e-8);
        expect(Math.abs(float.loss - wanted)).toBeLessThan(1e-6);
      }
      // vime runs on slime's algorithms: the row mean is slime's per-rollout mean where every row is a rollout; clip-higher
      // takes the one clipped token (A = 1, ratio 1.2214 under 1.3) as it is.
      const vime = evaluate(presetLoss("memagent-vime"), presets["memagent-vime"].aggregation);
      const slime = caseOf("B_slime_default(per-rollout mean,no dual clip)");
      const ratio = (golden["B_ratio"] as number[])[0] ?? Number.NaN;
      expect(Math.abs(vime.double.loss - (slime.loss - (ratio - 1.2) / 6))).toBeLessThan(1e-6);
      expect(Math.abs((vime.double.grad[0] ?? Number.NaN) + ratio / 6)).toBeLessThan(1e-8);
      expect(vime.double.grad.slice(1).map((g) => g.toFixed(6))).toEqual(
        slime.grad.slice(1).map((g) => g.toFixed(6)),
      );
    });

    it("the sum over micro-batches is the batch's loss, not the mean of micro-batch means", () => {
      const whole = evaluate(presetLoss("verl"), "token-mean");
      const cut = evaluate(presetLoss("verl"), "token-mean", { rowByRow: true });
      const legacy = golden["C_legacy_mean_of_microbatch_token_means(mb=1)"] as number;
      for (const width of ["float", "double"] as const) {
        expect(cut[width].loss).toBeCloseTo(golden["C_global_token_mean"] as number, 6);
        expect(cut[width].loss).not.toBeCloseTo(legacy, 2);
        cut[width].grad.forEach((value, index) => {
          expect(value).toBeCloseTo(whole[width].grad[index] ?? Number.NaN, 6);
        });
      }
    });
  },
);

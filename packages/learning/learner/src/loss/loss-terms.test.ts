import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import { ImportanceConfig, KlConfig, LossConfig } from "../config/loss-config.js";
import { type Double, doubleAlgebra, doubleGradient, doubleMatrix } from "./double-algebra.js";
import { importanceWeights } from "./importance.js";
import { tensorAlgebra } from "./loss-algebra.js";
import { type LossTerms, policyLoss } from "./policy-loss.js";

// Three conversations of four tokens, one token masked in each, both signs of the advantage, ratios inside and
// outside of every bound, sampler and trainer apart by up to a nat.
const policy = [
  [-0.5, -1.0, -2.0, -0.9],
  [-0.3, -0.9, -1.5, -0.2],
  [-2.2, -0.4, -0.8, -1.7],
];
const old = [
  [-0.7, -0.9, -1.2, -0.8],
  [-1.6, -0.8, -1.5, -0.6],
  [-1.1, -0.5, -0.9, -1.6],
];
const rollout = [
  [-0.6, -1.9, -1.2, -0.8],
  [-1.6, -1.5, -1.3, -0.1],
  [-1.2, -0.45, -3.1, -1.6],
];
const reference = [
  [-0.6, -1.2, -1.7, -1.0],
  [-0.4, -0.7, -1.0, -0.3],
  [-2.0, -0.6, -0.7, -1.5],
];
const entropies = [
  [0.9, 1.1, 0.3, 0.8],
  [0.2, 0.6, 1.4, 0.5],
  [1.0, 0.7, 0.4, 1.2],
];
const mask = [
  [1, 1, 1, 0],
  [1, 1, 0, 1],
  [0, 1, 1, 1],
];
const advantages = [1, -0.5, 0.75];
const weights = [0.125, 0.25, 0.0625];

type Matrix = readonly (readonly number[])[];
const at = (m: Matrix, r: number, t: number): number => m[r]?.[t] ?? Number.NaN;
const clampTo = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

/** The definitions again, in plain numbers; `frozen` stands where the gradient must not flow. */
function oracle(terms: LossTerms, p: Matrix, frozen: Matrix, entropy: Matrix): number {
  let total = 0;
  for (let r = 0; r < mask.length; r++) {
    const places = [0, 1, 2, 3].filter((t) => at(mask, r, t) === 1);
    const sumOf = (f: (t: number) => number) => places.reduce((sum, t) => sum + f(t), 0);
    const A = advantages[r] ?? Number.NaN;
    const sequence = Math.exp(sumOf((t) => at(old, r, t) - at(rollout, r, t)));
    const geometric = sequence ** (1 / places.length);
    for (const t of places) {
      const token = lossOf(terms.loss, A, at(p, r, t), at(frozen, r, t), at(old, r, t), () =>
        Math.exp(sumOf((s) => at(p, r, s) - at(old, r, s)) / places.length),
      );
      const ratio = Math.exp(at(old, r, t) - at(rollout, r, t));
      const importance = importanceOf(terms.importance, ratio, sequence, geometric);
      const d = at(reference, r, t) - at(p, r, t);
      const kl = { k1: -d, k2: (d * d) / 2, k3: Math.exp(d) - d - 1, abs: Math.abs(d) }[terms.kl.estimator];
      const regular = terms.kl.coefficient * kl - terms.entropyCoefficient * at(entropy, r, t);
      total += (weights[r] ?? Number.NaN) * (importance * token + regular);
    }
  }
  return total;
}

function lossOf(
  loss: LossConfig,
  A: number,
  p: number,
  frozen: number,
  o: number,
  sequenceRatio: () => number,
): number {
  const ratio = Math.exp(p - o);
  const surrogate = (r: number, low: number, high: number) =>
    Math.max(-r * A, -clampTo(r, 1 - low, 1 + high) * A);
  if (loss.kind === "clip") {
    const plain = surrogate(ratio, loss.clipLow, loss.clipHigh);
    return A < 0 && loss.dualClip !== null ? Math.min(plain, -loss.dualClip * A) : plain;
  }
  if (loss.kind === "gspo") return surrogate(sequenceRatio(), loss.clipLow, loss.clipHigh);
  if (loss.kind === "cispo")
    return -clampTo(Math.exp(frozen - o), 1 - loss.clipLow, 1 + loss.clipHigh) * A * p;
  const moved = Math.exp(frozen) - Math.exp(o);
  const dropped = A > 0 ? moved > loss.maskHigh : moved < -loss.maskLow;
  return (dropped ? 0 : -A * ratio) + loss.tau * (p - o) ** 2;
}

function importanceOf(config: ImportanceConfig, token: number, sequence: number, geometric: number): number {
  switch (config.kind) {
    case "none":
      return 1;
    case "tis-token":
      return Math.min(token, config.cap);
    case "tis-sequence":
      return Math.min(config.length === "sum" ? sequence : geometric, config.cap);
    case "sequence-mask": {
      const ratio = config.length === "sum" ? sequence : geometric;
      return ratio < config.low || ratio > config.high ? 0 : config.weigh ? ratio : 1;
    }
    case "icepop":
      return token < config.low || token > config.high ? 0 : token;
  }
}

/** Central differences of the oracle, in the policy's log-probabilities and in the entropies. */
function oracleGradient(terms: LossTerms, of: "policy" | "entropy"): number[] {
  const h = 1e-6;
  const moved = (m: Matrix, r: number, t: number, by: number) =>
    m.map((row, i) => row.map((x, j) => (i === r && j === t ? x + by : x)));
  return mask.flatMap((row, r) =>
    row.map((_, t) => {
      const value = (by: number) =>
        of === "policy"
          ? oracle(terms, moved(policy, r, t, by), policy, entropies)
          : oracle(terms, policy, policy, moved(entropies, r, t, by));
      return (value(h) - value(-h)) / (2 * h);
    }),
  );
}

const column = (values: readonly number[]) => values.map((value) => [value]);

function inDouble(terms: LossTerms) {
  const policyLogprobs = doubleMatrix(policy);
  const entropy = doubleMatrix(entropies);
  const given = {
    policyLogprobs,
    entropy,
    oldLogprobs: doubleMatrix(old),
    rolloutLogprobs: doubleMatrix(rollout),
    refLogprobs: doubleMatrix(reference),
    lossMask: doubleMatrix(mask),
    advantages: doubleMatrix(column(advantages)),
    tokenWeights: doubleMatrix(column(weights)),
  };
  const result: Double = policyLoss(doubleAlgebra, given, terms);
  doubleGradient(result);
  return { loss: result.values[0], policy: [...policyLogprobs.gradient], entropy: [...entropy.gradient] };
}

function inFloat(terms: LossTerms) {
  const put = (m: Matrix) => tf.tensor2d(m.map((row) => [...row]));
  return tf.tidy(() => {
    const given = {
      oldLogprobs: put(old),
      rolloutLogprobs: put(rollout),
      refLogprobs: put(reference),
      lossMask: put(mask),
      advantages: put(column(advantages)),
      tokenWeights: put(column(weights)),
    };
    const f = (policyLogprobs: tf.Tensor, entropy: tf.Tensor) =>
      policyLoss(tensorAlgebra, { ...given, policyLogprobs, entropy }, terms) as tf.Scalar;
    // Entropy always takes part, so that tf finds a path to it: with a coefficient of 0 its gradient is 0.
    const g = (p: tf.Tensor, e: tf.Tensor) => tf.add(f(p, e), tf.mul(tf.sum(e), 0)) as tf.Scalar;
    const { value, grads } = tf.valueAndGrads(g as (...x: tf.Tensor[]) => tf.Scalar)([
      put(policy),
      put(entropies),
    ]);
    return {
      loss: value.dataSync()[0],
      policy: [...(grads[0]?.dataSync() ?? [])],
      entropy: [...(grads[1]?.dataSync() ?? [])],
    };
  });
}

function expectTerms(terms: LossTerms) {
  const wanted = {
    loss: oracle(terms, policy, policy, entropies),
    policy: oracleGradient(terms, "policy"),
    entropy: oracleGradient(terms, "entropy"),
  };
  expect(wanted.policy.some((value) => Math.abs(value) > 1e-3)).toBe(true);
  const close = (actual: ReturnType<typeof inDouble> | ReturnType<typeof inFloat>, within: number) => {
    expect(Math.abs((actual.loss ?? Number.NaN) - wanted.loss)).toBeLessThan(within);
    for (const part of ["policy", "entropy"] as const) {
      expect(actual[part]).toHaveLength(wanted[part].length);
      wanted[part].forEach((value, index) => {
        expect(Math.abs((actual[part][index] ?? Number.NaN) - value), `${part} ${index}`).toBeLessThan(
          within,
        );
      });
    }
  };
  close(inDouble(terms), 1e-8);
  close(inFloat(terms), 1e-5);
}

const clip = LossConfig.parse({ kind: "clip" });
const plain: LossTerms = {
  loss: clip,
  kl: KlConfig.parse({}),
  importance: { kind: "none" },
  entropyCoefficient: 0,
};

describe("loss terms have the value and gradient of their definitions, in float64 and float32", () => {
  beforeAll(async () => {
    await loadBackend({ prefer: "cpu" });
  });

  it.each([
    { kind: "clip" },
    { kind: "clip", clipLow: 0.1, clipHigh: 0.28, dualClip: 3 },
    { kind: "gspo" },
    { kind: "gspo", clipLow: 0.5, clipHigh: 0.5 },
    { kind: "cispo" },
    { kind: "cispo", clipLow: 1, clipHigh: 3 },
    { kind: "dppo" },
  ] as const)("loss %o", (loss) => {
    expectTerms({ ...plain, loss: LossConfig.parse(loss) });
  });

  it.each([
    { kind: "tis-token" },
    { kind: "tis-token", cap: 1.1 },
    { kind: "tis-sequence" },
    { kind: "tis-sequence", cap: 5, length: "sum" },
    { kind: "sequence-mask" },
    { kind: "sequence-mask", low: 1, high: 6, weigh: false },
    { kind: "sequence-mask", low: 0.9, high: 2, length: "mean" },
    { kind: "icepop" },
    { kind: "icepop", low: 0.8, high: 1.2 },
  ] as const)("importance correction %o", (importance) => {
    expectTerms({ ...plain, importance: ImportanceConfig.parse(importance) });
  });

  it("a sequence's weight does not shrink with its length, unless its log-ratios are summed", () => {
    const tokens = 2000;
    // As far as a sampler in bfloat16 is from the learner, where it is a little surer than that.
    const rollout = Array.from({ length: tokens }, (_, t) => (t % 2 === 0 ? 0.03 : -0.027));
    const weight = (config: object) => {
      const importance = ImportanceConfig.parse({ kind: "tis-sequence", ...config });
      if (importance.kind === "none") return Number.NaN;
      const ones = doubleMatrix([rollout.map(() => 1)]);
      const inputs = {
        oldLogprobs: doubleMatrix([rollout.map(() => 0)]),
        rolloutLogprobs: doubleMatrix([rollout]),
        lossMask: ones,
      };
      return importanceWeights(doubleAlgebra, inputs, importance).values[0];
    };
    expect(weight({})).toBeCloseTo(1, 2);
    expect(weight({ length: "sum" })).toBeLessThan(0.06);
  });

  it("corrections differ from none and from each other on these numbers", () => {
    const losses = [
      { kind: "none" },
      { kind: "tis-token", cap: 1.1 },
      { kind: "tis-sequence" },
      { kind: "sequence-mask" },
      { kind: "icepop", low: 0.8, high: 1.2 },
    ] as const;
    const values = losses.map(
      (config) => inDouble({ ...plain, importance: ImportanceConfig.parse(config) }).loss,
    );
    expect(new Set(values).size).toBe(values.length);
  });

  it.each(["k1", "k2", "k3", "abs"] as const)("KL %s in the loss", (estimator) => {
    const kl = KlConfig.parse({ coefficient: 0.3, estimator });
    expectTerms({ ...plain, kl });
  });

  it("entropy bonus, with everything else at once", () => {
    expectTerms({
      loss: LossConfig.parse({ kind: "clip", dualClip: 3 }),
      kl: KlConfig.parse({ coefficient: 0.05 }),
      importance: ImportanceConfig.parse({ kind: "tis-token" }),
      entropyCoefficient: 0.02,
    });
  });

  it("a KL that belongs to the reward does not touch the loss", () => {
    const kl = KlConfig.parse({ coefficient: 0.3, in: "reward" });
    expect(inDouble({ ...plain, kl })).toEqual(inDouble(plain));
  });

  it("on-policy rows have ratio 1 with the gradient of −A · log p", () => {
    const policyLogprobs = doubleMatrix(policy);
    const result = policyLoss(
      doubleAlgebra,
      {
        policyLogprobs,
        oldLogprobs: doubleMatrix(old),
        lossMask: doubleMatrix(mask),
        advantages: doubleMatrix(column(advantages)),
        tokenWeights: doubleMatrix(column(weights)),
        onPolicy: doubleMatrix([[1], [1], [1]]),
      },
      plain,
    );
    doubleGradient(result);
    const wanted = mask.flatMap((row, r) =>
      row.map((trained) => -trained * (advantages[r] ?? 0) * (weights[r] ?? 0)),
    );
    wanted.forEach((value, index) => {
      expect(policyLogprobs.gradient[index]).toBeCloseTo(value, 12);
    });
  });
});

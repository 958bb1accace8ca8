import { entry, tf } from "@palimpsest/jit";
import {
  type Aggregation,
  aggregationWeights,
  BuiltInAdvantage,
  doubleAlgebra,
  doubleMatrix,
  groupAdvantages,
  KlConfig,
  klEstimate,
  LearnerError,
  type LossAlgebra,
  LossConfig,
  type LossTerms,
  presets,
  tensorAlgebra,
  tokenStatistics,
} from "@palimpsest/learner";
import { type Measure, maxDifference } from "../measure.js";
import { type EvaluatedLoss, evaluateLoss } from "./evaluate-loss.js";
import { type GoldenCase, goldenCases } from "./golden-case.js";
import type { Golden, GoldenBatch, GoldenValue } from "./golden-file.js";

/** The tolerances. The golden numbers have nine decimals, and slime's were computed in float32. */
const BARS = { double: 1e-6, float32: 1e-5 } as const;
type Width = keyof typeof BARS;
const WIDTHS = ["double", "float32"] as const;

/** The comparison with one golden value. */
export interface LossMeasure extends Measure {
  /** The preset with whose settings it was computed; "none" for settings that no preset has. */
  readonly preset: GoldenCase["preset"];
  readonly width: Width;
}

/**
 * Recomputes every golden value and gradient with the learner's own formulas, in float64 and in float32 tensors of
 * the active backend, and compares the results.
 * @throws {LearnerError} REFERENCE_INVALID for a golden value that is not known here, or that has a different form
 */
export function checkLosses(golden: Golden): readonly LossMeasure[] {
  const known = new Set(goldenCases.map((each) => each.golden));
  const unknown = [...golden.cases.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new LearnerError(
      "REFERENCE_INVALID",
      `golden case ${unknown} is not known, so it cannot be recomputed`,
    );
  }
  return goldenCases.flatMap((each) => {
    const wanted = golden.cases.get(each.golden);
    if (wanted === undefined) return [];
    const made = recompute(each, golden);
    return WIDTHS.flatMap((width) =>
      compare(each.golden, made[width], wanted).map(({ name, value }): LossMeasure => {
        return { preset: each.preset, width, name, value, bar: BARS[width], goal: "atMost" };
      }),
    );
  });
}

/** A recomputed value: numbers, or a loss with its gradient and further statistics. */
type Made = readonly number[] | (EvaluatedLoss & { readonly facts: Readonly<Record<string, number>> });

function compare(
  name: string,
  made: Made,
  wanted: GoldenValue,
): readonly { readonly name: string; readonly value: number }[] {
  if (!("loss" in made)) {
    const values = typeof wanted === "number" ? [wanted] : wanted;
    if (!Array.isArray(values)) throw otherForm(name);
    return [{ name, value: maxDifference(made, values) }];
  }
  if (typeof wanted === "number" || !("loss" in wanted)) throw otherForm(name);
  const facts = Object.entries(made.facts).flatMap(([fact, value]) => {
    const expected = wanted[fact as "clipfrac" | "lower" | "ppo_kl"];
    return expected === undefined ? [] : [{ name: `${name} ${fact}`, value: Math.abs(value - expected) }];
  });
  return [
    { name: `${name} loss`, value: Math.abs(made.loss - wanted.loss) },
    { name: `${name} gradient`, value: maxDifference(made.gradient, wanted.grad) },
    ...facts,
  ];
}

function otherForm(name: string): LearnerError {
  return new LearnerError("REFERENCE_INVALID", `golden case ${name} has another form than is recomputed`);
}

function recompute(of: GoldenCase, { rewards, batch }: Golden): Readonly<Record<Width, Made>> {
  switch (of.kind) {
    case "advantage": {
      const config = BuiltInAdvantage.parse(of.advantage);
      // As in the learner, advantages are computed in float64 and passed to the device in float32.
      const double = [...groupAdvantages(of.lone === undefined ? rewards : [of.lone], config)];
      return { double, float32: double.map(Math.fround) };
    }
    case "ratio":
      return perToken(batch, "old", (algebra, policy, old) => algebra.exp(algebra.sub(policy, old)));
    case "kl": {
      const config = KlConfig.parse({ ...presets.slime.kl, estimator: of.estimator });
      return perToken(batch, "ref", (algebra, policy, ref) => klEstimate(algebra, policy, ref, config));
    }
    case "loss": {
      const terms = termsOf(of.loss, of.kl ?? {});
      const facts = factsOf(batch, terms.loss);
      const { double, float32 } = evaluateRows(batch, weightsOf(batch, of.aggregation, of.normTokens), terms);
      return { double: { ...double, facts }, float32: { ...float32, facts } };
    }
    case "micro-batches":
      return microBatches(batch, of.denominators);
  }
}

function perToken(
  batch: GoldenBatch,
  other: "old" | "ref",
  f: <V>(algebra: LossAlgebra<V>, policy: V, other: V) => V,
): Record<Width, readonly number[]> {
  const double = [...f(doubleAlgebra, doubleMatrix(batch.new), doubleMatrix(batch[other])).values];
  const float32 = tf.tidy(() => [
    ...f<tf.Tensor>(tensorAlgebra, tf.tensor2d(batch.new), tf.tensor2d(batch[other])).dataSync(),
  ]);
  return { double, float32 };
}

function termsOf(
  loss: Parameters<typeof LossConfig.parse>[0],
  kl: Parameters<typeof KlConfig.parse>[0],
): LossTerms {
  return {
    loss: LossConfig.parse(loss),
    kl: KlConfig.parse(kl),
    importance: { kind: "none" },
    entropyCoefficient: 0,
  };
}

function evaluateRows(batch: GoldenBatch, weights: ArrayLike<number>, terms: LossTerms) {
  const numbers = {
    policyLogprobs: batch.new,
    oldLogprobs: batch.old,
    refLogprobs: batch.ref,
    lossMask: batch.mask,
    advantages: batch.adv.map((row) => [row[0] as number]),
    tokenWeights: Array.from(weights, (weight) => [weight]),
  };
  return evaluateLoss(numbers, terms);
}

function weightsOf(batch: GoldenBatch, aggregation: Aggregation, normTokens?: number): Float64Array {
  const rows = batch.mask.map((mask, row) => ({
    tokens: mask.reduce((sum, value) => sum + value, 0),
    trajectoryId: String(row),
  }));
  return aggregationWeights(rows, aggregation, normTokens);
}

function microBatches(batch: GoldenBatch, denominators: "global" | "own"): Record<Width, readonly number[]> {
  const terms = termsOf(presets.verl.loss, {});
  const weights = weightsOf(batch, "token-mean");
  const parts = batch.mask.map((_, row) => {
    const only: GoldenBatch = {
      new: [entry(batch.new, row)],
      old: [entry(batch.old, row)],
      ref: [entry(batch.ref, row)],
      mask: [entry(batch.mask, row)],
      adv: [entry(batch.adv, row)],
    };
    const own = denominators === "own" ? weightsOf(only, "token-mean") : [weights[row] as number];
    return evaluateRows(only, own, terms);
  });
  const parties = denominators === "own" ? parts.length : 1;
  const sumOf = (width: Width) => parts.reduce((sum, part) => sum + part[width].loss, 0) / parties;
  return { double: [sumOf("double")], float32: [sumOf("float32")] };
}

/** Computes the statistics of a loss on the host in float64, as for the learner's reports. */
function factsOf(batch: GoldenBatch, loss: LossConfig): Readonly<Record<string, number>> {
  const statistics = tokenStatistics(loss);
  batch.mask.forEach((mask, row) => {
    mask.forEach((trained, t) => {
      if (trained === 0) return;
      statistics.add({
        policyLogprob: batch.new[row]?.[t] ?? Number.NaN,
        rolloutLogprob: batch.old[row]?.[t] ?? Number.NaN,
        advantage: batch.adv[row]?.[t] ?? Number.NaN,
      });
    });
  });
  const { clipFractionHigh, clipFractionLow, dualClipFraction, policyKl } = statistics.result();
  return { clipfrac: clipFractionHigh + clipFractionLow, lower: dualClipFraction, ppo_kl: policyKl };
}

import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import { Aggregation, KlConfig, LossConfig } from "../config/loss-config.js";
import { aggregationWeights } from "./aggregation.js";
import { tensorAlgebra } from "./loss-algebra.js";
import { policyLoss } from "./policy-loss.js";

const mask = [
  [0, 1, 1],
  [1, 0, 0],
  [0, 0, 0],
];
const plain = [
  [-1, -2, -0.5],
  [-0.7, -1, -1],
  [-3, -1, -2],
];
const losses = (["clip", "gspo", "cispo", "dppo"] as const).map((kind) => LossConfig.parse({ kind }));
const termsOf = (loss: LossConfig) => ({
  loss,
  kl: KlConfig.parse({ coefficient: 0.1 }),
  importance: { kind: "none" as const },
  entropyCoefficient: 0,
});

/** Loss and gradient when the masked entries of every input are `filler`. */
function evaluate(loss: LossConfig, aggregation: Aggregation, filler: number) {
  const put = (offset: number) =>
    tf.tensor2d(plain.map((row, r) => row.map((x, t) => (mask[r]?.[t] === 1 ? x + offset : filler))));
  const rows = mask.map((row, r) => ({ tokens: row.reduce((a, b) => a + b, 0), trajectoryId: `t${r}` }));
  const constants = {
    oldLogprobs: put(0.1),
    refLogprobs: put(-0.2),
    lossMask: tf.tensor2d(mask),
    advantages: tf.tensor2d([[1], [-0.5], [2]]),
    tokenWeights: tf.tensor2d([...aggregationWeights(rows, aggregation, 4)], [3, 1]),
  };
  const f = (policyLogprobs: tf.Tensor) =>
    policyLoss(tensorAlgebra, { policyLogprobs, ...constants }, termsOf(loss)) as tf.Scalar;
  const { value, grad } = tf.valueAndGrad(f)(put(0));
  return { loss: [...value.dataSync()], grad: [...grad.dataSync()] };
}

describe("policyLoss", () => {
  beforeAll(async () => {
    await loadBackend({ prefer: "cpu" });
  });

  it.each(losses)("is finite with a row masked whole, in every aggregation ($kind)", (loss) => {
    for (const aggregation of Aggregation.options) {
      const result = evaluate(loss, aggregation, -1);
      for (const value of [...result.loss, ...result.grad]) expect(Number.isFinite(value)).toBe(true);
      expect(result.grad.slice(6).every((value) => value === 0)).toBe(true);
    }
  });

  it.each(losses)("does not see masked tokens, NaN and infinity included ($kind)", (loss) => {
    const wanted = evaluate(loss, "token-mean", 0);
    for (const filler of [-50, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(evaluate(loss, "token-mean", filler)).toEqual(wanted);
    expect(wanted.grad.filter((value) => value !== 0).length).toBeGreaterThanOrEqual(3);
  });

  it.each(losses)("stays finite where the policy ran far from the sampler ($kind)", (loss) => {
    const values = {
      lossMask: tf.ones([1, 2]),
      advantages: tf.tensor2d([[-1]]),
      tokenWeights: tf.tensor2d([[0.5]]),
    };
    const oldLogprobs = tf.tensor2d([[-90, -1]]);
    const f = (p: tf.Tensor) =>
      policyLoss(tensorAlgebra, { policyLogprobs: p, oldLogprobs, ...values }, termsOf(loss)) as tf.Scalar;
    const { value, grad } = tf.valueAndGrad(f)(tf.tensor2d([[-1, -90]]));
    for (const number of [...value.dataSync(), ...grad.dataSync()])
      expect(Number.isFinite(number)).toBe(true);
  });
});

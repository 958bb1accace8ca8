import { tf } from "../base/tf.js";
import { bools, type Case, floats, need } from "./case.js";

type Reduce = (x: tf.Tensor) => tf.Tensor;

const of = (...reductions: readonly Reduce[]): Case => ({
  inputs: { x: floats([2, 3, 4]) },
  body: (inputs) => reductions.map((reduce) => reduce(need(inputs, "x"))),
});

const gradientOf = (reduce: Reduce): Case => ({
  inputs: { x: floats([2, 3, 4]) },
  body: (inputs) => [tf.grad((x) => tf.sum(tf.square(reduce(x))))(need(inputs, "x"))],
});

export const reductionCases: Readonly<Record<string, Case>> = {
  all: {
    inputs: { x: bools([3, 4]) },
    body: (inputs) => [tf.all(need(inputs, "x")), tf.all(need(inputs, "x"), 1, true)],
  },
  any: {
    inputs: { x: bools([3, 4]) },
    body: (inputs) => [tf.any(need(inputs, "x")), tf.any(need(inputs, "x"), [0])],
  },
  argMax: of(
    (x) => tf.argMax(x, -1),
    (x) => tf.argMax(x, 0),
  ),
  argMin: of((x) => tf.argMin(x, 1)),
  cumprod: of((x) => tf.cumprod(x, 1)),
  cumsum: of(
    (x) => tf.cumsum(x, 2),
    (x) => tf.cumsum(x, 0, true, true),
  ),
  // tfjs has a wrong gradient along the other axes.
  cumsumGradient: gradientOf((x) => tf.cumsum(x, 2)),
  logSumExp: of((x) => tf.logSumExp(x, -1)),
  logSumExpGradient: gradientOf((x) => tf.logSumExp(x, -1)),
  max: of(
    (x) => tf.max(x),
    (x) => tf.max(x, [0, -1]),
    (x) => tf.max(x, 1, true),
  ),
  maxGradient: gradientOf((x) => tf.max(x, 1)),
  mean: of(
    (x) => tf.mean(x),
    (x) => tf.mean(x, -1, true),
  ),
  meanGradient: gradientOf((x) => tf.mean(x, -1)),
  min: of((x) => tf.min(x, 2)),
  minGradient: gradientOf((x) => tf.min(x, 2)),
  prod: of((x) => tf.prod(x, [1])),
  sum: of(
    (x) => tf.sum(x),
    (x) => tf.sum(x, [0, 2]),
    (x) => tf.sum(x, -1, true),
  ),
  sumGradient: gradientOf((x) => tf.sum(x, [0, 2])),
  topk: of(
    (x) => tf.topk(x, 2).values,
    (x) => tf.topk(x, 2).indices,
  ),
  variance: of((x) => tf.moments(x, [1]).variance),
};

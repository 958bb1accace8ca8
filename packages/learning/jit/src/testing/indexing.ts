import { tf } from "../base/tf.js";
import { adam } from "../ops/adam.js";
import { pickLogprob } from "../ops/pick-logprob.js";
import { randomUniform } from "../ops/random.js";
import { scatterRows } from "../ops/scatter-rows.js";
import { type Case, floats, ints, intsOf, need } from "./case.js";

export const indexingCases: Readonly<Record<string, Case>> = {
  gather: {
    inputs: { x: floats([5, 3]), at: ints([2, 4], 5), columns: ints([2], 3) },
    body: (inputs) => [
      tf.gather(need(inputs, "x"), need(inputs, "at")),
      tf.gather(need(inputs, "x"), need(inputs, "columns"), 1),
    ],
  },
  gatherBatch: {
    inputs: { x: floats([2, 5, 3]), at: ints([2, 4], 5) },
    body: (inputs) => [tf.gather(need(inputs, "x"), need(inputs, "at"), 1, 1)],
    // The wasm kernel reads outside its memory.
    lacking: ["wasm"],
  },
  gatherGradient: {
    inputs: { x: floats([5, 3]), at: intsOf([4], [0, 3, 3, 1]) },
    body: (inputs) => [
      tf.grad((x) => tf.sum(tf.square(tf.gather(x, need(inputs, "at")))))(need(inputs, "x")),
      tf.grad((x) => tf.sum(tf.square(tf.gather(x, intsColumn(), 1))))(need(inputs, "x")),
    ],
  },
  gatherND: {
    inputs: { x: floats([3, 4, 2]), at: intsOf([3, 2], [0, 1, 2, 3, 1, 0]) },
    body: (inputs) => [tf.gatherND(need(inputs, "x"), need(inputs, "at"))],
  },
  oneHot: {
    inputs: { at: ints([2, 3], 5) },
    body: (inputs) => [tf.oneHot(need(inputs, "at"), 5), tf.oneHot(need(inputs, "at"), 4, 2, -1, "float32")],
  },
  scatterND: {
    inputs: { at: intsOf([2, 1], [3, 1]), values: floats([2, 3]) },
    body: (inputs) => [tf.scatterND(need(inputs, "at"), need(inputs, "values"), [5, 3])],
  },
  tensorScatterUpdate: {
    inputs: { x: floats([4, 3]), at: intsOf([2, 1], [3, 0]), values: floats([2, 3], 5, 6) },
    body: (inputs) => [tf.tensorScatterUpdate(need(inputs, "x"), need(inputs, "at"), need(inputs, "values"))],
  },
  scatterRows: {
    inputs: { x: floats([2, 4, 3]), at: intsOf([2, 2], [0, 3, 1, 1]), values: floats([2, 3], 5, 6) },
    body: (inputs) => [scatterRows(need(inputs, "x"), need(inputs, "at"), need(inputs, "values"))],
  },
  unsortedSegmentSum: {
    inputs: { x: floats([5, 2]), at: intsOf([5], [0, 2, 2, 0, 3]) },
    body: (inputs) => [tf.unsortedSegmentSum(need(inputs, "x"), need(inputs, "at") as tf.Tensor1D, 4)],
  },
  pickLogprob: {
    inputs: { x: floats([4, 6]), at: ints([4], 6) },
    body: (inputs) => [pickLogprob(need(inputs, "x"), need(inputs, "at"))],
  },
  pickLogprobGradient: {
    inputs: { x: floats([4, 6]), at: ints([4], 6) },
    body: (inputs) => [tf.grad((x) => tf.sum(tf.exp(pickLogprob(x, need(inputs, "at")))))(need(inputs, "x"))],
  },
  adam: {
    inputs: { w: floats([3, 5]), m: floats([3, 5]), v: floats([3, 5], 0, 1), g: floats([3, 5]) },
    body: (inputs) => {
      const one = tf.scalar(1);
      const { weights, moment1, moment2 } = adam({
        weights: need(inputs, "w"),
        moment1: need(inputs, "m"),
        moment2: need(inputs, "v"),
        gradient: need(inputs, "g"),
        gradientScale: tf.scalar(0.5),
        stepSize: tf.scalar(1e-2),
        rootCorrection: one,
        beta1: 0.9,
        beta2: 0.95,
        epsilon: 1e-8,
      });
      return [weights, moment1, moment2];
    },
  },
  randomUniform: {
    inputs: { seed: intsOf([2], [7, -9]) },
    body: (inputs) => [randomUniform([3, 5], need(inputs, "seed"))],
  },

  matMul: {
    inputs: { a: floats([4, 3]), b: floats([3, 5]), c: floats([5, 3]) },
    body: (inputs) => [
      tf.matMul(need(inputs, "a"), need(inputs, "b")),
      tf.matMul(need(inputs, "a"), need(inputs, "c"), false, true),
      tf.matMul(need(inputs, "b"), need(inputs, "a"), true, true),
    ],
  },
  matMulBatch: {
    inputs: {
      a: floats([2, 3, 9, 4]),
      b: floats([2, 3, 9, 4], 0, 1),
      shared: floats([4, 5]),
    },
    body: (inputs) => [
      tf.matMul(need(inputs, "a"), need(inputs, "b"), false, true),
      tf.matMul(need(inputs, "a"), need(inputs, "b"), true, false),
      tf.matMul(need(inputs, "a"), need(inputs, "shared")),
    ],
  },
  matMulBroadcast: {
    inputs: { a: floats([2, 1, 4, 9]), b: floats([2, 3, 9, 4], 0, 1) },
    body: (inputs) => [tf.matMul(need(inputs, "a"), need(inputs, "b"))],
    // The cpu kernel pairs the wrong matrices.
    lacking: ["cpu"],
  },
  matMulGradient: {
    inputs: { a: floats([2, 4, 3]), b: floats([2, 5, 3]) },
    body: (inputs) =>
      tf.grads((a, b) => tf.sum(tf.square(tf.matMul(a, b, false, true))))([
        need(inputs, "a"),
        need(inputs, "b"),
      ]),
  },
  diag: { inputs: { x: floats([4]) }, body: (inputs) => [tf.diag(need(inputs, "x"))] },
  fill: { inputs: {}, body: () => [tf.fill([3, 30], 2.5), tf.zeros([40], "int32"), tf.ones([3, 3])] },
  linspace: { inputs: {}, body: () => [tf.linspace(0, 1, 7)] },
  range: { inputs: {}, body: () => [tf.range(0, 10, 3, "int32"), tf.range(5, 0, -2)] },
};

function intsColumn(): tf.Tensor {
  return tf.tensor1d([2, 0, 2], "int32");
}

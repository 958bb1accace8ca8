import { tf } from "../base/tf.js";
import { rotatePairs } from "../ops/rotate-pairs.js";
import { bools, type Case, floats, floatsOf, ints, need } from "./case.js";

type Unary = (x: tf.Tensor) => tf.Tensor;
type Binary = (a: tf.Tensor, b: tf.Tensor) => tf.Tensor;

const unary = (f: Unary, low?: number, high?: number): Case => ({
  inputs: { x: floats([3, 5], low, high) },
  body: (inputs) => [f(need(inputs, "x"))],
});

const binary = (f: Binary, low?: number, high?: number): Case => ({
  inputs: { a: floats([2, 3, 4], low, high), b: floats([3, 1], low, high) },
  body: (inputs) => [f(need(inputs, "a"), need(inputs, "b"))],
});

const compare = (f: Binary): Case => ({
  inputs: { a: ints([4, 3], 5), b: ints([3], 5) },
  body: (inputs) => [f(need(inputs, "a"), need(inputs, "b"))],
});

const gradientOf = (f: Unary, low?: number, high?: number): Case => ({
  inputs: { x: floats([3, 5], low, high) },
  body: (inputs) => [tf.grad((x) => tf.sum(tf.square(f(x))))(need(inputs, "x"))],
});

const special = floatsOf([5], [1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]);

export const elementwiseCases: Readonly<Record<string, Case>> = {
  abs: unary(tf.abs),
  acos: unary(tf.acos, -0.9, 0.9),
  acosh: unary(tf.acosh, 1.1, 4),
  asin: unary(tf.asin, -0.9, 0.9),
  asinh: unary(tf.asinh),
  atan: unary(tf.atan),
  atanh: unary(tf.atanh, -0.9, 0.9),
  ceil: unary(tf.ceil),
  cos: unary(tf.cos),
  cosh: unary(tf.cosh),
  elu: unary(tf.elu),
  eluGradient: gradientOf(tf.elu),
  erf: unary(tf.erf),
  exp: unary(tf.exp),
  expm1: unary(tf.expm1),
  floor: unary(tf.floor),
  leakyRelu: unary((x) => tf.leakyRelu(x, 0.1)),
  log: unary(tf.log, 0.1, 4),
  log1p: unary(tf.log1p, -0.5, 4),
  logSigmoid: unary(tf.logSigmoid),
  neg: unary(tf.neg),
  onesLike: unary(tf.onesLike),
  reciprocal: unary(tf.reciprocal, 0.5, 3),
  relu: unary(tf.relu),
  reluGradient: gradientOf(tf.relu),
  relu6: unary((x) => tf.relu6(tf.mul(x, 5))),
  round: unary(tf.round),
  rsqrt: unary(tf.rsqrt, 0.1, 4),
  selu: unary(tf.selu),
  sigmoid: unary(tf.sigmoid),
  sign: unary(tf.sign),
  sin: unary(tf.sin),
  sinh: unary(tf.sinh),
  softmax: unary((x) => tf.softmax(x, -1)),
  softmaxGradient: gradientOf((x) => tf.softmax(x, -1)),
  logSoftmax: unary((x) => tf.logSoftmax(x, -1)),
  logSoftmaxGradient: gradientOf((x) => tf.logSoftmax(x, -1)),
  softplus: unary(tf.softplus),
  sqrt: unary(tf.sqrt, 0.1, 4),
  square: unary(tf.square),
  step: unary((x) => tf.step(x)),
  tan: unary(tf.tan, -1, 1),
  tanh: unary(tf.tanh),
  tanhGradient: gradientOf(tf.tanh),
  zerosLike: unary(tf.zerosLike),
  rotatePairs: {
    inputs: { x: floats([2, 3, 4]), turns: floats([1, 3, 4]) },
    body: (inputs) => [rotatePairs(need(inputs, "x"), need(inputs, "turns"))],
  },
  rotatePairsGradient: {
    inputs: { x: floats([2, 3, 4]), turns: floats([1, 3, 4]) },
    body: (inputs) => {
      const loss = (x: tf.Tensor) => tf.sum(tf.square(rotatePairs(x, need(inputs, "turns")).sub(1)));
      return [tf.grad(loss)(need(inputs, "x"))];
    },
  },
  clipByValue: unary((x) => tf.clipByValue(x, -0.5, 0.7)),
  clipByValueGradient: gradientOf((x) => tf.clipByValue(x, -0.5, 0.7)),
  castToInt: unary((x) => tf.cast(x, "int32")),
  // The wasm kernel keeps the lowest byte instead of a truth value.
  castToBool: { ...unary((x) => tf.cast(tf.round(x), "bool")), lacking: ["wasm"] },
  castFromBool: { inputs: { x: bools([4]) }, body: (inputs) => [tf.cast(need(inputs, "x"), "float32")] },

  add: binary(tf.add),
  addGradient: gradientOf((x) => tf.add(x, tf.sum(x, 0, true))),
  atan2: binary(tf.atan2),
  div: binary(tf.div, 0.5, 3),
  divGradient: gradientOf((x) => tf.div(x, tf.sum(tf.square(x), 1, true)), 0.5, 3),
  floorDiv: compare((a, b) => tf.floorDiv(a, tf.add(b, tf.scalar(1, "int32")))),
  maximum: binary(tf.maximum),
  maximumGradient: gradientOf((x) => tf.maximum(x, tf.scalar(0.2))),
  minimum: binary(tf.minimum),
  minimumGradient: gradientOf((x) => tf.minimum(x, tf.scalar(0.2))),
  mod: compare((a, b) => tf.mod(a, tf.add(b, tf.scalar(2, "int32")))),
  mul: binary(tf.mul),
  mulInt: compare(tf.mul),
  pow: binary(tf.pow, 0.5, 2),
  powGradient: gradientOf((x) => tf.pow(x, tf.scalar(3)), 0.5, 2),
  squaredDifference: binary(tf.squaredDifference),
  sub: binary(tf.sub),
  addN: {
    inputs: { a: floats([2, 3]), b: floats([2, 3], 0, 1), c: floats([2, 3], 3, 4) },
    body: (inputs) => [tf.addN([need(inputs, "a"), need(inputs, "b"), need(inputs, "c")])],
  },

  equal: compare(tf.equal),
  greater: compare(tf.greater),
  greaterEqual: compare(tf.greaterEqual),
  less: compare(tf.less),
  lessEqual: compare(tf.lessEqual),
  notEqual: compare(tf.notEqual),
  logicalAnd: {
    inputs: { a: bools([3, 4]), b: bools([4]) },
    body: (inputs) => [tf.logicalAnd(need(inputs, "a"), need(inputs, "b"))],
  },
  logicalOr: {
    inputs: { a: bools([3, 4]), b: bools([4]) },
    body: (inputs) => [tf.logicalOr(need(inputs, "a"), need(inputs, "b"))],
  },
  logicalNot: { inputs: { a: bools([7]) }, body: (inputs) => [tf.logicalNot(need(inputs, "a"))] },
  isFinite: { inputs: { x: special }, body: (inputs) => [tf.isFinite(need(inputs, "x"))] },
  isInf: { inputs: { x: special }, body: (inputs) => [tf.isInf(need(inputs, "x"))] },
  isNaN: { inputs: { x: special }, body: (inputs) => [tf.isNaN(need(inputs, "x"))] },
  where: {
    inputs: { mask: bools([3, 4]), a: floats([3, 4]), b: floats([1, 4]) },
    body: (inputs) => [tf.where(need(inputs, "mask"), need(inputs, "a"), need(inputs, "b"))],
  },
  whereGradient: {
    inputs: { mask: bools([3, 4]), a: floats([3, 4]), b: floats([3, 4], 0, 1) },
    body: (inputs) =>
      tf.grads((a, b) => tf.sum(tf.square(tf.where(need(inputs, "mask"), a, b))))([
        need(inputs, "a"),
        need(inputs, "b"),
      ]),
  },
};

import { tf } from "../base/tf.js";
import { type Case, floats, need } from "./case.js";

type Move = (x: tf.Tensor) => readonly tf.Tensor[];

const of = (move: Move): Case => ({
  inputs: { x: floats([2, 3, 4]) },
  body: (inputs) => move(need(inputs, "x")),
});

const gradientOf = (move: Move): Case => ({
  inputs: { x: floats([2, 3, 4]) },
  body: (inputs) => [
    tf.grad((x) => tf.addN(move(x).map((part, index) => tf.sum(tf.mul(tf.square(part), index + 1)))))(
      need(inputs, "x"),
    ),
  ],
});

export const layoutCases: Readonly<Record<string, Case>> = {
  broadcastTo: of((x) => [tf.broadcastTo(tf.slice(x, [0, 0, 0], [2, 1, 4]), [5, 2, 3, 4])]),
  concat: of((x) => [tf.concat([x, x, tf.neg(x)], 1), tf.concat([x, x], -1)]),
  concatGradient: gradientOf((x) => [tf.concat([x, tf.square(x)], -1)]),
  expandDims: of((x) => [tf.expandDims(x), tf.expandDims(x, -1), tf.expandDims(x, 1)]),
  expandDimsGradient: gradientOf((x) => [tf.expandDims(x, 1)]),
  mirrorPad: of((x) => [
    tf.mirrorPad(
      x,
      [
        [0, 0],
        [1, 2],
        [2, 1],
      ],
      "reflect",
    ),
  ]),
  pad: of((x) => [
    tf.pad(
      x,
      [
        [1, 0],
        [0, 0],
        [2, 3],
      ],
      7,
    ),
  ]),
  padGradient: gradientOf((x) => [
    tf.pad(x, [
      [1, 0],
      [0, 0],
      [2, 3],
    ]),
  ]),
  reshape: of((x) => [tf.reshape(x, [4, -1]), tf.reshape(x, [24]), tf.squeeze(tf.reshape(x, [1, 24, 1]))]),
  reshapeGradient: gradientOf((x) => [tf.reshape(x, [6, 4])]),
  reverse: of((x) => [tf.reverse(x, [0, 2])]),
  reverseGradient: gradientOf((x) => [tf.reverse(x, 1)]),
  slice: of((x) => [tf.slice(x, [0, 1, 2], [2, 1, -1]), tf.slice(x, 1)]),
  sliceGradient: gradientOf((x) => [tf.slice(x, [0, 1, 0], [2, 2, 3])]),
  split: of((x) => [...tf.split(x, 2, -1), ...tf.split(x, [1, 2], 1)]),
  splitGradient: gradientOf((x) => tf.split(x, 2, 2)),
  stack: of((x) => [tf.stack([x, tf.neg(x)]), tf.stack([x, x], -1)]),
  stackGradient: gradientOf((x) => [tf.stack([x, tf.square(x)], 1)]),
  stridedSlice: of((x) => [
    tf.stridedSlice(x, [0, 2, 1], [2, 0, 4], [1, -1, 2]),
    tf.stridedSlice(x, [0, 0, 3], [2, 3, 0], [1, 1, -2]),
  ]),
  stridedSliceMasks: {
    ...of((x) => [tf.stridedSlice(x, [1, 0, 0], [2, 3, 3], [1, 2, 1], 0, 4, 0, 0, 1)]),
    // Both take the wrong elements where an axis is dropped.
    lacking: ["wasm", "cpu"],
  },
  tile: of((x) => [tf.tile(x, [2, 1, 3])]),
  tileGradient: gradientOf((x) => [tf.tile(x, [2, 1, 3])]),
  transpose: of((x) => [tf.transpose(x), tf.transpose(x, [1, 0, 2])]),
  transposeGradient: gradientOf((x) => [tf.transpose(x, [2, 0, 1])]),
  unstack: of((x) => [...tf.unstack(x, 1)]),
  unstackGradient: gradientOf((x) => tf.unstack(x, 1)),
};

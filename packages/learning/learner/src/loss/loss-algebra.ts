import { tf } from "@palimpsest/jit";

/**
 * The operations in which loss formulas are written, so that the same formula trains in float32 tensors and is
 * checked in float64. Values are [batch, time], [batch, 1] or [1, 1]; operands broadcast.
 */
export interface LossAlgebra<V> {
  add(a: V | number, b: V | number): V;
  sub(a: V | number, b: V | number): V;
  mul(a: V | number, b: V | number): V;
  div(a: V | number, b: V | number): V;
  minimum(a: V | number, b: V | number): V;
  maximum(a: V | number, b: V | number): V;
  exp(a: V): V;
  abs(a: V): V;
  square(a: V): V;
  /** 1 where a > b, else 0; no gradient. */
  greater(a: V | number, b: V | number): V;
  /** a where the condition is above 0, else b; a NaN in the other operand has no effect. Same shapes. */
  select(condition: V, a: V, b: V): V;
  zerosLike(a: V): V;
  /** Sum over the last axis, kept as 1. */
  sumTokens(a: V): V;
  /** Sum of everything. */
  sum(a: V): V;
  /** f(x) with no gradient into x. */
  detached(f: (x: V) => V, x: V): V;
}

/** Float32 tensors of the active backend; the caller's tidy disposes them. */
export const tensorAlgebra: LossAlgebra<tf.Tensor> = {
  add: (a, b) => tf.add(a, b),
  sub: (a, b) => tf.sub(a, b),
  mul: (a, b) => tf.mul(a, b),
  div: (a, b) => tf.div(a, b),
  minimum: (a, b) => tf.minimum(a, b),
  maximum: (a, b) => tf.maximum(a, b),
  exp: (a) => tf.exp(a),
  abs: (a) => tf.abs(a),
  square: (a) => tf.square(a),
  greater: (a, b) => tf.cast(tf.greater(a, b), "float32"),
  select: (condition, a, b) => tf.where(tf.greater(condition, 0), a, b),
  zerosLike: (a) => tf.zerosLike(a),
  sumTokens: (a) => tf.sum(a, -1, true),
  sum: (a) => tf.sum(a),
  detached(f, x) {
    const held = tf.customGrad((value) => ({
      value: f(value as tf.Tensor),
      gradFunc: () => tf.zerosLike(x),
    })) as (value: tf.Tensor) => tf.Tensor;
    return held(x);
  },
};

import type * as tf from "@tensorflow/tfjs-core";
import type { HostArray, TensorSpec } from "../base/spec.js";
import { sizeOf } from "../base/spec.js";

/** An input of a case: its shape, type and contents. */
export interface CaseInput extends TensorSpec {
  readonly values: HostArray;
}

/** One computation that is run both traced and eagerly, with the same inputs. */
export interface Case {
  readonly inputs: Readonly<Record<string, CaseInput>>;
  readonly body: (inputs: Readonly<Record<string, tf.Tensor>>) => readonly tf.Tensor[];
  /** Backends other than tensorflow that lack the operation. */
  readonly lacking?: readonly ("wasm" | "cpu")[];
}

/** Numbers without a repeating pattern, spread over [low, high]. */
export function floats(shape: readonly number[], low = -2, high = 2): CaseInput {
  const values = Float32Array.from({ length: sizeOf(shape) }, (_, index) => {
    const unit = (Math.sin(12.9898 * (index + 1)) * 43758.5453) % 1;
    return low + ((unit + 1) / 2) * (high - low);
  });
  return { shape, dtype: "float32", values };
}

export function ints(shape: readonly number[], limit: number): CaseInput {
  const values = Int32Array.from({ length: sizeOf(shape) }, (_, index) => (index * 7 + 3) % limit);
  return { shape, dtype: "int32", values };
}

export function intsOf(shape: readonly number[], values: readonly number[]): CaseInput {
  return { shape, dtype: "int32", values: Int32Array.from(values) };
}

export function floatsOf(shape: readonly number[], values: readonly number[]): CaseInput {
  return { shape, dtype: "float32", values: Float32Array.from(values) };
}

export function bools(shape: readonly number[]): CaseInput {
  const values = Uint8Array.from({ length: sizeOf(shape) }, (_, index) => ((index * 5) % 3 === 0 ? 1 : 0));
  return { shape, dtype: "bool", values };
}

/** Returns the named input of a case. */
export function need(inputs: Readonly<Record<string, tf.Tensor>>, name: string): tf.Tensor {
  const tensor = inputs[name];
  if (tensor === undefined) throw new Error(`the case has no input ${name}`);
  return tensor;
}

import { JitError } from "../base/error.js";
import type { AttributeProto, ShapeProto, TensorProto } from "../base/graph-protos.js";
import type { HostArray } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE, type OpAttribute, type TensorflowBinding } from "../base/tensorflow-binding.js";

/* Attributes of graph nodes: the forms of TensorFlow's AttrValue that are used here. */

export function shapeProto(shape: readonly number[]): ShapeProto {
  return { dim: shape.map((size) => ({ size })) };
}

export function typeOf(dtype: number): AttributeProto {
  return { type: dtype };
}

export function text(value: string): AttributeProto {
  return { s: Buffer.from(value) };
}

function bytesOf(values: HostArray | readonly number[], dtype: number): Uint8Array {
  if (!Array.isArray(values) && ArrayBuffer.isView(values)) {
    const typed =
      (dtype === DATA_TYPE.float32 && values instanceof Float32Array) ||
      (dtype === DATA_TYPE.int32 && values instanceof Int32Array) ||
      (dtype === DATA_TYPE.bool && values instanceof Uint8Array);
    if (typed) return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  }
  const numbers = Array.from(values as ArrayLike<number>);
  if (dtype === DATA_TYPE.float32) return new Uint8Array(Float32Array.from(numbers).buffer);
  if (dtype === BFLOAT16) {
    // Takes the upper half of a float32, which is exact for the values written here: zeros and numbers of few digits.
    const bits = new Uint32Array(Float32Array.from(numbers).buffer);
    return new Uint8Array(Uint16Array.from(bits, (word) => word >>> 16).buffer);
  }
  if (dtype === DATA_TYPE.int32) return new Uint8Array(Int32Array.from(numbers).buffer);
  return Uint8Array.from(numbers);
}

function tensorProto(
  dtype: number,
  shape: readonly number[],
  values: HostArray | readonly number[],
): TensorProto {
  return { dtype, tensorShape: shapeProto(shape), tensorContent: bytesOf(values, dtype) };
}

/** Returns the attributes of a Const node. */
export function constant(
  dtype: number,
  shape: readonly number[],
  values: HostArray | readonly number[],
): Record<string, AttributeProto> {
  return { dtype: typeOf(dtype), value: { tensor: tensorProto(dtype, shape, values) } };
}

/** Converts an attribute from tfjs-node's form for the eager addon to a graph's form. */
export function attributeProto(binding: TensorflowBinding, attribute: OpAttribute): AttributeProto {
  const { name, type, value } = attribute;
  if (type === binding.TF_ATTR_TYPE && typeof value === "number") return { type: value };
  if (type === binding.TF_ATTR_BOOL && typeof value === "boolean") return { b: value };
  if (type === binding.TF_ATTR_STRING && typeof value === "string") return text(value);
  if (type === binding.TF_ATTR_INT) {
    if (typeof value === "number") return { i: value };
    if (Array.isArray(value)) return { list: { i: value.map(Number) } };
  }
  if (type === binding.TF_ATTR_FLOAT) {
    if (typeof value === "number") return { f: value };
    if (Array.isArray(value)) return { list: { f: value.map(Number) } };
  }
  if (type === binding.TF_ATTR_SHAPE && Array.isArray(value)) return { shape: shapeProto(value.map(Number)) };
  throw new JitError(
    "NO_SHAPE_INFERENCE",
    `internal: attribute ${name} of kind ${type} cannot be written to a graph`,
  );
}

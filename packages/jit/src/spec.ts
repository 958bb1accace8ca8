import { JitError } from "./error.js";

export type DType = "float32" | "int32" | "bool";

/** A tensor's static shape and element type. */
export interface TensorSpec {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** A state entry. */
export interface StateSpec extends TensorSpec {
  /** How float32 is kept between calls in the modes graph and xla: half the memory, 8 bits of mantissa. Default float32. */
  readonly stored?: "float32" | "bfloat16";
}

/** Tensor contents on the host, row-major. float32, int32 and bool map to the three in this order. */
export type HostArray = Float32Array | Int32Array | Uint8Array;

const arrayTypes = { float32: Float32Array, int32: Int32Array, bool: Uint8Array } as const;

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

/** Refuses dimensions that are not whole numbers ≥ 0, and types that are not of the three. */
export function checkSpec(label: string, spec: TensorSpec): void {
  for (const dimension of spec.shape) {
    if (Number.isInteger(dimension) && dimension >= 0) continue;
    throw new JitError(
      "INVALID_OPTIONS",
      `${label} has shape [${spec.shape.join(", ")}]; shapes are static, every dimension is a whole number ≥ 0`,
    );
  }
  if (!(spec.dtype in arrayTypes)) {
    throw new JitError("INVALID_OPTIONS", `${label} has dtype ${spec.dtype}; use float32, int32 or bool`);
  }
}

/** Refuses a host array of another type or size than the spec asks for. */
export function checkHostArray(label: string, spec: TensorSpec, values: HostArray): void {
  const expected = arrayTypes[spec.dtype];
  if (!(values instanceof expected)) {
    throw new JitError(
      "DTYPE_MISMATCH",
      `${label} is ${spec.dtype} and takes a ${expected.name}, got ${Object.prototype.toString.call(values)}`,
    );
  }
  if (values.length !== sizeOf(spec.shape)) {
    throw new JitError(
      "SHAPE_MISMATCH",
      `${label} has shape [${spec.shape.join(", ")}] (${sizeOf(spec.shape)} values), got ${values.length} values`,
    );
  }
}

/** Refuses a state entry that cannot be kept as asked for. */
export function checkStateSpec(label: string, spec: StateSpec): void {
  checkSpec(label, spec);
  if (spec.stored !== "bfloat16" || spec.dtype === "float32") return;
  throw new JitError("INVALID_OPTIONS", `${label} is ${spec.dtype}; only float32 can be stored as bfloat16`);
}

export function zeros(spec: TensorSpec): HostArray {
  return new arrayTypes[spec.dtype](sizeOf(spec.shape));
}

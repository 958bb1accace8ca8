import { checkOptions, JitError } from "./error.js";

export type DType = "float32" | "int32" | "bool";

/** A tensor's static shape and element type. */
export interface TensorSpec {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** A state entry. */
export interface StateSpec extends TensorSpec {
  /** How float32 is stored between calls in modes graph and xla: bfloat16 takes half the memory, with 8 bits of mantissa. Default float32. */
  readonly stored?: "float32" | "bfloat16";
  /**
   * In modes graph and xla, allocates the entry when a function that uses it is first called, and not with all others, so
   * that it takes no memory if none is. Default false.
   */
  readonly lazy?: boolean;
  /**
   * Whether `readHalf` reads or `writeHalf` writes a float32 entry, which costs the graph some functions; "both": on any replica. "staged":
   * what is written is kept apart from that of other entries until its last step, so that many entries can wait for theirs at the same time.
   */
  readonly asHalf?: "read" | "written" | "staged" | "both";
  /**
   * The widths of the matrices of which `writeHalf` makes an entry [rows, columns]: side by side, each row multiplied by a scale.
   * Default: the entry is given as it is.
   */
  readonly joined?: readonly number[];
}

/** Tensor contents on the host, row-major. float32, int32 and bool map to the three in this order. */
export type HostArray = Float32Array | Int32Array | Uint8Array;

const arrayTypes = { float32: Float32Array, int32: Int32Array, bool: Uint8Array } as const;

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

/** TensorFlow stores the shapes that it computes with as int32. */
const mostInDimension = 2 ** 31 - 1;
/** Node 20 has no typed array of more elements, and crashes if the addon requests one. */
const mostHostValues = 2 ** 32;

/** Refuses dimensions that are not whole numbers from 0 to 2,147,483,647, and types other than the three. */
export function checkSpec(label: string, spec: TensorSpec): void {
  checkOptions(label, spec);
  if (!Array.isArray(spec.shape))
    throw new JitError("INVALID_OPTIONS", `${label} has no shape; give a list of sizes`);
  for (const dimension of spec.shape) {
    if (Number.isInteger(dimension) && dimension >= 0 && dimension <= mostInDimension) continue;
    throw new JitError(
      "INVALID_OPTIONS",
      `${label} has shape [${spec.shape.join(", ")}]; shapes are static, every dimension is a whole number from 0 to ${mostInDimension}`,
    );
  }
  if (!(spec.dtype in arrayTypes)) {
    throw new JitError("INVALID_OPTIONS", `${label} has dtype ${spec.dtype}; use float32, int32 or bool`);
  }
}

/** Refuses a tensor that no host array can hold, before anything is allocated for it. */
export function checkHostSize(label: string, { shape }: TensorSpec): void {
  const values = sizeOf(shape);
  if (values <= mostHostValues) return;
  throw new JitError(
    "INVALID_OPTIONS",
    `${label} has shape [${shape.join(", ")}] (${values} values), and an array on the host has at most ${mostHostValues}; split it along a dimension into several`,
  );
}

/** Refuses a host array of another type or size than the spec asks for. */
export function checkHostArray(label: string, spec: TensorSpec, values: HostArray): void {
  checkHostSize(label, spec);
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

/** Refuses a state entry that cannot be stored as specified. */
export function checkStateSpec(label: string, spec: StateSpec): void {
  checkSpec(label, spec);
  const { dtype, shape, stored, asHalf, joined } = spec;
  if (dtype !== "float32" && (stored === "bfloat16" || asHalf !== undefined))
    throw new JitError("INVALID_OPTIONS", `${label} is ${dtype}; only float32 can be stored as bfloat16`);
  if (asHalf !== undefined && (shape.at(-1) ?? 1) % 2 !== 0)
    throw new JitError(
      "INVALID_OPTIONS",
      `${label} has shape [${shape.join(", ")}], and bfloat16 travels in pairs; give it an even last dimension, or leave asHalf out`,
    );
  if (joined === undefined) return;
  const isWhole = shape.length === 2 && joined.reduce((sum, width) => sum + width, 0) === shape[1];
  if (!isWhole || joined.some((width) => width % 2 !== 0))
    throw new JitError(
      "INVALID_OPTIONS",
      `${label} has shape [${shape.join(", ")}] and joins matrices of ${joined.join(", ")} columns; give even numbers whose sum is the number of columns`,
    );
}

export function zeros(spec: TensorSpec): HostArray {
  return new arrayTypes[spec.dtype](sizeOf(spec.shape));
}

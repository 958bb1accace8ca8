import { JitError } from "../base/error.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import type { OpRule } from "./shape-inference/rules.js";
import type { Value } from "./value.js";

/** Positions of an operation's inputs that must have the same type. */
export function sameTypePositions({ oneType }: OpRule, count: number): readonly number[] {
  if (oneType === undefined) return [];
  if (typeof oneType !== "string") return oneType.map((position) => (position + count) % count);
  return Array.from({ length: oneType === "all" ? count : count - 1 }, (_, position) => position);
}

/**
 * The result type of bfloat16 with float32, as in JAX: float32, but a constant takes the other operand's type, and a matrix
 * product with one factor in bfloat16 uses bfloat16 for both.
 * @returns undefined if nothing has to be cast
 */
export function promotedType({ isProduct }: OpRule, values: readonly Value[]): number | undefined {
  if (!values.some(({ dtype }) => dtype === BFLOAT16)) return undefined;
  const other = values.find(({ dtype }) => dtype !== BFLOAT16 && dtype !== DATA_TYPE.float32);
  if (other !== undefined)
    throw new JitError(
      "DTYPE_MISMATCH",
      `an operation has inputs of bfloat16 and of TensorFlow data type ${other.dtype}; cast one of them`,
    );
  if (isProduct === true) return BFLOAT16;
  const isWide = values.some(
    ({ dtype, origin }) => dtype === DATA_TYPE.float32 && origin.kind !== "constant",
  );
  return isWide ? DATA_TYPE.float32 : BFLOAT16;
}

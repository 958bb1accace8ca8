import { JitError } from "../../base/error.js";
import { type Attributes, constantAt, type RuleInput } from "./rule.js";

/** The shape of TensorFlow's StridedSlice: inputs are value, begin, end, strides; masks are bit sets over axes. */
export function stridedShape(
  shape: readonly number[],
  inputs: readonly RuleInput[],
  attributes: Attributes,
): number[] {
  if (attributes.number("ellipsis_mask", 0) !== 0 || attributes.number("new_axis_mask", 0) !== 0) {
    throw new JitError(
      "NO_SHAPE_INFERENCE",
      "StridedSlice with an ellipsis or a new axis cannot be traced; use slice and expandDims",
    );
  }
  const begin = constantAt(inputs, 1, attributes.operation);
  const end = constantAt(inputs, 2, attributes.operation);
  const strides = constantAt(inputs, 3, attributes.operation);
  const isSet = (mask: string, axis: number): boolean => ((attributes.number(mask, 0) >> axis) & 1) === 1;
  return shape.flatMap((dimension, axis) => {
    const stride = strides[axis];
    if (stride === undefined) return [dimension];
    if (isSet("shrink_axis_mask", axis)) return [];
    const clamp = (value: number): number => {
      const position = value < 0 ? value + dimension : value;
      return stride > 0
        ? Math.min(Math.max(position, 0), dimension)
        : Math.min(Math.max(position, -1), dimension - 1);
    };
    const first = isSet("begin_mask", axis) ? (stride > 0 ? 0 : dimension - 1) : clamp(begin[axis] ?? 0);
    const last = isSet("end_mask", axis) ? (stride > 0 ? dimension : -1) : clamp(end[axis] ?? 0);
    return [Math.max(0, Math.ceil((last - first) / stride))];
  });
}

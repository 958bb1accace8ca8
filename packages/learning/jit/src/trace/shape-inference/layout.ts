import { JitError } from "../../base/error.js";
import { sizeOf } from "../../base/spec.js";
import {
  type Attributes,
  axisOf,
  constantAt,
  inputAt,
  type OpRule,
  type RuleInput,
  type RuleOutput,
  sharing,
} from "./rule.js";

function rule(
  infer: (input: RuleInput, inputs: readonly RuleInput[], operation: string) => readonly number[],
): OpRule {
  return {
    infer: (inputs, attributes) => {
      const input = inputAt(inputs, 0, attributes.operation);
      return [{ shape: infer(input, inputs, attributes.operation), dtype: input.dtype }];
    },
    outputs: ["output"],
    types: { T: 0 },
  };
}

const reshape = rule(({ shape }, inputs, operation) => {
  const wanted = constantAt(inputs, 1, operation);
  const known = wanted.reduce((product, dimension) => (dimension < 0 ? product : product * dimension), 1);
  const result = wanted.map((dimension) => (dimension < 0 ? sizeOf(shape) / known : dimension));
  if (sizeOf(result) === sizeOf(shape)) return result;
  throw new JitError(
    "SHAPE_MISMATCH",
    `${operation} from [${shape.join(", ")}] to [${wanted.join(", ")}]: the numbers of values differ`,
  );
});

const expandDims = rule(({ shape }, inputs, operation) => {
  const [axis = 0] = constantAt(inputs, 1, operation);
  return shape.toSpliced(axisOf(axis, shape.length + 1), 0, 1);
});

const transpose: OpRule = {
  ...rule(({ shape }, inputs, operation) => constantAt(inputs, 1, operation).map((axis) => shape[axis] ?? 1)),
  outputs: ["y"],
};

const tile = rule(({ shape }, inputs, operation) => {
  const repeats = constantAt(inputs, 1, operation);
  return shape.map((dimension, axis) => dimension * (repeats[axis] ?? 1));
});

const slice = rule(({ shape }, inputs, operation) => {
  const begin = constantAt(inputs, 1, operation);
  return constantAt(inputs, 2, operation).map((size, axis) =>
    size < 0 ? (shape[axis] ?? 0) - (begin[axis] ?? 0) : size,
  );
});

const pad = rule(({ shape }, inputs, operation) => {
  const paddings = constantAt(inputs, 1, operation);
  return shape.map(
    (dimension, axis) => dimension + (paddings[2 * axis] ?? 0) + (paddings[2 * axis + 1] ?? 0),
  );
});

const stridedSlice: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    return [{ shape: stridedShape(shape, inputs, attributes), dtype }];
  },
  outputs: ["output"],
  types: { T: 0 },
};

const concat: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const [last = 0] = constantAt(inputs, -1, attributes.operation);
    const axis = axisOf(last, shape.length);
    const length = inputs.slice(0, -1).reduce((sum, input) => sum + (input.shape[axis] ?? 0), 0);
    return [{ shape: shape.with(axis, length), dtype }];
  },
  outputs: ["output"],
  types: { T: 0 },
  oneType: "all but last",
};

const pack: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const axis = axisOf(attributes.number("axis", 0), shape.length + 1);
    return [{ shape: shape.toSpliced(axis, 0, inputs.length), dtype }];
  },
  outputs: ["output"],
  types: { T: 0 },
  oneType: "all",
};

const unpack: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const axis = axisOf(attributes.number("axis", 0), shape.length);
    return Array.from({ length: shape[axis] ?? 0 }, () => ({ shape: shape.toSpliced(axis, 1), dtype }));
  },
  outputs: ["output"],
  list: true,
  types: { T: 0 },
};

const split: OpRule = {
  infer: (inputs, attributes): RuleOutput[] => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const [along = 0] = constantAt(inputs, 2, attributes.operation);
    const axis = axisOf(along, shape.length);
    return constantAt(inputs, 1, attributes.operation).map((size) => ({
      shape: shape.with(axis, size),
      dtype,
    }));
  },
  outputs: ["output"],
  list: true,
  types: { T: 0 },
};

const rules: Readonly<Record<string, OpRule>> = {
  ConcatV2: concat,
  ExpandDims: expandDims,
  MirrorPad: pad,
  Pack: pack,
  PadV2: { ...pad, oneType: [0, 2] },
  Reshape: reshape,
  ReverseV2: rule(({ shape }) => shape),
  Slice: slice,
  SplitV: split,
  StridedSlice: stridedSlice,
  Tile: tile,
  Transpose: transpose,
  Unpack: unpack,
};

/** Operations that move values without computing with them. */
export const layoutRules: Readonly<Record<string, OpRule>> = sharing(
  sharing(rules, "input", [
    "ConcatV2",
    "ExpandDims",
    "MirrorPad",
    "Pack",
    "PadV2",
    "Reshape",
    "ReverseV2",
    "Tile",
    "Transpose",
  ]),
  "part",
  ["Slice", "SplitV", "StridedSlice", "Unpack"],
);

/** The shape of TensorFlow's StridedSlice: inputs are value, begin, end, strides; masks are bit sets over axes. */
function stridedShape(
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

import { DATA_TYPE } from "../../base/tensorflow-binding.js";
import { axisOf, constantAt, inputAt, type OpRule, sharing } from "./rule.js";

function reduction(typed: boolean): OpRule {
  return {
    infer: (inputs, attributes) => {
      const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
      const axes = new Set(
        constantAt(inputs, 1, attributes.operation).map((axis) => axisOf(axis, shape.length)),
      );
      const keep = attributes.boolean("keep_dims");
      const reduced = shape.flatMap((dimension, axis) => (axes.has(axis) ? (keep ? [1] : []) : [dimension]));
      return [{ shape: reduced, dtype }];
    },
    outputs: ["output"],
    ...(typed ? { types: { T: 0 } } : {}),
  };
}

const argument: OpRule = {
  infer: (inputs, attributes) => {
    const { shape } = inputAt(inputs, 0, attributes.operation);
    const [axis = 0] = constantAt(inputs, 1, attributes.operation);
    const removed = axisOf(axis, shape.length);
    return [{ shape: shape.filter((_, position) => position !== removed), dtype: DATA_TYPE.int32 }];
  },
  outputs: ["output"],
  types: { T: 0 },
};

const cumulative: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    return [{ shape, dtype }];
  },
  outputs: ["out"],
  types: { T: 0 },
};

const topK: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const kept = [...shape.slice(0, -1), ...constantAt(inputs, 1, attributes.operation)];
    return [
      { shape: kept, dtype },
      { shape: kept, dtype: DATA_TYPE.int32 },
    ];
  },
  outputs: ["values", "indices"],
  types: { T: 0 },
};

const rules: Readonly<Record<string, OpRule>> = {
  Max: reduction(true),
  Mean: reduction(true),
  Min: reduction(true),
  Prod: reduction(true),
  Sum: reduction(true),
  All: reduction(false),
  Any: reduction(false),
  ArgMax: argument,
  ArgMin: argument,
  Cumprod: cumulative,
  Cumsum: cumulative,
  TopKV2: topK,
};

/** Operations along axes that are constants of the trace. */
export const reductionRules: Readonly<Record<string, OpRule>> = sharing(rules, "input", [
  "All",
  "Any",
  "Max",
  "Mean",
  "Min",
  "Prod",
  "Sum",
  "Cumprod",
  "Cumsum",
]);

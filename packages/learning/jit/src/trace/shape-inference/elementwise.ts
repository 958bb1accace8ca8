import { DATA_TYPE } from "../../base/tensorflow-binding.js";
import { broadcast, inputAt, type OpRule, sharing } from "./rule.js";

function unary(output: string): OpRule {
  return {
    infer: (inputs, attributes) => {
      const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
      return [{ shape, dtype }];
    },
    outputs: [output],
    types: { T: 0 },
  };
}

function binary(output: string, dtype?: number, typed = true): OpRule {
  return {
    infer: (inputs, attributes) => {
      const a = inputAt(inputs, 0, attributes.operation);
      const b = inputAt(inputs, 1, attributes.operation);
      return [{ shape: broadcast(a.shape, b.shape, attributes.operation), dtype: dtype ?? a.dtype }];
    },
    outputs: [output],
    oneType: [0, 1],
    ...(typed ? { types: { T: 0 } } : {}),
  };
}

function predicate(output: string, typed: boolean): OpRule {
  return {
    infer: (inputs, attributes) => [
      { shape: inputAt(inputs, 0, attributes.operation).shape, dtype: DATA_TYPE.bool },
    ],
    outputs: [output],
    ...(typed ? { types: { T: 0 } } : {}),
  };
}

const cast: OpRule = {
  infer: (inputs, attributes) => [
    { shape: inputAt(inputs, 0, attributes.operation).shape, dtype: attributes.number("DstT") },
  ],
  outputs: ["y"],
  types: { SrcT: 0 },
};

const select: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 1, attributes.operation);
    return [{ shape, dtype }];
  },
  outputs: ["output"],
  types: { T: 1 },
  oneType: [1, 2],
};

const addN: OpRule = { ...unary("sum"), oneType: "all" };

const rules: Readonly<Record<string, OpRule>> = {
  ...Object.fromEntries(
    [
      "Abs",
      "Acos",
      "Acosh",
      "Asin",
      "Asinh",
      "Atan",
      "Atanh",
      "Ceil",
      "Cos",
      "Cosh",
      "Erf",
      "Exp",
      "Expm1",
      "Floor",
      "Log",
      "Log1p",
      "Neg",
      "OnesLike",
      "Reciprocal",
      "Round",
      "Rsqrt",
      "Sigmoid",
      "Sign",
      "Sin",
      "Sinh",
      "Sqrt",
      "Square",
      "Tan",
      "Tanh",
      "ZerosLike",
    ].map((name) => [name, unary("y")]),
  ),
  ...Object.fromEntries(
    ["Elu", "LeakyRelu", "Relu", "Relu6", "Selu", "Softplus"].map((name) => [name, unary("activations")]),
  ),
  EluGrad: unary("backprops"),
  Softmax: unary("softmax"),
  ...Object.fromEntries(
    [
      "Add",
      "Atan2",
      "FloorDiv",
      "FloorMod",
      "Maximum",
      "Minimum",
      "Mul",
      "Pow",
      "RealDiv",
      "SquaredDifference",
      "Sub",
    ].map((name) => [name, binary("z")]),
  ),
  ...Object.fromEntries(
    ["Equal", "Greater", "GreaterEqual", "Less", "LessEqual", "NotEqual"].map((name) => [
      name,
      binary("z", DATA_TYPE.bool),
    ]),
  ),
  LogicalAnd: binary("z", DATA_TYPE.bool, false),
  LogicalOr: binary("z", DATA_TYPE.bool, false),
  LogicalNot: predicate("y", false),
  IsFinite: predicate("y", true),
  IsInf: predicate("y", true),
  IsNan: predicate("y", true),
  AddN: addN,
  Cast: cast,
  Select: select,
};

/** Rules with one output of the broadcast shape of the inputs. */
export const elementwiseRules: Readonly<Record<string, OpRule>> = sharing(rules, "input", [
  // TensorFlow's optimizer replaces x + 0, x · 1 or −(−x) by the input.
  "Add",
  "AddN",
  "Cast",
  "FloorDiv",
  "LogicalAnd",
  "LogicalNot",
  "LogicalOr",
  "Maximum",
  "Minimum",
  "Mul",
  "Neg",
  "Pow",
  "RealDiv",
  "Reciprocal",
  "Select",
  "Sub",
]);

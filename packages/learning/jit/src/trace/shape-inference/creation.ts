import { DATA_TYPE } from "../../base/tensorflow-binding.js";
import { broadcast, constantAt, inputAt, type OpRule } from "./rule.js";

const fill: OpRule = {
  infer: (inputs, attributes) => [
    {
      shape: constantAt(inputs, 0, attributes.operation),
      dtype: inputAt(inputs, 1, attributes.operation).dtype,
    },
  ],
  outputs: ["output"],
  types: { T: 1, index_type: 0 },
};

const range: OpRule = {
  infer: (inputs, attributes) => {
    const [start = 0] = constantAt(inputs, 0, attributes.operation);
    const [stop = 0] = constantAt(inputs, 1, attributes.operation);
    const [step = 1] = constantAt(inputs, 2, attributes.operation);
    const { dtype } = inputAt(inputs, 0, attributes.operation);
    return [{ shape: [Math.max(0, Math.ceil((stop - start) / step))], dtype }];
  },
  outputs: ["output"],
  types: { Tidx: 0 },
};

const linSpace: OpRule = {
  infer: (inputs, attributes) => [
    {
      shape: constantAt(inputs, 2, attributes.operation),
      dtype: inputAt(inputs, 0, attributes.operation).dtype,
    },
  ],
  outputs: ["output"],
  types: { T: 0, Tidx: 2 },
};

const randomUniform: OpRule = {
  infer: (inputs, attributes) => [
    { shape: constantAt(inputs, 0, attributes.operation), dtype: DATA_TYPE.float32 },
  ],
  outputs: ["output"],
  types: { T: 0, Tseed: 1 },
};

const batchMatMul: OpRule = {
  infer: (inputs, attributes) => {
    const a = inputAt(inputs, 0, attributes.operation);
    const b = inputAt(inputs, 1, attributes.operation);
    const rows = a.shape.at(attributes.boolean("adj_x") ? -1 : -2) ?? 1;
    const columns = b.shape.at(attributes.boolean("adj_y") ? -2 : -1) ?? 1;
    const outer = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2), attributes.operation);
    return [{ shape: [...outer, rows, columns], dtype: a.dtype }];
  },
  outputs: ["output"],
  types: { T: 0 },
  oneType: [0, 1],
  isProduct: true,
};

const diagonal: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    return [{ shape: [...shape, ...shape], dtype }];
  },
  outputs: ["output"],
  types: { T: 0 },
};

/** Operations that make new tensors: constants, random numbers, products. */
export const creationRules: Readonly<Record<string, OpRule>> = {
  BatchMatMulV2: batchMatMul,
  Diag: diagonal,
  Fill: fill,
  LinSpace: linSpace,
  Range: range,
  StatelessRandomUniform: randomUniform,
};

import { axisOf, constantAt, inputAt, type OpRule } from "./rule.js";

const gather: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const indices = inputAt(inputs, 1, attributes.operation);
    const [along = 0] = constantAt(inputs, 2, attributes.operation);
    const axis = axisOf(along, shape.length);
    const batch = attributes.number("batch_dims", 0);
    return [
      { shape: [...shape.slice(0, axis), ...indices.shape.slice(batch), ...shape.slice(axis + 1)], dtype },
    ];
  },
  outputs: ["output"],
  types: { Tparams: 0, Tindices: 1, Taxis: 2 },
};

const gatherNd: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const indices = inputAt(inputs, 1, attributes.operation).shape;
    return [{ shape: [...indices.slice(0, -1), ...shape.slice(indices.at(-1) ?? 0)], dtype }];
  },
  outputs: ["output"],
  types: { Tparams: 0, Tindices: 1 },
};

const scatterNd: OpRule = {
  infer: (inputs, attributes) => [
    {
      shape: constantAt(inputs, 2, attributes.operation),
      dtype: inputAt(inputs, 1, attributes.operation).dtype,
    },
  ],
  outputs: ["output"],
  types: { T: 1, Tindices: 0 },
};

const scatterUpdate: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    return [{ shape, dtype }];
  },
  outputs: ["output"],
  types: { T: 0, Tindices: 1 },
  oneType: [0, 2],
};

const segmentSum: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    const segments = inputAt(inputs, 1, attributes.operation).shape;
    return [
      { shape: [...constantAt(inputs, 2, attributes.operation), ...shape.slice(segments.length)], dtype },
    ];
  },
  outputs: ["output"],
  types: { T: 0, Tindices: 1, Tnumsegments: 2 },
};

const oneHot: OpRule = {
  infer: (inputs, attributes) => {
    const { shape } = inputAt(inputs, 0, attributes.operation);
    const depth = constantAt(inputs, 1, attributes.operation);
    const { dtype } = inputAt(inputs, 2, attributes.operation);
    return [{ shape: [...shape, ...depth], dtype }];
  },
  outputs: ["output"],
  types: { T: 2, TI: 0 },
};

const sparseCrossEntropy: OpRule = {
  infer: (inputs, attributes) => {
    const { shape, dtype } = inputAt(inputs, 0, attributes.operation);
    return [
      { shape: shape.slice(0, 1), dtype },
      { shape, dtype },
    ];
  },
  outputs: ["loss", "backprop"],
  types: { T: 0, Tlabels: 1 },
};

/** Operations that read or write by index. */
export const indexingRules: Readonly<Record<string, OpRule>> = {
  GatherNd: gatherNd,
  GatherV2: gather,
  OneHot: oneHot,
  ScatterNd: scatterNd,
  SparseSoftmaxCrossEntropyWithLogits: sparseCrossEntropy,
  TensorScatterUpdate: scatterUpdate,
  UnsortedSegmentSum: segmentSum,
};

/** A row write into a state entry, chosen when it is emitted: in place if nothing else uses the old rows. */
export const SCATTER_ROWS = "PalimpsestScatterRows";

export const scatterRowsRule: OpRule = { ...scatterUpdate, types: { T: 0 }, shares: "part" };

import { creationRules } from "./creation.js";
import { elementwiseRules } from "./elementwise.js";
import { indexingRules, SCATTER_ROWS, scatterRowsRule } from "./indexing.js";
import { layoutRules } from "./layout.js";
import { reductionRules } from "./reduction.js";
import { inputAt, type OpRule } from "./rule.js";

/** An optimizer step, chosen when it is emitted: over the variables themselves if the results are their new values. */
export const ADAM = "PalimpsestAdam";
/** A product of pairs as complex numbers, chosen when it is emitted: complex in a graph, by components for XLA. */
export const ROTATE_PAIRS = "PalimpsestRotatePairs";

/** Every TensorFlow operation that can be traced. The conformance suite has a case for each. */
export const opRules: Readonly<Record<string, OpRule>> = {
  ...elementwiseRules,
  ...reductionRules,
  ...layoutRules,
  ...indexingRules,
  ...creationRules,
  [SCATTER_ROWS]: scatterRowsRule,
  [ADAM]: {
    infer: (inputs, { operation }) => [0, 1, 2].map((position) => inputAt(inputs, position, operation)),
    shares: "input",
    outputs: ["weights", "moment1", "moment2"],
  },
  [ROTATE_PAIRS]: {
    infer: (inputs, { operation }) => [inputAt(inputs, 0, operation)],
    shares: "input",
    outputs: ["output"],
  },
};

export { SCATTER_ROWS } from "./indexing.js";
export { Attributes, type OpRule, type RuleInput, type RuleOutput } from "./rule.js";

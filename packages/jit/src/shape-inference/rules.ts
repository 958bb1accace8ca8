import { ADAM, adamRule } from "./adam.js";
import { creationRules } from "./creation.js";
import { elementwiseRules } from "./elementwise.js";
import { indexingRules, SCATTER_ROWS, scatterRowsRule } from "./indexing.js";
import { layoutRules } from "./layout.js";
import { reductionRules } from "./reduction.js";
import type { OpRule } from "./rule.js";
import { TURN_PAIRS, turnPairsRule } from "./turn-pairs.js";

/** Every TensorFlow operation that can be traced. The conformance suite has a case for each. */
export const opRules: Readonly<Record<string, OpRule>> = {
  ...elementwiseRules,
  ...reductionRules,
  ...layoutRules,
  ...indexingRules,
  ...creationRules,
  [SCATTER_ROWS]: scatterRowsRule,
  [ADAM]: adamRule,
  [TURN_PAIRS]: turnPairsRule,
};

export { ADAM } from "./adam.js";
export { SCATTER_ROWS } from "./indexing.js";
export { Attributes, type OpRule, type RuleInput, type RuleOutput } from "./rule.js";
export { TURN_PAIRS } from "./turn-pairs.js";

import { ADAM, adamRule } from "./adam.js";
import { creationRules } from "./creation.js";
import { elementwiseRules } from "./elementwise.js";
import { indexingRules, SCATTER_ROWS, scatterRowsRule } from "./indexing.js";
import { layoutRules } from "./layout.js";
import { reductionRules } from "./reduction.js";
import { ROTATE_PAIRS, rotatePairsRule } from "./rotate-pairs.js";
import type { OpRule } from "./rule.js";

/** Every TensorFlow operation that can be traced. The conformance suite has a case for each. */
export const opRules: Readonly<Record<string, OpRule>> = {
  ...elementwiseRules,
  ...reductionRules,
  ...layoutRules,
  ...indexingRules,
  ...creationRules,
  [SCATTER_ROWS]: scatterRowsRule,
  [ADAM]: adamRule,
  [ROTATE_PAIRS]: rotatePairsRule,
};

export { ADAM } from "./adam.js";
export { SCATTER_ROWS } from "./indexing.js";
export { ROTATE_PAIRS } from "./rotate-pairs.js";
export { Attributes, type OpRule, type RuleInput, type RuleOutput } from "./rule.js";

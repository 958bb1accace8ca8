// The one reader of what users give. Every package may import it, and it loads neither zod nor stores.
export { checkKind, checkParts } from "./check-parts.js";
export { closestWord } from "./closest-word.js";
export { parseJson } from "./parse-json.js";
export {
  type InputNames,
  type InputProblem,
  layersOf,
  parseInput,
  pathText,
  problemsLine,
  readInput,
  unknownKeys,
} from "./read-input.js";
export { shownValue } from "./shown-value.js";
export { pathError, reasonText, type SystemFailure, systemFailure } from "./system-failure.js";
export { yamlProblem } from "./yaml-problem.js";

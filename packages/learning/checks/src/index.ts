export { checkLosses, type LossMeasure } from "./losses/check-losses.js";
export { readGolden } from "./losses/golden-file.js";
export { type Measure, passes } from "./measure.js";
export { type CheckReferenceOptions, checkReference } from "./references/check-reference.js";
export { readReferenceNumbers } from "./references/reference-numbers.js";
export type { CheckedCase } from "./scores/golden-case.js";
export {
  checkGolden,
  type GoldenFile,
  type GoldenMetricName,
  goldenMetrics,
  listsIn,
} from "./scores/golden-metric.js";
export { roundedToHundredths } from "./scores/memagent-cases.js";
export { checkTexts } from "./texts/check-texts.js";
export { readReferenceTexts } from "./texts/reference-texts.js";

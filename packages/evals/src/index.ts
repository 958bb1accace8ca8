// For users
export { agentSystem } from "./baselines/agent-system.js";
export { evidenceRecall } from "./baselines/evidence-recall.js";
export type { Reader } from "./baselines/reader.js";
export { readerConfigSchema } from "./baselines/reader-config.js";
export { EvaluationError } from "./error.js";
export { evaluateLengths } from "./evaluate-lengths.js";
// For other packages
export { pairedDifference } from "./intervals.js";
export type { Evaluation, LengthResult } from "./length-results.js";
export { linePlot, type PlotSeries } from "./line-plot.js";
export { locomoItems } from "./locomo/items.js";
export { locomoScorer } from "./locomo/scorer.js";
export { evidenceSection } from "./longqa/evidence-section.js";
export { longQaItems } from "./longqa/items.js";
export {
  summarize,
  writeReport,
} from "./report.js";
export { rulerItems } from "./ruler/ruler-items.js";
export { rulerScorer } from "./ruler/ruler-scorer.js";
export { rulerSection } from "./ruler/ruler-section.js";
export { stackedPlots } from "./stacked-plots.js";
export {
  documentText,
  type EvalItem,
  itemOfTask,
  openDocument,
} from "./suite/item.js";
export { pairsBetween, pairsOf } from "./suite/pairs.js";
export { PredictionCache } from "./suite/prediction-cache.js";
export { qaScorer } from "./suite/qa-scorer.js";
export {
  rewardedPrediction,
  rewardScorer,
  taskOfItem,
} from "./suite/rewarded-prediction.js";
export {
  type ItemOutcome,
  runSuite,
  type SuiteProgress,
  type SuiteRun,
  type SystemRun,
} from "./suite/runner.js";
export type { Scorer } from "./suite/scorer.js";
export { type ReportSection, type SuiteReport, suiteMarkdown } from "./suite/suite-markdown.js";
export { readSuiteSummary, suiteJson, writeSuiteReport } from "./suite/suite-report.js";
export { summarizeSuite } from "./suite/summary.js";
export type {
  Prediction,
  System,
} from "./suite/system.js";
export {
  createSystem,
  systemAgent,
  systemSettings,
} from "./systems/create-system.js";
export {
  type EvalSettings,
  evalSettingsSchema,
  parseEvalSettings,
  type SystemSettings,
} from "./systems/eval-settings.js";
export { overrideSetting } from "./systems/override.js";
export { byCategory, taskCategory } from "./task-category.js";
export {
  lostTrace,
  type TraceDetail,
  traceEpisode,
} from "./trace/trace-episode.js";
export { readTraces, TraceFile, writeTraces } from "./trace/trace-file.js";
export { traceHtml } from "./trace/trace-html.js";
export { traceMarkdown } from "./trace/trace-markdown.js";
export { traceOutcome } from "./trace/trace-outcome.js";
export { type Trace, traceSchema, traceVersion } from "./trace/trace-schema.js";
export { wordDiff } from "./trace/word-diff.js";

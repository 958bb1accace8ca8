// For users
export { agentSystem } from "./baselines/agent-system.js";
export { type BaselineOptions, closedBook, fullContext, truncatedContext } from "./baselines/direct.js";
export { evidenceRecall } from "./baselines/evidence-recall.js";
export { createReader, type Reader } from "./baselines/reader.js";
export { type ReaderConfig, type ReaderConfigInput, readerConfigSchema } from "./baselines/reader-config.js";
export { type Retrieval, retrievalSystem } from "./baselines/retrieval.js";
export { storeSystem } from "./baselines/store-system.js";
export { type Board, type BoardRow, boardOf, divisions } from "./board/board.js";
export { boardFiles } from "./board/board-files.js";
export { type BoardSettings, parseBoardSettings } from "./board/board-settings.js";
export { leaksOf } from "./board/leaks.js";
export { compareEvaluations, type LengthComparison } from "./compare.js";
export { EvaluationError, type EvaluationErrorCode } from "./error.js";
export { type EvaluateLengthsOptions, evaluateLengths, type LengthItems } from "./evaluate-lengths.js";
// For other packages
export {
  differenceInterval,
  type Interval,
  mcNemarP,
  type PairedCounts,
  pairedDifference,
  wilsonInterval,
} from "./intervals.js";
export type { CategoryResult, Evaluation, LengthResult, TaskOutcome } from "./length-results.js";
export { type LinePlot, linePlot, type PlotPoint, type PlotSeries, stackedPlots } from "./line-plot.js";
export { type LocomoItemOptions, locomoItems } from "./locomo/items.js";
export { locomoScorer } from "./locomo/scorer.js";
export { parseWrongAnswers, withoutWrongAnswers } from "./locomo/wrong-answers.js";
export { evidenceSection } from "./longqa/evidence-section.js";
export { type LongQaOptions, longQaItems } from "./longqa/items.js";
export { memorySection } from "./longqa/memory-section.js";
export { exactMatchPlot, peakMemoryPlot, type RewardPoint, rewardPlot, timePerTokenPlot } from "./plots.js";
export {
  type LengthSummary,
  type ReportData,
  type ReportSummary,
  reportFiles,
  reportMarkdown,
  summarize,
  writeFiles,
  writeReport,
} from "./report.js";
export { type RulerCell, rulerSection } from "./ruler/ruler-section.js";
export { rulerItems, rulerScorer } from "./ruler/ruler-suite.js";
export {
  streamItems,
  streamScorer,
  streamScriptSystems,
  streamUtility,
} from "./streams/stream-suite.js";
export { documentText, type EvalItem, itemOfTask, type LazyDocument, openDocument } from "./suite/item.js";
export { type Pair, pairsBetween, pairsOf, pairsWithRuns } from "./suite/pairs.js";
export { type KeptPrediction, PredictionCache } from "./suite/prediction-cache.js";
export { type AnswerForm, answerForms, answerIn, qaScorer } from "./suite/qa-scorer.js";
export type { RetryRules } from "./suite/retry.js";
export {
  type RewardedTask,
  rewardComponent,
  rewardedPrediction,
  rewardScorer,
  taskOfItem,
} from "./suite/rewarded-prediction.js";
export {
  type ItemOutcome,
  runSuite,
  type SuiteOptions,
  type SuiteProgress,
  type SuiteRun,
  type SystemRun,
} from "./suite/runner.js";
export type { Metric, Scorer } from "./suite/scorer.js";
export { type ReportSection, type SuiteReport, suiteMarkdown } from "./suite/suite-markdown.js";
export {
  readEarlierRuns,
  suiteJson,
  suiteReportFiles,
  suiteReportSchema,
  writeSuiteReport,
} from "./suite/suite-report.js";
export {
  type CellSummary,
  type MetricSummary,
  type OutcomeSummary,
  type SuiteSummary,
  type SystemSummary,
  summarizeSuite,
} from "./suite/summary.js";
export type { AnswerOptions, Prediction, System } from "./suite/system.js";
export { createSystem, type SystemModel, systemAgent, systemSettings } from "./systems/create-system.js";
export {
  builtInSystems,
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
  type TracedEpisode,
  type TraceOptions,
  traceEpisode,
} from "./trace/trace-episode.js";
export { readTraces, TraceFile, writeTraces } from "./trace/trace-file.js";
export { traceHtml } from "./trace/trace-html.js";
export { traceMarkdown } from "./trace/trace-markdown.js";
export { traceOutcome } from "./trace/trace-outcome.js";
export { type Trace, traceSchema, traceVersion } from "./trace/trace-schema.js";
export { wordDiff } from "./trace/word-diff.js";
export {
  type CertificateRow,
  type CertifyOptions,
  certifyWorld,
  leastQuestions,
  type WorldCertificate,
} from "./worlds/certificate.js";
export { namesOnly } from "./worlds/one-of.js";
export { worldScripts } from "./worlds/world-scripts.js";
export { type WorldSuite, type WorldSuiteOptions, worldScorer, worldSuite } from "./worlds/world-suite.js";

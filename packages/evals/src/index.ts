// For users
export { compareEvaluations, type LengthComparison } from "./compare.js";
export { EvaluationError, type EvaluationErrorCode } from "./error.js";
export {
  type EvaluateOptions,
  type Evaluation,
  type EvaluationProgress,
  evaluateByLength,
  type LengthResult,
  type LengthTasks,
  type TaskOutcome,
} from "./evaluate.js";
// For other packages
export {
  differenceInterval,
  type Interval,
  mcNemarP,
  type PairedCounts,
  pairedDifference,
  wilsonInterval,
} from "./intervals.js";
export { type LinePlot, linePlot, type PlotPoint, type PlotSeries } from "./line-plot.js";
export { type MemorySampler, watchMemory } from "./memory-sampler.js";
export { exactMatchPlot, peakMemoryPlot, type RewardPoint, rewardPlot, timePerTokenPlot } from "./plots.js";
export {
  type LengthSummary,
  type ReportData,
  type ReportSummary,
  reportFiles,
  reportMarkdown,
  summarize,
  writeReport,
} from "./report.js";
export { type EpisodeTrace, type TraceStep, traceEpisode, traceMarkdown } from "./trace.js";

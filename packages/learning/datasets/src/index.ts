// For users

export { createRandom, type Random } from "@palimpsest/std/random";
export { z } from "zod";
export { answersSchema } from "./answer-text.js";
export { type DataModule, defineData, moduleTasks, type OwnTasks } from "./define-data.js";
export { DatasetError, type DatasetErrorCode } from "./error.js";
export { findAnswerable } from "./filter/answerable.js";
export { type CheckedData, type CheckedFile, checkData } from "./inspect/check-data.js";
export { preparedTasks } from "./inspect/prepared-tasks.js";
export { type Spread, TaskCensus, type TaskStatistics } from "./inspect/task-statistics.js";
export {
  type BadRow,
  type LoadedTasks,
  loadTasks,
  saveTasks,
} from "./jsonl.js";
export { type LocomoConversation, readLocomoConversation } from "./locomo/conversation.js";
export { type LocomoOptions, locomoOptionsSchema, locomoTasks } from "./locomo/locomo-tasks.js";
export { locomoSplit } from "./locomo/split.js";
export { locomoDocument, locomoRecords } from "./locomo/store-records.js";
// For other packages
export { defaultOverlap, type Overlap, type OverlapSettings } from "./overlap/evaluation-questions.js";
export {
  findOverlap,
  type OverlappingRow,
  type OverlapReport,
  type OverlapRequest,
} from "./overlap/find-overlap.js";
export { goldDocumentsOf } from "./paragraphs/evidence-places.js";
export { type PreparedData, type PrepareProgress, prepareData } from "./prepare/prepare-data.js";
export type { Preparer, SourceBadRow } from "./prepare/preparer.js";
export {
  type FinishedContext,
  type QuestionContext,
  type QuestionSource,
  type QuestionSourceFiles,
  questionContext,
  readQuestionSource,
} from "./prepare/question-source.js";
export { preparerByName, preparers } from "./prepare/registry.js";
export { PassRates } from "./rates/pass-rates.js";
export { type Rating, rateQuestions } from "./rates/rate-questions.js";
export { type RateSelection, ratedTasks } from "./rates/rated-tasks.js";
export {
  type RulerTasksConfig,
  type RulerTasksInput,
  rulerTasksConfigSchema,
} from "./ruler-tasks/config.js";
export { fileText, type HaystackText } from "./ruler-tasks/haystack-text.js";
export type { RulerQuestions } from "./ruler-tasks/questions.js";
export { type RulerTaskSources, rulerTaskSet } from "./ruler-tasks/ruler-task-set.js";
export { type RulerFiles, readRulerSources } from "./ruler-tasks/sources.js";
export { type RulerTaskName, rulerTaskNames } from "./ruler-tasks/task-name.js";
export { sessionId } from "./sessions/dated-session.js";
export { numberedFacts } from "./sessions/fact-list.js";
export { namesAnswer, namesValue } from "./sessions/named-values.js";
export { readSourceText } from "./source/source-text.js";
export {
  openStreamTasks,
  type StreamConfigInput,
  streamConfigSchema,
} from "./streams/stream-tasks.js";
export { mixedTasks, shortFirst, type WeightedTasks } from "./tasks/arranged-tasks.js";
export type { CountTokens } from "./tasks/count-tokens.js";
export { FileTasks } from "./tasks/file-tasks.js";
export type { StreamedTask } from "./tasks/streamed-task.js";
export { allTasks, generatedTasks, shuffledTasks, type TaskSet } from "./tasks/task-set.js";
export { type WorldSplit, worldSplits } from "./worlds/entities.js";
export type { Difficulty, World, WorldCase, WorldEvent, WorldSentence } from "./worlds/world.js";
export {
  difficultyOf,
  openWorldTasks,
  streamedWorldTasks,
  type WorldConfigInput,
  worldConfigSchema,
} from "./worlds/world-tasks.js";
export { worldByName, worldNames, worlds } from "./worlds/worlds.js";
export { type Manifest, manifestSchema } from "./written/manifest.js";
export { type RowFormat, rowFormats } from "./written/row-format.js";
export { taskRowSchema } from "./written/task-row.js";

import type { CheckedCase, GoldenList } from "./golden-case.js";
import { choiceCases, evidenceCases, locomoCases, stemCases } from "./locomo-cases.js";
import { boxedRewards, extractionCases, pipelineCases, qaCases } from "./memagent-cases.js";
import { answerScoreCases, efficiencyCases, memoryRewardCases, overlapCases } from "./memupdate-cases.js";
import { advantageCases, qwenRetrieval, stepRewardCases, whitespaceRetrieval } from "./rememr1-cases.js";
import { toolCallCases } from "./tool-call-cases.js";

/** The metrics for which there are golden values, each with the lists of its files. */
export const goldenMetrics = {
  memagent_reward: [boxedRewards],
  qa_metrics: [qaCases],
  answer_extraction: [extractionCases, pipelineCases],
  rememr1_retrieval: [whitespaceRetrieval, qwenRetrieval],
  rememr1_rewards: [stepRewardCases, advantageCases],
  memupdate_reward: [efficiencyCases, overlapCases, answerScoreCases, memoryRewardCases],
  locomo_f1: [locomoCases],
  locomo_f1_free: [locomoCases, evidenceCases, choiceCases, stemCases],
  tool_calls: [toolCallCases],
} as const satisfies Readonly<Record<string, readonly GoldenList[]>>;

export type GoldenMetricName = keyof typeof goldenMetrics;

/** A file of golden values, as parsed JSON. */
export type GoldenFile = Readonly<Record<string, unknown>>;

/** Returns the lists of the metric that the file contains, in the order of the metric. */
export function listsIn(metric: GoldenMetricName, file: GoldenFile): readonly GoldenList[] {
  const lists: readonly GoldenList[] = goldenMetrics[metric];
  return lists.filter(({ name }) => Array.isArray(file[name]));
}

/** Recomputes every case of the file. */
export function checkGolden(metric: GoldenMetricName, file: GoldenFile): readonly CheckedCase[] {
  const tolerance = typeof file["tolerance"] === "number" ? file["tolerance"] : 0;
  return listsIn(metric, file).flatMap((list) => list.check(file[list.name] as unknown[], tolerance));
}

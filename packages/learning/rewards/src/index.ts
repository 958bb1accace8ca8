// For users

export { z } from "zod";
export { afterThinking, phraseAnswer } from "./answer-text.js";
export { boxedAnswer, boxedText, lastCharacters, normalizeBoxed } from "./boxed.js";
export { defineReward, type RewardCall, type RewardModule } from "./define-reward.js";
export type { FrozenReader, ModelEndpoint, Reader, RewardDependencies, TextModel } from "./dependencies.js";
export { RewardError, type RewardErrorCode } from "./error.js";
export { createJudge, type Judge, type JudgeConfig, judgeSchema } from "./judge/judge.js";
export type { JudgedAnswer } from "./judge/judge-prompt.js";
export {
  abstains,
  locomoCategory,
  locomoF1,
  locomoStems,
} from "./locomo/answer-f1.js";
export { bleuOne } from "./locomo/bleu-one.js";
export { chosenOption, type TwoOptions } from "./locomo/choice.js";
export { evidenceRecall } from "./locomo/evidence-recall.js";
export { porterStem } from "./locomo/porter-stem.js";
export {
  type MemoryEfficiency,
  memoryEfficiency,
  type StoreSize,
  storeSize,
} from "./memupdate/efficiency.js";
export {
  type KeywordSupport,
  keywordSupport,
  releasedAnswerScore,
  releasedReward,
} from "./memupdate/released.js";
export { type StoreStates, storeAfter, storeStates } from "./memupdate/store-states.js";
export {
  bestQaMetrics,
  containedFraction,
  normalizeAnswer,
  type QaMetrics,
  qaMetrics,
} from "./qa-metrics.js";
export type { ReMemR1RewardConfig } from "./rememr1/reward.js";
export {
  rememr1StepReward,
  rememr1StepRewardAsReleased,
  type StepCase,
  type StepReward,
} from "./rememr1/step-rewards.js";
export { readToken } from "./remote/bearer-token.js";
export { remoteReplySchema, remoteRewardProtocol } from "./remote/protocol.js";
export {
  type BoxedOptions,
  boxedExactMatch,
  type Reward,
  type RewardName,
  rewardByName,
  rewardNames,
} from "./reward.js";
export type { RewardKind, ScoredEpisode, TrajectoryReward } from "./reward-kind.js";
export { type RulerRule, type RulerScores, rulerRuleOf, rulerScores } from "./ruler.js";
export {
  type RewardConfig,
  type RewardConfigInput,
  rewardConfigSchema,
  rewardEmbedder,
  rewardReadsTokens,
  type TrajectoryRewardDependencies,
  trajectoryReward,
} from "./trajectory-reward.js";

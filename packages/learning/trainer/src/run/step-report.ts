import type { RunCounts } from "@palimpsest/trajectories";
import type { StepReport } from "../records/event.js";
import { storeScalars } from "../records/learner-metrics.js";
import type { StepResult } from "../records/step-result.js";

/** The driver's figures of a step, in addition to the learner's result. */
export interface StepObserved {
  readonly steps: number;
  readonly counts: RunCounts;
  /** Groups that the driver has replaced so far because they were too stale. */
  readonly groupsStale: number;
  readonly rollout: { readonly seconds: number; readonly tokensPerSecond: number };
}

/** One line of metrics.jsonl. */
export function stepReport(
  result: StepResult,
  { steps, counts, groupsStale, rollout }: StepObserved,
): StepReport {
  const { update } = result;
  const store = storeScalars(update);
  return {
    step: result.step,
    steps,
    policyVersion: update.policyVersion,
    weightsHash: result.weightsHash,
    rewardMean: update.rewardMean,
    components: Object.fromEntries(
      Object.entries(update.rewardComponents).map(([name, { mean }]) => [name, mean]),
    ),
    ...(Object.keys(store).length === 0 ? {} : { store }),
    update,
    ...(result.rewardByCategory === undefined ? {} : { rewardByCategory: result.rewardByCategory }),
    rolloutSeconds: rollout.seconds,
    learnerWaitSeconds: result.waitSeconds,
    updateSeconds: result.updateSeconds,
    checkpointSeconds: result.checkpointSeconds,
    publishSeconds: result.publishSeconds,
    ...(result.exchange === undefined ? {} : { exchange: result.exchange }),
    publishedBytes: result.publishedBytes,
    samplerTokensPerSecond: rollout.tokensPerSecond,
    learnerTokensPerSecond: update.tokensPerSecond,
    groupsDispatched: counts.groups.dispatched,
    groupsTrained: counts.groups.trained,
    groupsFailed: counts.groups.failed,
    groupsStale,
    ...(result.rejected === undefined ? {} : { rejected: result.rejected }),
    ...(result.episodeFailures.length === 0 ? {} : { episodeFailures: result.episodeFailures }),
  };
}

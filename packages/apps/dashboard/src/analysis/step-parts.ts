/** Analyzes what a training step spent its time on, which part is the bottleneck, and what to change. */

interface StepPart {
  readonly name: "rollout" | "update" | "checkpoint" | "publish" | "other";
  readonly seconds: number;
}

/** A line of metrics.jsonl by the paths of its numbers. Numbers that a run does not log are absent. */
export type StepNumbers = Readonly<Record<string, number | undefined>>;

export interface StepTime {
  readonly parts: readonly StepPart[];
  readonly totalSeconds: number;
  readonly bottleneck: StepPart | undefined;
  readonly advice: readonly string[];
}

/** A part with a smaller fraction of the time is not a bottleneck. */
const large = 0.3;

export function stepTime(numbers: StepNumbers): StepTime {
  const of = (name: string) => Math.max(0, numbers[name] ?? 0);
  const parts: StepPart[] = [
    // The cost of rollouts is the time that the learner waits for them, because asynchronous ones run beside the
    // update.
    { name: "rollout", seconds: of("learnerWaitSeconds") || of("rolloutSeconds") },
    { name: "update", seconds: of("updateSeconds") },
    { name: "checkpoint", seconds: of("checkpointSeconds") },
    { name: "publish", seconds: of("publishSeconds") },
  ];
  const totalSeconds = parts.reduce((sum, { seconds }) => sum + seconds, 0);
  const largest = parts.reduce((most, part) => (part.seconds > most.seconds ? part : most), {
    name: "other",
    seconds: 0,
  } as StepPart);
  const bottleneck = totalSeconds > 0 && largest.seconds >= large * totalSeconds ? largest : undefined;
  return { parts, totalSeconds, bottleneck, advice: adviceOf(numbers, bottleneck, totalSeconds) };
}

function adviceOf(numbers: StepNumbers, bottleneck: StepPart | undefined, totalSeconds: number): string[] {
  const of = (name: string) => numbers[name] ?? 0;
  const advice: string[] = [];
  const share = bottleneck ? bottleneck.seconds / totalSeconds : 0;
  if (bottleneck?.name === "rollout") {
    advice.push(
      "The learner waits for episodes: add rollout actors (`rollout.actors`) where cores or GPUs are free, or sample through an engine (`rollout.engine`).",
    );
    if (share > 0.5 && share < 0.85)
      advice.push("Update and rollouts take turns: `train.maxStaleness: 1` lets them run at the same time.");
  }
  if (bottleneck?.name === "update")
    advice.push(
      "The update takes most of the step: give the learner more threads (`learnerThreads`) or a GPU, or more replicas; check that `paddingFraction` is small.",
    );
  if (bottleneck?.name === "checkpoint")
    advice.push(
      "Checkpoints take most of the step: raise `train.checkpointEverySteps`; between them the step log is enough to resume.",
    );
  if (bottleneck?.name === "publish")
    advice.push(
      "Publishing the weights takes most of the step: train adapters (`learner.lora`), so that only they are published.",
    );
  if (of("update.truncatedFraction") > 0.3)
    advice.push(
      "More than 30 % of the conversations are truncated at their token limit: raise it, or penalize length.",
    );
  if (of("update.paddingFraction") > 0.4)
    advice.push(
      "More than 40 % of what the learner computes is padding: micro-batches with rows of similar length would waste less.",
    );
  const dispatched = of("groupsDispatched");
  if (dispatched > 0 && of("groupsFailed") > 0.1 * dispatched)
    advice.push("More than a tenth of the groups failed: the list of episodes says why.");
  if (dispatched > 0 && of("groupsStale") > 0.1 * dispatched)
    advice.push(
      "More than a tenth of the groups became too stale: lower `train.maxStaleness` or the groups in flight.",
    );
  if (of("update.clipFractionHigh") + of("update.clipFractionLow") > 0.3)
    advice.push(
      "More than 30 % of the tokens are clipped: the policy changes too much per step; lower the learning rate.",
    );
  if (of("update.zeroVarianceFraction") > 0.5)
    advice.push(
      "More than half of the groups have equal rewards in all their episodes and give no gradient: `train.zeroVarianceRefills` replaces them, or use easier or harder questions.",
    );
  return advice;
}

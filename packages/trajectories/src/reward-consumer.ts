import { type Job, UnrecoverableError } from "bullmq";
import { episodeSpecSchema, parseSpec, trajectoryIdOf } from "./group-spec.js";
import { JobConsumer, type JobConsumerOptions } from "./job-consumer.js";
import type { PayloadStore } from "./payload-store.js";
import type { Task } from "./task.js";
import type { Score, Trajectory } from "./trajectory.js";

export interface RewardOptions {
  readonly concurrency: number;
  /** Scores one trajectory. Rejecting is an attempt; it is never read as a zero (T4). */
  readonly score: (task: Task, trajectory: Trajectory, signal: AbortSignal) => Promise<Score>;
  /** Kept with each score, for traces. */
  readonly actorId?: string;
}

type Deps = Omit<JobConsumerOptions, "kind" | "queueName" | "concurrency" | "process"> & {
  readonly payloads: PayloadStore;
};

/** Starts the failure message of an episode whose rollout failed, as the group sees it. */
export const rolloutFailurePrefix = "rollout: ";

/** Takes rewards: scores the stored trajectory and stores the score once (T1).
 *  Where the rollout failed for good, the reward fails with the rollout's error (T4). */
export async function startRewardConsumer(options: RewardOptions, deps: Deps): Promise<JobConsumer> {
  const { payloads, metrics } = deps;

  async function reward(job: Job, signal: AbortSignal): Promise<void> {
    const spec = parseSpec(episodeSpecSchema, job.data);
    const trajectoryId = trajectoryIdOf(spec.groupId, spec.episodeIndex);
    if (await payloads.hasScore(trajectoryId)) {
      return;
    }
    const trajectory = await payloads.trajectory(trajectoryId);
    if (trajectory === undefined) {
      const [message] = Object.values(await job.getIgnoredChildrenFailures());
      throw new UnrecoverableError(`${rolloutFailurePrefix}${message ?? "its trajectory is not in Redis"}`);
    }
    const score = await options.score(await payloads.task(spec.groupId), trajectory, signal);
    const bytes = await payloads.putScore(spec.groupId, trajectoryId, score, options.actorId ?? "");
    metrics?.counter("palimpsest_queue_payload_bytes_total").inc({ kind: "score" }, bytes);
  }

  return await JobConsumer.start({
    ...deps,
    kind: "reward",
    queueName: "rewards",
    concurrency: options.concurrency,
    process: (job, signal) => reward(job, signal),
  });
}

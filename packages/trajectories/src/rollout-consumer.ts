import { PalimpsestError } from "@palimpsest/wire";
import type { Job } from "bullmq";
import {
  type Episode,
  type EpisodeSpec,
  episodeSeed,
  episodeSpecSchema,
  parseSpec,
  trajectoryIdOf,
} from "./group-spec.js";
import { JobConsumer, type JobConsumerOptions } from "./job-consumer.js";
import type { PayloadStore } from "./payload-store.js";
import type { Trajectory } from "./trajectory.js";

export interface RolloutOptions {
  readonly concurrency: number;
  /** Runs one episode. Rejecting is an attempt; the signal aborts when the work is no longer wanted here. */
  readonly run: (episode: Episode, signal: AbortSignal) => Promise<Trajectory>;
}

type Deps = Omit<JobConsumerOptions, "kind" | "queueName" | "concurrency" | "process"> & {
  readonly payloads: PayloadStore;
};

/** Takes rollouts: runs the episode, stores its trajectory once (T1), then lets its reward begin. */
export async function startRolloutConsumer(options: RolloutOptions, deps: Deps): Promise<JobConsumer> {
  const { payloads, metrics } = deps;

  async function rollOut(job: Job, signal: AbortSignal): Promise<void> {
    const spec = parseSpec(episodeSpecSchema, job.data);
    const trajectoryId = trajectoryIdOf(spec.groupId, spec.episodeIndex);
    // An earlier consumer may have died between storing and saying so.
    if (await payloads.hasTrajectory(trajectoryId)) {
      return;
    }
    const episode: Episode = {
      ...spec,
      trajectoryId,
      task: await payloads.task(spec.groupId),
      seed: episodeSeed(spec.seed, spec.episodeIndex),
      attempt: job.attemptsMade + 1,
    };
    const trajectory = await options.run(episode, signal);
    checkBelongs(trajectory, episode);
    const bytes = await payloads.putTrajectory(trajectory);
    metrics?.counter("palimpsest_queue_payload_bytes_total").inc({ kind: "trajectory" }, bytes);
  }

  return await JobConsumer.start({
    ...deps,
    kind: "rollout",
    queueName: "rollouts",
    concurrency: options.concurrency,
    process: (job, signal) => rollOut(job, signal),
  });
}

function checkBelongs(
  trajectory: Trajectory,
  episode: EpisodeSpec & { readonly trajectoryId: string },
): void {
  for (const field of ["trajectoryId", "groupId", "taskId", "episodeIndex"] as const) {
    if (trajectory[field] !== episode[field]) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${field} of the trajectory is "${trajectory[field]}"; its episode has "${episode[field]}"`,
      );
    }
  }
}

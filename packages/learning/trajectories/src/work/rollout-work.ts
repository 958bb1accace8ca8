/**
 * Responsibility: one attempt at a rollout: runs the episode, stores its trajectory once, and adds its reward job.
 * Not responsible for: attempts and deadlines.
 *
 * Invariants:
 * - ROLLOUT-1 (T1). A job that runs again continues from the state of its episode in the ledger.
 */

import type { Trajectory } from "@palimpsest/memory/records";
import type { Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import {
  type Episode,
  type EpisodeSpec,
  episodeSeed,
  episodeSpecSchema,
  parseSpec,
  splitTrajectoryId,
  trajectoryIdOf,
} from "../base/group-spec.js";
import type { EpisodeJobs } from "../jobs/episode-jobs.js";
import { FinalFailure, type JobWork } from "../jobs/job-work.js";
import type { PayloadStore, Stored } from "../store/payload-store.js";
import { inSpan } from "./episode-span.js";

/** How a rollout actor runs episodes. */
export interface RolloutOptions {
  readonly concurrency: number;
  /** Runs one episode. A rejection uses up an attempt. The signal aborts when the work is no longer wanted here. */
  readonly run: (episode: Episode, signal: AbortSignal) => Promise<Trajectory>;
}

export interface RolloutWorkDeps {
  readonly payloads: PayloadStore;
  readonly jobs: EpisodeJobs;
  readonly metrics: Metrics | undefined;
}

export function rolloutWork(
  run: RolloutOptions["run"],
  { payloads, jobs, metrics }: RolloutWorkDeps,
): JobWork {
  return {
    kind: "rollout",
    async run(job, signal) {
      const spec = parseSpec(episodeSpecSchema, job.data);
      const state = await payloads.episode(spec);
      if (state === "sampled") {
        await jobs.addReward(spec);
      }
      if (state !== "open") {
        return;
      }
      if (job.poison !== undefined) {
        throw new FinalFailure(job.poison);
      }
      const task = await payloads.task(spec.groupId);
      if (task === undefined) {
        if ((await payloads.episode(spec)) === undefined) {
          return; // The group was closed meanwhile.
        }
        throw new PalimpsestError(
          "NOT_FOUND",
          `the task of group ${spec.groupId} is not in Redis: it was lost or has expired`,
        );
      }
      const episode: Episode = {
        ...spec,
        trajectoryId: trajectoryIdOf(spec.groupId, spec.episodeIndex),
        task,
        seed: episodeSeed(spec.seed, spec.episodeIndex),
        attempt: job.attempt,
      };
      await inSpan("rollout", episode, async (traceparent) => {
        const sampled = await run(episode, signal);
        // The traceparent is stored with the trajectory and not with the reward's job, because anybody who finds that
        // job lost may add it again.
        const trajectory = traceparent === undefined ? sampled : { ...sampled, traceparent };
        checkBelongs(trajectory, episode);
        const stored = await store(payloads, trajectory, signal);
        if (stored.state === "open") {
          metrics?.counter("palimpsest_queue_payload_bytes_total").inc({ kind: "trajectory" }, stored.bytes);
        }
        if (stored.state === "open" || stored.state === "sampled") {
          await jobs.addReward(spec);
        }
      });
    },
    async fail(job, message) {
      const key = splitTrajectoryId(job.id);
      if (key !== undefined) {
        await payloads.putFailure(key, { stage: "rollout", message });
      }
    },
  };
}

/**
 * Stores a trajectory. A trajectory that is too large would be too large at every attempt, because the seed is the
 * same, so that failure is final.
 */
async function store(payloads: PayloadStore, trajectory: Trajectory, signal: AbortSignal): Promise<Stored> {
  try {
    return await payloads.putTrajectory(trajectory, signal);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "LIMIT_EXCEEDED" && !error.retryable) {
      throw new FinalFailure(error.message);
    }
    throw error;
  }
}

function checkBelongs(
  trajectory: Trajectory,
  episode: EpisodeSpec & { readonly trajectoryId: string },
): void {
  for (const field of ["trajectoryId", "groupId", "taskId", "episodeIndex"] as const) {
    if (trajectory[field] !== episode[field]) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${field} of the trajectory is "${trajectory[field]}", but its episode has "${episode[field]}"`,
      );
    }
  }
}

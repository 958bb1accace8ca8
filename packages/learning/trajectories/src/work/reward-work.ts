/**
 * Responsibility: one attempt at a reward: scores the stored trajectory and records the score once.
 * Not responsible for: attempts and deadlines.
 *
 * Invariants:
 * - REWARD-1 (T1, T4). An episode ends with the first score or failure recorded for it. A failure is never a zero.
 * - REWARD-2 (T4). The score of a trajectory that Redis lost is not recorded for another one: the trajectory that is
 *   there now is scored instead.
 */

import type { Score, Task, TrajectoryHead } from "@palimpsest/memory/records";
import type { Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { episodeSpecSchema, parseSpec, splitTrajectoryId } from "../base/group-spec.js";
import { FinalFailure, type JobWork } from "../jobs/job-work.js";
import type { EpisodeState } from "../store/ledger-store.js";
import type { PayloadStore } from "../store/payload-store.js";
import { inSpan } from "./episode-span.js";

/** How a reward actor scores trajectories. */
export interface RewardOptions {
  readonly concurrency: number;
  /** Scores one trajectory. A rejection uses up an attempt, and is never read as a zero (T4). */
  readonly score: (task: Task, trajectory: TrajectoryHead, signal: AbortSignal) => Promise<Score>;
  /**
   * Whether `score` reads the token columns of conversations, in which case it gets a complete `Trajectory`. Default
   * false, which saves Redis and this process most of the bytes.
   */
  readonly readsTokens?: boolean;
  /** Id of the scoring actor, which is stored with each score for traces. */
  readonly actorId?: string;
}

export interface RewardWorkDeps {
  readonly payloads: PayloadStore;
  readonly metrics: Metrics | undefined;
}

export function rewardWork(
  { score, readsTokens = false, actorId = "" }: Omit<RewardOptions, "concurrency">,
  { payloads, metrics }: RewardWorkDeps,
): JobWork {
  const work: JobWork = {
    kind: "reward",
    async run(job, signal) {
      const spec = parseSpec(episodeSpecSchema, job.data);
      const [{ state, trajectory: head, trajectoryToken }, task] = await Promise.all([
        payloads.sampledHead(spec),
        payloads.task(spec.groupId),
      ]);
      if (isOver(state)) {
        return;
      }
      if (job.poison !== undefined) {
        throw new FinalFailure(job.poison);
      }
      if (state === "open") {
        // Redis lost its last second: the rollout runs again, and this reward after it.
        throw new PalimpsestError(
          "NOT_FOUND",
          "its trajectory is not in Redis: it was lost before it was scored",
        );
      }
      const trajectory = readsTokens ? await payloads.trajectory(spec) : head;
      if (task === undefined || trajectory === undefined) {
        if (isOver(await payloads.episode(spec))) {
          return;
        }
        const missing = trajectory ? "task" : "trajectory";
        throw new FinalFailure(
          new PalimpsestError("NOT_FOUND", `its ${missing} is not in Redis: it was lost or has expired`)
            .message,
        );
      }
      const stored = await inSpan(
        "reward",
        { ...spec, ...spanOf(trajectory), attempt: job.attempt },
        async (traceparent) => {
          const scored = await score(task, trajectory, signal);
          const kept = traceparent === undefined ? scored : { ...scored, traceparent };
          return await payloads.putScore(spec, kept, { actorId, trajectoryToken });
        },
      );
      if (stored.state === "replaced") {
        return await work.run(job, signal);
      }
      if (stored.state !== undefined && stored.state !== "ended") {
        metrics?.counter("palimpsest_queue_payload_bytes_total").inc({ kind: "score" }, stored.bytes);
      }
    },
    async fail(job, message) {
      const key = splitTrajectoryId(job.id);
      if (key !== undefined) {
        await payloads.putFailure(key, { stage: "reward", message });
      }
    },
  };
  return work;
}

/** Returns the traceparent of the rollout that the reward scores, if it has one. */
const spanOf = ({ traceparent }: TrajectoryHead) => (traceparent === undefined ? {} : { traceparent });

function isOver(state: EpisodeState | undefined): boolean {
  return state === undefined || state === "ended";
}

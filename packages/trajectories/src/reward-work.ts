/** Responsibility: one attempt at a reward: scores the stored trajectory and records the score once.
 *  Not responsible for: attempts and deadlines.
 *
 *  Invariants:
 *  REWARD-1 (T1, T4). An episode ends with the first score or failure recorded for it; a failure is never a zero. */
import type { Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { episodeSpecSchema, parseSpec, splitTrajectoryId } from "./group-spec.js";
import { FinalFailure, type JobWork } from "./job-work.js";
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

export interface RewardWorkDeps {
  readonly payloads: PayloadStore;
  readonly metrics: Metrics | undefined;
}

export function rewardWork(
  { score, actorId = "" }: Pick<RewardOptions, "score" | "actorId">,
  { payloads, metrics }: RewardWorkDeps,
): JobWork {
  return {
    kind: "reward",
    async run(job, signal) {
      const spec = parseSpec(episodeSpecSchema, job.data);
      const isOver = async (): Promise<boolean> => {
        const state = await payloads.episode(spec);
        return state === undefined || state === "ended";
      };
      if (await isOver()) {
        return;
      }
      if (job.poison !== undefined) {
        throw new FinalFailure(job.poison);
      }
      const [task, trajectory] = await Promise.all([payloads.task(spec.groupId), payloads.trajectory(spec)]);
      if (task === undefined || trajectory === undefined) {
        if (await isOver()) {
          return;
        }
        const missing = trajectory ? "task" : "trajectory";
        throw new FinalFailure(
          new PalimpsestError("NOT_FOUND", `its ${missing} is not in Redis: lost or expired`).message,
        );
      }
      const stored = await payloads.putScore(spec, await score(task, trajectory, signal), actorId);
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
}

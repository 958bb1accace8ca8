import { z } from "zod";

const positiveInt = z.int().min(1);
const mebibyte = 1024 * 1024;

/** Limits and times of a run's queues. Every process of a run should be given the same. */
export const queueSettingsSchema = z.strictObject({
  maxOutstandingGroups: positiveInt
    .default(256)
    .describe("Groups that may be dispatched and not yet trained or failed; dispatch waits above it."),
  maxQueuedBytes: positiveInt
    .default(2048 * mebibyte)
    .describe(
      "Bytes of tasks, trajectories and scores that outstanding groups may have in Redis, with what their open episodes are expected to add; dispatch waits above it.",
    ),
  maxTrajectoryBytes: positiveInt
    .max(512 * mebibyte)
    .default(64 * mebibyte)
    .describe("Largest encoded trajectory or task; a larger one is a failed episode, with its size."),
  maxFetchBytes: positiveInt
    .default(64 * mebibyte)
    .describe("Bytes of trajectories that the learner has in flight from Redis at once."),
  attempts: positiveInt.max(100).default(3).describe("Attempts at a rollout or reward before it is failed."),
  rolloutTimeoutMs: positiveInt
    .max(86_400_000)
    .default(1_800_000)
    .describe("Longest time of one attempt at a rollout; after it the attempt is aborted and has failed."),
  rewardTimeoutMs: positiveInt
    .max(86_400_000)
    .default(300_000)
    .describe("Longest time of one attempt at a reward; after it the attempt is aborted and has failed."),
  backoffMs: z.int().min(0).default(1000).describe("Wait before the second attempt; doubles each time."),
  lockDurationMs: z
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "A consumer that does not renew its lock for this long is taken for dead; renewed at half of it.",
    ),
  stalledIntervalMs: z.int().min(50).default(5000).describe("Time between looks for dead consumers' jobs."),
  maxStalledCount: positiveInt
    .default(16)
    .describe("Times that a job may lose its consumer before it is failed as one that kills processes."),
  retryDelayMs: z.int().min(10).default(1000).describe("Wait after a lost connection before the next fetch."),
  redisSilenceMs: z
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "A connection to Redis that answers nothing for this long is closed and made again; commands in flight are sent again.",
    ),
  payloadTtlMs: z
    .int()
    .min(1000)
    .default(7 * 24 * 3600 * 1000)
    .describe("Tasks and trajectories are deleted after this, acknowledged or not."),
  keepFailedJobs: z.int().min(0).default(1000).describe("Failed jobs kept for people, in each queue."),
});

export type QueueSettings = z.infer<typeof queueSettingsSchema>;
/** What a caller gives; absent fields take their defaults. */
export type QueueSettingsInput = z.input<typeof queueSettingsSchema>;

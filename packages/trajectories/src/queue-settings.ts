import { z } from "zod";

const positiveInt = z.int().min(1);
const mebibyte = 1024 * 1024;

/** Limits and times of a run's queues. Every process of a run should be given the same settings. */
export const queueSettingsSchema = z.strictObject({
  maxOutstandingGroups: positiveInt
    .default(256)
    .describe(
      "Maximum number of groups that are dispatched and not yet trained or failed; dispatch waits above it.",
    ),
  maxQueuedBytes: positiveInt
    .default(2048 * mebibyte)
    .describe(
      "Maximum bytes of tasks, trajectories and scores that outstanding groups have in Redis, plus what their open episodes are expected to add; dispatch waits above it.",
    ),
  maxTrajectoryBytes: positiveInt
    .max(512 * mebibyte)
    .default(64 * mebibyte)
    .describe(
      "Largest encoded trajectory or task in bytes; a larger one fails its episode, naming the size.",
    ),
  maxFetchBytes: positiveInt
    .default(64 * mebibyte)
    .describe("Maximum bytes of trajectories that the learner fetches from Redis at once."),
  attempts: positiveInt.max(100).default(3).describe("Attempts at a rollout or reward before it is failed."),
  rolloutTimeoutMs: positiveInt
    .max(86_400_000)
    .default(1_800_000)
    .describe(
      "Longest time of one attempt at a rollout in milliseconds; a longer attempt is aborted and has failed.",
    ),
  rewardTimeoutMs: positiveInt
    .max(86_400_000)
    .default(300_000)
    .describe(
      "Longest time of one attempt at a reward in milliseconds; a longer attempt is aborted and has failed.",
    ),
  backoffMs: z
    .int()
    .min(0)
    .default(1000)
    .describe("Milliseconds before the second attempt; doubles with each further attempt."),
  lockDurationMs: z
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "A consumer that does not renew its lock for this many milliseconds is considered dead; locks are renewed at half of it.",
    ),
  stalledIntervalMs: z
    .int()
    .min(50)
    .default(5000)
    .describe("Milliseconds between two looks for jobs of dead consumers."),
  maxStalledCount: positiveInt
    .default(16)
    .describe("How often a job may lose its consumer before it is failed as one that kills processes."),
  retryDelayMs: z
    .int()
    .min(10)
    .default(1000)
    .describe("Milliseconds to wait after a lost connection before the next fetch."),
  redisSilenceMs: z
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "A connection to Redis on which nothing is answered for this many milliseconds is closed and opened again; outstanding commands are sent again.",
    ),
  payloadTtlMs: z
    .int()
    .min(1000)
    .default(7 * 24 * 3600 * 1000)
    .describe("Milliseconds after which tasks and trajectories are deleted, acknowledged or not."),
  keepFailedJobs: z.int().min(0).default(1000).describe("Failed jobs that each queue keeps for people."),
});

export type QueueSettings = z.infer<typeof queueSettingsSchema>;
/** Settings as a caller gives them. Absent fields take their defaults. */
export type QueueSettingsInput = z.input<typeof queueSettingsSchema>;

import { z } from "zod";

const positiveInt = z.int().min(1);
const mebibyte = 1024 * 1024;

/** Limits and times of a run's queues. Every process of a run should be given the same settings. */
export const queueSettingsSchema = z.strictObject({
  maxOutstandingGroups: positiveInt
    .default(256)
    .describe(
      "Most groups that are dispatched and neither trained nor failed yet; dispatch waits until there are fewer.",
    ),
  maxQueuedBytes: positiveInt
    .default(2048 * mebibyte)
    .describe(
      "Most bytes that tasks, trajectories and scores of outstanding groups take in Redis, including what open episodes are expected to add; dispatch waits until there are fewer.",
    ),
  maxTrajectoryBytes: positiveInt
    .max(512 * mebibyte)
    .default(64 * mebibyte)
    .describe(
      "Largest encoded trajectory or task in bytes; a larger one fails its episode with an error that names the size.",
    ),
  maxFetchBytes: positiveInt
    .default(64 * mebibyte)
    .describe("Most bytes of trajectories that the learner fetches from Redis at once."),
  attempts: positiveInt
    .max(100)
    .default(3)
    .describe("Attempts at a rollout or a reward before it counts as failed."),
  rolloutTimeoutMs: positiveInt
    .max(86_400_000)
    .default(1_800_000)
    .describe(
      "Longest time of one attempt at a rollout in milliseconds; a longer attempt is aborted and counts as failed.",
    ),
  rewardTimeoutMs: positiveInt
    .max(86_400_000)
    .default(300_000)
    .describe(
      "Longest time of one attempt at a reward in milliseconds; a longer attempt is aborted and counts as failed.",
    ),
  backoffMs: z
    .int()
    .min(0)
    .default(1000)
    .describe("Wait in milliseconds before the second attempt; it doubles with each further attempt."),
  lockDurationMs: z
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "Milliseconds without a renewal of its lock after which a consumer counts as dead; locks are renewed after half of this time.",
    ),
  stalledIntervalMs: z
    .int()
    .min(50)
    .default(5000)
    .describe("Milliseconds between two searches for jobs of dead consumers."),
  maxStalledCount: positiveInt
    .default(16)
    .describe(
      "Number of consumers that a job may lose before it counts as failed, because it probably kills processes.",
    ),
  retryDelayMs: z
    .int()
    .min(10)
    .default(1000)
    .describe("Milliseconds after a lost connection before the next fetch."),
  redisSilenceMs: z
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "Milliseconds without an answer after which a connection to Redis is closed and opened again, and outstanding commands are sent again.",
    ),
  payloadTtlMs: z
    .int()
    .min(1000)
    .default(7 * 24 * 3600 * 1000)
    .describe("Milliseconds after which tasks and trajectories are deleted, acknowledged or not."),
});

/** The section `queues` of a recipe, with all defaults filled in. */
export type QueueSettings = z.infer<typeof queueSettingsSchema>;
/** Settings as a caller gives them. Absent fields take their defaults. */
export type QueueSettingsInput = z.input<typeof queueSettingsSchema>;

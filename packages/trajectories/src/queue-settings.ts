import { z } from "zod";

const positiveInt = z.int().min(1);

/** Limits and times of a run's queues. Every process of a run should be given the same. */
export const queueSettingsSchema = z.strictObject({
  maxOutstandingGroups: positiveInt
    .default(256)
    .describe("Groups that may be dispatched and not yet trained or failed; dispatch waits above it."),
  attempts: positiveInt.max(100).default(3).describe("Attempts at a rollout or reward before it is failed."),
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
  payloadTtlMs: z
    .int()
    .min(1000)
    .default(7 * 24 * 3600 * 1000)
    .describe("Tasks, trajectories and scores are deleted after this, acknowledged or not."),
  keepFailedJobs: z.int().min(0).default(1000).describe("Failed jobs kept for people, in each queue."),
});

export type QueueSettings = z.infer<typeof queueSettingsSchema>;
/** What a caller gives; absent fields take their defaults. */
export type QueueSettingsInput = z.input<typeof queueSettingsSchema>;

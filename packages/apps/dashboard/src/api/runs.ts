/** Training runs and their episodes as the pages receive them. */
import * as z from "zod";

const runSchema = z.object({
  /** Name of the run's folder. */
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  runId: z.string(),
  createdAtMs: z.number(),
  /** Number of steps in the recipe; 0 when it is not known. */
  steps: z.number(),
  /** Step of the last line of metrics.jsonl; 0 without lines. */
  lastStep: z.number(),
  lastReward: z.number().optional(),
  traceFiles: z.number(),
  traceBytes: z.number(),
  /** Why parts of the run could not be read. */
  problem: z.string(),
});
export type RunRow = z.infer<typeof runSchema>;
export const runsSchema = z.object({
  rows: z.array(runSchema),
  /** Folders that are searched for runs. */
  folders: z.array(z.string()),
});

/** The numbers of a run's metrics by name, from line `from` on; null where a line lacks the number. */
export const metricsSchema = z.object({
  /** Changes when lines that were sent earlier have become invalid. */
  generation: z.number(),
  /** Index of the answer's first line. */
  from: z.number(),
  steps: z.array(z.number()),
  series: z.record(z.string(), z.array(z.number().nullable())),
  /** Number of unreadable lines. */
  skipped: z.number(),
});
export type Metrics = z.infer<typeof metricsSchema>;
/** Number and generation of the lines that the page already has. */
export const metricsQuerySchema = z.object({
  from: z.coerce.number().int().min(0).default(0),
  generation: z.coerce.number().int().min(0).optional(),
});

const laneSchema = z.object({
  name: z.string(),
  end: z.enum(["kept", "lost", "missed", "absent", "unseen"]),
  lostAt: z.number().optional(),
  writtenAt: z.number().optional(),
  steps: z.number(),
  recalledAfter: z.boolean(),
  answered: z.boolean(),
});

const episodeRowSchema = z.object({
  /** Index in the run's list of episodes. It is part of the episode's address. */
  at: z.number(),
  id: z.string(),
  /** What played the episode: training, an evaluation, or `ask`. */
  origin: z.enum(["ask", "eval", "train"]),
  agent: z.string(),
  /** Of an evaluation the number of steps that had been trained before it. */
  step: z.number().optional(),
  group: z.string().optional(),
  member: z.number().optional(),
  question: z.string(),
  answer: z.string(),
  reward: z.number().optional(),
  failure: z.string().optional(),
  /** Why training left the episode out although it was scored. */
  discarded: z.string().optional(),
  chunks: z.number(),
  sampledTokens: z.number(),
  lanes: z.array(laneSchema),
});
export type EpisodeRow = z.infer<typeof episodeRowSchema>;

export const episodesSchema = z.object({
  rows: z.array(episodeRowSchema),
  /** Number of rows so far. */
  total: z.number(),
  /** Bytes of traces that were read so far. */
  readBytes: z.number(),
  allBytes: z.number(),
  /** Whether more rows are being read. An incomplete line at a file's end does not count until its rest is written. */
  reading: z.boolean(),
  /** Changes when earlier rows have become invalid because files of old steps were removed. */
  generation: z.number(),
  problems: z.array(z.string()),
});
export type Episodes = z.infer<typeof episodesSchema>;

export const episodesQuerySchema = z.object({
  from: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(5_000).default(2_000),
});

export const episodeQuerySchema = z.object({ generation: z.coerce.number().int().min(0).optional() });

/** Training runs and their episodes as the pages receive them. */
import * as z from "zod";

export const runSchema = z.object({
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
  /** Folders in which runs are searched. */
  folders: z.array(z.string()),
});

/** Numbers of a run's lines by name, from one of the lines on; null where a line lacks one. */
export const metricsSchema = z.object({
  /** Changes when earlier lines no longer are what they were. */
  generation: z.number(),
  /** Index of the first of these lines. */
  from: z.number(),
  steps: z.array(z.number()),
  series: z.record(z.string(), z.array(z.number().nullable())),
  /** Number of unreadable lines. */
  skipped: z.number(),
});
export type Metrics = z.infer<typeof metricsSchema>;
/** The lines that the page has already: their number, and their generation. */
export const metricsQuerySchema = z.object({
  from: z.coerce.number().int().min(0).default(0),
  generation: z.coerce.number().int().min(0).optional(),
});

const laneSchema = z.object({
  name: z.string(),
  end: z.enum(["kept", "lost", "missed", "absent", "unseen"]),
  lostAt: z.number().optional(),
  recalledAfter: z.boolean(),
  answered: z.boolean(),
});

export const episodeRowSchema = z.object({
  /** Index in the run's list of episodes, which is part of its address. */
  at: z.number(),
  id: z.string(),
  agent: z.string(),
  step: z.number().optional(),
  group: z.string().optional(),
  member: z.number().optional(),
  question: z.string(),
  answer: z.string(),
  reward: z.number().optional(),
  failure: z.string().optional(),
  /** Why training left it out although it was scored. */
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
  /** Whether more rows are being read. Half a line at a file's end waits for its rest, and is not being read. */
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

/** Jobs as the pages receive and submit them. */
import * as z from "zod";

export const jobStatuses = ["pending", "running", "stopped", "succeeded", "failed", "unknown"] as const;

export const jobSchema = z.object({
  jobId: z.string(),
  name: z.string(),
  status: z.enum(jobStatuses),
  stopRequested: z.boolean(),
  message: z.string(),
  nodeId: z.string(),
  driverPid: z.number(),
  exitCode: z.number().optional(),
  submittedAtMs: z.number(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  metadata: z.record(z.string(), z.string()),
  resources: z.record(z.string(), z.number()),
  outputBytes: z.number(),
});
export type JobRow = z.infer<typeof jobSchema>;
export const jobsSchema = z.object({ rows: z.array(jobSchema), total: z.number() });

/** The longest text of a recipe or program that the page sends. Larger bundles are submitted with the command. */
export const maxSubmittedText = 2 * 1024 * 1024;

export const submissionSchema = z.strictObject({
  kind: z.enum(["recipe", "program"]).describe("a recipe's YAML, or one ES module of JavaScript"),
  text: z.string().min(1).max(maxSubmittedText),
  name: z.string().max(200).default(""),
  argv: z.array(z.string().max(4096)).max(100).default([]),
  /** The page chooses it, so that a form that is sent twice creates one job. */
  submissionId: z.string().max(100).default(""),
});
export type Submission = z.input<typeof submissionSchema>;

/** One event of a log's stream. */
export const logEventSchema = z.object({
  /** Offset of the first byte of the text. */
  offsetBytes: z.number(),
  /** Offset of the next event's text. */
  nextBytes: z.number(),
  text: z.string(),
});
/** The last event of a log's stream. */
export const logEndSchema = z.object({
  /** Why the log can be followed no further; absent: it has ended. */
  message: z.string().optional(),
});
export const logQuerySchema = z.object({
  offset: z.coerce.number().int().min(0).optional(),
  /** Which process of an actor, counted from 1; default: the newest. */
  incarnation: z.coerce.number().int().min(1).optional(),
});

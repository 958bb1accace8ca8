/** Calls, tasks, transfers and objects as the pages receive them. */
import * as z from "zod";
import { pageQuerySchema } from "./cluster.js";

export const taskKinds = ["task", "call", "transfer", "unknown"] as const;
export const taskStates = ["pending", "running", "finished", "failed", "cancelled", "unknown"] as const;

const taskSchema = z.object({
  id: z.string(),
  kind: z.enum(taskKinds),
  name: z.string(),
  role: z.string(),
  state: z.enum(taskStates),
  actorId: z.string(),
  nodeId: z.string(),
  pid: z.number(),
  jobId: z.string(),
  /** Milliseconds since the epoch; 0 when it has not happened yet. */
  queuedAtMs: z.number(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  error: z.string(),
});
export type TaskRow = z.infer<typeof taskSchema>;
export const tasksPageSchema = z.object({ rows: z.array(taskSchema), next: z.string() });
export const tasksQuerySchema = pageQuerySchema.extend({
  job: z.string().max(200).default(""),
  actor: z.string().max(200).default(""),
});

const objectSchema = z.object({
  objectId: z.string(),
  sizeBytes: z.number(),
  holdingNodes: z.array(z.string()),
  copyNodes: z.array(z.string()),
  spilledNodes: z.array(z.string()),
  /** The programs that stored it; empty for copies, and where the node did not tell. */
  owners: z.array(z.string()),
  /** Sessions, actors and jobs with a reference to it. */
  holders: z.array(z.string()),
});
/** The head lists objects without pages, so an answer has the first rows and the total number of rows. */
export const objectsSchema = z.object({ rows: z.array(objectSchema), total: z.number() });
export const objectsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(10_000).default(2_000),
});

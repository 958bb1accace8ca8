/** The cluster as the pages receive it: rows of the head's lists, without fields that the pages do not show. */
import * as z from "zod";

const quantities = z.record(z.string(), z.number());

export const actorStates = ["pending", "starting", "alive", "restarting", "dead", "unknown"] as const;
export const nodeStates = ["alive", "suspect", "dead", "unknown"] as const;

export const summarySchema = z.object({
  atMs: z.number(),
  actors: z.record(z.string(), z.number()),
  nodes: z.record(z.string(), z.number()),
  total: quantities,
  used: quantities,
  waiting: z.array(
    z.object({
      resources: quantities,
      count: z.number(),
      oldestSinceMs: z.number(),
      feasible: z.boolean(),
      reason: z.string(),
    }),
  ),
  waitingCount: z.number(),
  objectQuotas: z.array(
    z.object({ name: z.string(), maxBytes: z.number(), usedBytes: z.number(), waitingNodes: z.number() }),
  ),
  queues: z.array(
    z.object({
      name: z.string(),
      waiting: z.number(),
      active: z.number(),
      waitingChildren: z.number(),
      delayed: z.number(),
      failed: z.number(),
    }),
  ),
  autoscaler: z
    .object({
      provider: z.string(),
      error: z.string(),
      types: z.array(
        z.object({ name: z.string(), running: z.number(), starting: z.number(), max: z.number() }),
      ),
    })
    .optional(),
});
export type Summary = z.infer<typeof summarySchema>;

const nodeSchema = z.object({
  nodeId: z.string(),
  hostname: z.string(),
  pid: z.number(),
  state: z.enum(nodeStates),
  total: quantities,
  available: quantities,
  labels: z.record(z.string(), z.string()),
  joinedAtMs: z.number(),
  lastHeartbeatMs: z.number(),
});
export type NodeRow = z.infer<typeof nodeSchema>;

const actorSchema = z.object({
  actorId: z.string(),
  name: z.string(),
  role: z.string(),
  state: z.enum(actorStates),
  nodeId: z.string(),
  pid: z.number(),
  incarnation: z.number(),
  restarts: z.number(),
  jobId: z.string(),
  createdAtMs: z.number(),
  resources: quantities,
  gpuIds: z.array(z.number()),
  /** Why the actor is pending, or why it last died. */
  reason: z.string(),
  /** 0 unless it is dead. */
  endedAtMs: z.number(),
  /** Whether its last end was asked for, so that it is no failure. */
  asked: z.boolean(),
});
export type ActorRow = z.infer<typeof actorSchema>;

const certificateSchema = z.object({
  reason: z.string(),
  exitCode: z.number().optional(),
  signal: z.string(),
  lastStderrLines: z.array(z.string()),
  lastHeartbeatMs: z.number(),
  diedAtMs: z.number(),
  nodeId: z.string(),
  pid: z.number(),
  asked: z.boolean(),
});

export const actorDetailSchema = actorSchema.extend({
  namespace: z.string(),
  ownerId: z.string(),
  /** The module, or the bundle's hash; the class is `exportName`. */
  code: z.string(),
  exportName: z.string(),
  maxRestarts: z.number(),
  maxConcurrency: z.number(),
  maxTaskRetries: z.number(),
  detached: z.boolean(),
  durable: z.boolean(),
  sharedProcess: z.boolean(),
  taskWorker: z.boolean(),
  startFailures: z.number(),
  pendingReason: z.string(),
  certificate: certificateSchema.optional(),
  /** The error of its module or constructor. */
  error: z.object({ code: z.string(), message: z.string(), stack: z.string() }).optional(),
});
export type ActorDetail = z.infer<typeof actorDetailSchema>;

export const stackSchema = z.object({
  title: z.string(),
  pid: z.number(),
  busy: z.boolean(),
  method: z.string(),
  frames: z.array(z.string()),
  problem: z.string(),
});
export type Stack = z.infer<typeof stackSchema>;

const points = z.array(z.number().nullable());

/** What a node or a process really used, the oldest point first; null where nothing was reported. */
const useSeriesSchema = z.object({
  id: z.string(),
  cpuPercent: points,
  memoryBytes: points,
  diskBytes: points,
  gpuPercent: points,
  gpuMemoryBytes: points,
  memoryTotalBytes: z.number(),
  diskTotalBytes: z.number(),
  gpuMemoryTotalBytes: z.number(),
});
export type UseSeries = z.infer<typeof useSeriesSchema>;
export const useSchema = z.object({
  intervalMs: z.number(),
  series: z.array(useSeriesSchema),
  /** The newest percentage of one CPU and resident bytes, by the ids of actors and jobs. */
  processes: z.record(z.string(), z.tuple([z.number(), z.number()])),
});
export type Use = z.infer<typeof useSchema>;

/** One page of rows; `next` is empty on the last one. */
export const nodesPageSchema = z.object({ rows: z.array(nodeSchema), next: z.string() });
export const actorsPageSchema = z.object({ rows: z.array(actorSchema), next: z.string() });

const eventSchema = z.object({
  sequence: z.number(),
  atMs: z.number(),
  kind: z.string(),
  subjectId: z.string(),
  nodeId: z.string(),
  jobId: z.string(),
  message: z.string(),
});
export const eventsPageSchema = z.object({ rows: z.array(eventSchema), next: z.string() });

/** The query of a list. */
export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
  page: z.string().max(200).default(""),
});
export const actorsQuerySchema = pageQuerySchema.extend({
  node: z.string().max(200).default(""),
  job: z.string().max(200).default(""),
  dead: z.enum(["0", "1"]).default("0"),
});
/** An actor, node or job; without one all nodes. */
export const useQuerySchema = z.object({ id: z.string().max(200).default("") });
export const eventsQuerySchema = pageQuerySchema.extend({ subject: z.string().max(200).default("") });

/** Schemas of the rows that commands of a cluster print with `--json`. Times are in milliseconds since 1970; 0: not yet. */
import { taskKindNames, taskStateNames } from "@palimpsest/client";
import { z } from "zod";

const text = z.string();
const atMs = z.number();
const amounts = z.record(z.string(), z.number());
const names = z.record(z.string(), z.string());

export const protocolsSchema = z.strictObject({ min: z.int(), max: z.int() });

export const nodeSchema = z.strictObject({
  nodeId: text,
  hostname: text,
  pid: z.int(),
  state: z.enum(["alive", "suspect", "dead", "unknown"]),
  total: amounts.describe("resources that it offers"),
  available: amounts.describe("those that are not leased"),
  labels: names,
  objectsAddress: text,
  metricsAddress: text,
  version: text,
  protocols: protocolsSchema,
  joinedAtMs: atMs,
  lastHeartbeatMs: atMs,
  isRestarting: z.boolean().describe("whether it left to be started again"),
});

const certificateSchema = z.strictObject({
  reason: text,
  exitCode: z.int().optional(),
  signal: text,
  lastStderrLines: z.array(text),
  lastHeartbeatMs: atMs,
  diedAtMs: atMs,
  ownerId: text,
  nodeId: text,
  pid: z.int(),
});

export const actorSchema = z.strictObject({
  actorId: text,
  name: text,
  namespace: text,
  role: text,
  state: z.enum(["pending", "starting", "alive", "restarting", "dead", "unknown"]),
  nodeId: text,
  address: text,
  metricsAddress: text,
  pid: z.int(),
  incarnation: z.int().describe("number of its processes so far"),
  resources: amounts,
  ownerId: text,
  jobId: text,
  detached: z.boolean(),
  groupId: text.describe("its placement group"),
  pendingReason: text.describe("why it has no node"),
  createdAtMs: atMs,
  certificate: certificateSchema.optional().describe("of its last death"),
});

export const jobSchema = z.strictObject({
  jobId: text,
  name: text,
  status: z.enum(["pending", "running", "succeeded", "failed", "stopped", "unknown"]),
  message: text.describe("why it is pending, or how it failed"),
  nodeId: text,
  driverPid: z.int(),
  driverExitCode: z.int().optional(),
  submittedAtMs: atMs,
  startedAtMs: atMs,
  endedAtMs: atMs,
  metadata: names,
  stopRequested: z.boolean(),
  resources: amounts,
  gpuIds: z.array(z.int()),
  workingDir: text.describe("SHA-256 of its packed working directory"),
  outputBytes: z.number(),
  attempt: z.int(),
  maxAttempts: z.int(),
  retriedAs: text.describe("the job as which it was submitted again"),
});

export const taskSchema = z.strictObject({
  taskId: text,
  kind: z.enum([...taskKindNames, "unknown"]),
  name: text,
  state: z.enum([...taskStateNames, "unknown"]),
  actorId: text,
  incarnation: z.int(),
  role: text,
  nodeId: text,
  pid: z.int(),
  jobId: text,
  callerId: text,
  queuedAtMs: atMs,
  startedAtMs: atMs,
  endedAtMs: atMs,
  errorCode: text,
  errorMessage: text,
  objectId: text,
  sizeBytes: z.number(),
  peerAddress: text,
});

export const placementGroupSchema = z.strictObject({
  groupId: text,
  name: text,
  state: z.enum(["pending", "created", "rescheduling", "removed", "unknown"]),
  strategy: z.enum(["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"]),
  bundles: z.array(z.strictObject({ resources: amounts, nodeId: text, gpuIds: z.array(z.int()) })),
  detached: z.boolean(),
  ownerId: text,
  jobId: text,
  reason: text,
  createdAtMs: atMs,
});

export const objectSchema = z.strictObject({
  objectId: text,
  sizeBytes: z.number(),
  holdingNodeIds: z.array(text),
  copyNodeIds: z.array(text),
  spilledNodeIds: z.array(text),
});

export const eventSchema = z.strictObject({
  sequence: z.int().optional(),
  atMs,
  kind: text,
  subjectId: text,
  nodeId: text,
  jobId: text,
  message: text,
});

export const queueSchema = z.strictObject({
  name: text,
  waiting: z.int(),
  active: z.int(),
  waitingChildren: z.int(),
  delayed: z.int(),
  failed: z.int(),
});

export const taskCountsSchema = z.strictObject({
  kind: taskSchema.shape.kind,
  name: text,
  jobId: text,
  pending: z.int(),
  running: z.int(),
  finished: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  ranMs: z.number(),
  leftOut: z.int().describe("ended, and in no list"),
});

export const heldObjectSchema = z.strictObject({
  objectId: text,
  sizeBytes: z.number(),
  nodeId: text,
  ownerId: text,
  heldBy: z.array(text),
  pinnedBy: z.array(text),
  capturedIn: z.array(text),
  isCopy: z.boolean(),
  isSpilled: z.boolean(),
  storedAtMs: atMs,
});

export const stackSchema = z.strictObject({
  title: text,
  pid: z.int(),
  busy: z.boolean(),
  method: text,
  frames: z.array(text).describe("the innermost first"),
  problem: text.describe("why there is no stack"),
});

const callSchema = z.strictObject({
  name: text.describe("function (url:line:column)"),
  self: z.number().describe("milliseconds, or bytes of a heap, without what it called"),
  get calls() {
    return z.array(callSchema);
  },
});

export const profileSchema = z.strictObject({
  title: text,
  pid: z.int(),
  problem: text,
  calls: z.array(callSchema),
});

/** What `status` prints. */
export const statusSchema = z.strictObject({
  head: z.strictObject({
    clusterId: text,
    clusterName: text.optional(),
    version: text,
    startedAtMs: atMs,
    metricsAddress: text,
    pid: z.int(),
    redisPid: z.int(),
    protocols: protocolsSchema,
    rowVersion: z.int(),
    epoch: z.int(),

    headAddresses: z.array(text).describe("the one that leads first"),
  }),
  summary: z.strictObject({
    actors: amounts.describe("number by state"),
    nodes: amounts.describe("number by state"),
    total: amounts,
    used: amounts,
    waiting: z.array(
      z.strictObject({
        resources: amounts,
        labels: names,
        count: z.int(),
        oldestSinceMs: atMs,
        feasible: z.boolean(),
        reason: text,
      }),
    ),
    waitingCount: z.int(),
    waitingShapeCount: z.int(),
    reservedNodeCount: z.int(),
    objectQuotas: z.array(
      z.strictObject({
        name: text,
        maxBytes: z.int(),
        usedBytes: z.int(),
        grantedBytes: z.int(),
        waitingNodes: z.int(),
      }),
    ),
    autoscaler: z
      .strictObject({
        provider: text,
        types: z.array(
          z.strictObject({
            name: text,
            minNodes: z.int(),
            maxNodes: z.int(),
            running: z.int(),
            starting: z.int(),
            stopping: z.int(),
            error: text,
            instances: z.array(text),
          }),
        ),
        unmet: z.array(z.strictObject({ resources: amounts, count: z.int(), reason: text })),
        error: text,
        retryAtMs: atMs,
      })
      .optional(),
  }),
  nodes: z.array(nodeSchema),
  actors: z.array(actorSchema),
  queues: z.array(queueSchema),
});

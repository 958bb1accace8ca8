/** Represents the cluster's state as flat tables, for `list --filter` and `palimpsest sql`. */
import type {
  ActorInfo,
  Cluster,
  ClusterEventInfo,
  JobInfo,
  NodeInfo,
  ObjectRow,
  PlacementGroupInfo,
  TaskInfo,
} from "@palimpsest/client";

export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;
type ColumnType = "TEXT" | "INTEGER" | "REAL";

const maxTableRows = 50_000;

export interface StateTable {
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The maximum number of rows that are read. */
  readonly maxRows: number;
  /** Returns at most `limit` rows: the newest events, or the first rows of other tables. */
  read(cluster: Cluster, limit: number): Promise<readonly Row[]>;
}

/** The maximum number of objects that a head lists. */
const maxObjectRows = 10_000;

/** Creates a table from the result of a cluster call. */
function tableOf<Item>(
  columns: StateTable["columns"],
  items: (cluster: Cluster, limit: number) => Promise<readonly Item[]>,
  row: (item: Item) => Row,
  maxRows = maxTableRows,
) {
  return {
    columns,
    row,
    maxRows,
    read: async (cluster: Cluster, limit: number): Promise<readonly Row[]> =>
      (await items(cluster, Math.min(limit, maxRows))).map(row),
  };
}

/** Converts milliseconds since the epoch; null if the event has not happened. */
function moment(ms: number): number | null {
  return ms > 0 ? ms : null;
}

const nodes = tableOf<NodeInfo>(
  {
    ...{ node_id: "TEXT", hostname: "TEXT", state: "TEXT", pid: "INTEGER" },
    ...{ cpu: "REAL", cpu_free: "REAL", gpu: "REAL", gpu_free: "REAL", memory: "REAL", memory_free: "REAL" },
    ...{ labels: "TEXT", joined_at_ms: "INTEGER", last_heartbeat_ms: "INTEGER" },
  },
  (cluster, limit) => cluster.nodes({ limit }),
  ({ total, available, ...node }) => ({
    ...{ node_id: node.nodeId, hostname: node.hostname, state: node.state, pid: node.pid },
    ...{ cpu: total["cpu"] ?? 0, cpu_free: available["cpu"] ?? 0 },
    ...{ gpu: total["gpu"] ?? 0, gpu_free: available["gpu"] ?? 0 },
    ...{ memory: total["memory"] ?? 0, memory_free: available["memory"] ?? 0 },
    labels: JSON.stringify(node.labels),
    joined_at_ms: moment(node.joinedAtMs),
    last_heartbeat_ms: moment(node.lastHeartbeatMs),
  }),
);

const actors = tableOf<ActorInfo>(
  {
    ...{ actor_id: "TEXT", name: "TEXT", role: "TEXT", state: "TEXT", node_id: "TEXT", pid: "INTEGER" },
    ...{ incarnation: "INTEGER", job_id: "TEXT", owner_id: "TEXT", detached: "INTEGER", resources: "TEXT" },
    ...{ created_at_ms: "INTEGER", pending_reason: "TEXT", death_reason: "TEXT", died_at_ms: "INTEGER" },
  },
  (cluster, limit) => cluster.actors({ includeDead: true, limit }),
  (actor) => ({
    ...{ actor_id: actor.actorId, name: actor.name, role: actor.role, state: actor.state },
    ...{ node_id: actor.nodeId, pid: actor.pid, incarnation: actor.incarnation, job_id: actor.jobId },
    ...{ owner_id: actor.ownerId, detached: actor.detached ? 1 : 0 },
    resources: JSON.stringify(actor.resources),
    created_at_ms: moment(actor.createdAtMs),
    pending_reason: actor.pendingReason,
    death_reason: actor.certificate?.reason ?? null,
    died_at_ms: moment(actor.certificate?.diedAtMs ?? 0),
  }),
);

const jobs = tableOf<JobInfo>(
  {
    ...{ job_id: "TEXT", name: "TEXT", status: "TEXT", node_id: "TEXT", driver_pid: "INTEGER" },
    ...{ exit_code: "INTEGER", message: "TEXT", metadata: "TEXT", resources: "TEXT" },
    ...{ submitted_at_ms: "INTEGER", started_at_ms: "INTEGER", ended_at_ms: "INTEGER" },
  },
  async (cluster, limit) => (await cluster.jobs.list()).slice(-limit),
  (job) => ({
    ...{ job_id: job.jobId, name: job.name, status: job.status, node_id: job.nodeId },
    ...{ driver_pid: job.driverPid, exit_code: job.driverExitCode ?? null, message: job.message },
    ...{ metadata: JSON.stringify(job.metadata), resources: JSON.stringify(job.resources) },
    submitted_at_ms: moment(job.submittedAtMs),
    started_at_ms: moment(job.startedAtMs),
    ended_at_ms: moment(job.endedAtMs),
  }),
);

const tasks = tableOf<TaskInfo>(
  {
    ...{ task_id: "TEXT", kind: "TEXT", name: "TEXT", state: "TEXT", role: "TEXT", actor_id: "TEXT" },
    ...{ incarnation: "INTEGER", node_id: "TEXT", pid: "INTEGER", job_id: "TEXT", caller_id: "TEXT" },
    ...{ queued_at_ms: "REAL", started_at_ms: "REAL", ended_at_ms: "REAL", ran_ms: "REAL" },
    ...{ error_code: "TEXT", error_message: "TEXT", object_id: "TEXT", size_bytes: "INTEGER" },
  },
  (cluster, limit) => cluster.tasks({ limit }),
  (task) => ({
    ...{ task_id: task.taskId, kind: task.kind, name: task.name, state: task.state, role: task.role },
    ...{ actor_id: task.actorId, incarnation: task.incarnation, node_id: task.nodeId, pid: task.pid },
    ...{ job_id: task.jobId, caller_id: task.callerId, queued_at_ms: moment(task.queuedAtMs) },
    ...{ started_at_ms: moment(task.startedAtMs), ended_at_ms: moment(task.endedAtMs) },
    ran_ms: task.endedAtMs > 0 && task.startedAtMs > 0 ? task.endedAtMs - task.startedAtMs : null,
    ...{ error_code: task.errorCode, error_message: task.errorMessage },
    ...{ object_id: task.objectId, size_bytes: task.sizeBytes },
  }),
);

const objects = tableOf<ObjectRow>(
  { object_id: "TEXT", size_bytes: "INTEGER", held_on: "TEXT", copies_on: "TEXT", spilled_on: "TEXT" },
  async (cluster, limit) => (await cluster.listObjects({ limit })).objects,
  ({ objectId, sizeBytes, holdingNodeIds, copyNodeIds, spilledNodeIds }) => ({
    ...{ object_id: objectId, size_bytes: sizeBytes },
    ...{
      held_on: holdingNodeIds.join(","),
      copies_on: copyNodeIds.join(","),
      spilled_on: spilledNodeIds.join(","),
    },
  }),
  maxObjectRows,
);

const placementGroups = tableOf<PlacementGroupInfo>(
  {
    ...{ group_id: "TEXT", name: "TEXT", state: "TEXT", strategy: "TEXT", bundles: "INTEGER" },
    ...{ nodes: "TEXT", resources: "TEXT", reason: "TEXT" },
  },
  (cluster, limit) => cluster.placementGroups({ limit }),
  (group) => ({
    ...{ group_id: group.groupId, name: group.name, state: group.state, strategy: group.strategy },
    bundles: group.bundles.length,
    nodes: group.bundles.map(({ nodeId }) => nodeId).join(","),
    resources: JSON.stringify(group.bundles.map(({ resources }) => resources)),
    reason: group.reason,
  }),
);

const events = tableOf<ClusterEventInfo>(
  {
    ...{ at_ms: "INTEGER", kind: "TEXT", subject_id: "TEXT" },
    ...{ node_id: "TEXT", job_id: "TEXT", message: "TEXT" },
  },
  (cluster, limit) => cluster.events({ limit }),
  ({ atMs, kind, subjectId, nodeId, jobId, message }) => ({
    ...{ at_ms: atMs, kind, subject_id: subjectId, node_id: nodeId, job_id: jobId, message },
  }),
);

export const stateTables = { nodes, actors, jobs, tasks, objects, placement_groups: placementGroups, events };

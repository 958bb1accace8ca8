/** Represents the cluster's state as flat tables, for `list --filter` and `summary`. */
import type {
  ActorInfo,
  ClusterEventInfo,
  JobInfo,
  NodeInfo,
  ObjectRow,
  PlacementGroupInfo,
  TaskInfo,
} from "@palimpsest/client";

type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

/** Rows of one kind of item, for filters and counts. */
export interface StateTable<Item = never> {
  readonly columns: readonly string[];
  row(item: Item): Row;
}

/** @param cells how each column's cell is made of an item */
function tableOf<Item>(cells: Readonly<Record<string, (item: Item) => Cell>>): StateTable<Item> {
  return {
    columns: Object.keys(cells),
    row: (item) => Object.fromEntries(Object.entries(cells).map(([column, cell]) => [column, cell(item)])),
  };
}

/** Converts milliseconds since the epoch; null if the event has not happened. */
function moment(ms: number): number | null {
  return ms > 0 ? ms : null;
}

const nodes = tableOf<NodeInfo>({
  node_id: (node) => node.nodeId,
  hostname: (node) => node.hostname,
  state: (node) => node.state,
  pid: (node) => node.pid,
  cpu: ({ total }) => total["cpu"] ?? 0,
  cpu_free: ({ available }) => available["cpu"] ?? 0,
  gpu: ({ total }) => total["gpu"] ?? 0,
  gpu_free: ({ available }) => available["gpu"] ?? 0,
  memory: ({ total }) => total["memory"] ?? 0,
  memory_free: ({ available }) => available["memory"] ?? 0,
  labels: (node) => JSON.stringify(node.labels),
  joined_at_ms: (node) => moment(node.joinedAtMs),
  last_heartbeat_ms: (node) => moment(node.lastHeartbeatMs),
});

const actors = tableOf<ActorInfo>({
  actor_id: (actor) => actor.actorId,
  name: (actor) => actor.name,
  role: (actor) => actor.role,
  state: (actor) => actor.state,
  node_id: (actor) => actor.nodeId,
  pid: (actor) => actor.pid,
  incarnation: (actor) => actor.incarnation,
  job_id: (actor) => actor.jobId,
  owner_id: (actor) => actor.ownerId,
  detached: (actor) => (actor.detached ? 1 : 0),
  resources: (actor) => JSON.stringify(actor.resources),
  created_at_ms: (actor) => moment(actor.createdAtMs),
  pending_reason: (actor) => actor.pendingReason,
  death_reason: (actor) => actor.certificate?.reason ?? null,
  died_at_ms: (actor) => moment(actor.certificate?.diedAtMs ?? 0),
});

const jobs = tableOf<JobInfo>({
  job_id: (job) => job.jobId,
  name: (job) => job.name,
  status: (job) => job.status,
  node_id: (job) => job.nodeId,
  driver_pid: (job) => job.driverPid,
  exit_code: (job) => job.driverExitCode ?? null,
  message: (job) => job.message,
  metadata: (job) => JSON.stringify(job.metadata),
  resources: (job) => JSON.stringify(job.resources),
  submitted_at_ms: (job) => moment(job.submittedAtMs),
  started_at_ms: (job) => moment(job.startedAtMs),
  ended_at_ms: (job) => moment(job.endedAtMs),
});

const tasks = tableOf<TaskInfo>({
  task_id: (task) => task.taskId,
  kind: (task) => task.kind,
  name: (task) => task.name,
  state: (task) => task.state,
  role: (task) => task.role,
  actor_id: (task) => task.actorId,
  incarnation: (task) => task.incarnation,
  node_id: (task) => task.nodeId,
  pid: (task) => task.pid,
  job_id: (task) => task.jobId,
  caller_id: (task) => task.callerId,
  queued_at_ms: (task) => moment(task.queuedAtMs),
  started_at_ms: (task) => moment(task.startedAtMs),
  ended_at_ms: (task) => moment(task.endedAtMs),
  ran_ms: (task) => (task.endedAtMs > 0 && task.startedAtMs > 0 ? task.endedAtMs - task.startedAtMs : null),
  error_code: (task) => task.errorCode,
  error_message: (task) => task.errorMessage,
  object_id: (task) => task.objectId,
  size_bytes: (task) => task.sizeBytes,
});

const objects = tableOf<ObjectRow>({
  object_id: ({ objectId }) => objectId,
  size_bytes: ({ sizeBytes }) => sizeBytes,
  held_on: ({ holdingNodeIds }) => holdingNodeIds.join(","),
  copies_on: ({ copyNodeIds }) => copyNodeIds.join(","),
  spilled_on: ({ spilledNodeIds }) => spilledNodeIds.join(","),
});

const placementGroups = tableOf<PlacementGroupInfo>({
  group_id: (group) => group.groupId,
  name: (group) => group.name,
  state: (group) => group.state,
  strategy: (group) => group.strategy,
  bundles: (group) => group.bundles.length,
  nodes: (group) => group.bundles.map(({ nodeId }) => nodeId).join(","),
  resources: (group) => JSON.stringify(group.bundles.map(({ resources }) => resources)),
  reason: (group) => group.reason,
});

const events = tableOf<ClusterEventInfo>({
  at_ms: ({ atMs }) => atMs,
  kind: ({ kind }) => kind,
  subject_id: ({ subjectId }) => subjectId,
  node_id: ({ nodeId }) => nodeId,
  job_id: ({ jobId }) => jobId,
  message: ({ message }) => message,
});

export const stateTables = { nodes, actors, jobs, tasks, objects, placement_groups: placementGroups, events };

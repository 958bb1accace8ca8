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

/** Converts milliseconds since the epoch; null if the event has not happened. */
function moment(ms: number): number | null {
  return ms > 0 ? ms : null;
}

const nodes: StateTable<NodeInfo> = {
  columns: [
    "node_id",
    "hostname",
    "state",
    "pid",
    "cpu",
    "cpu_free",
    "gpu",
    "gpu_free",
    "memory",
    "memory_free",
    "labels",
    "joined_at_ms",
    "last_heartbeat_ms",
  ],
  row: ({ total, available, ...node }) => ({
    node_id: node.nodeId,
    hostname: node.hostname,
    state: node.state,
    pid: node.pid,
    cpu: total["cpu"] ?? 0,
    cpu_free: available["cpu"] ?? 0,
    gpu: total["gpu"] ?? 0,
    gpu_free: available["gpu"] ?? 0,
    memory: total["memory"] ?? 0,
    memory_free: available["memory"] ?? 0,
    labels: JSON.stringify(node.labels),
    joined_at_ms: moment(node.joinedAtMs),
    last_heartbeat_ms: moment(node.lastHeartbeatMs),
  }),
};

const actors: StateTable<ActorInfo> = {
  columns: [
    "actor_id",
    "name",
    "role",
    "state",
    "node_id",
    "pid",
    "incarnation",
    "job_id",
    "owner_id",
    "detached",
    "resources",
    "created_at_ms",
    "pending_reason",
    "death_reason",
    "died_at_ms",
  ],
  row: (actor) => ({
    actor_id: actor.actorId,
    name: actor.name,
    role: actor.role,
    state: actor.state,
    node_id: actor.nodeId,
    pid: actor.pid,
    incarnation: actor.incarnation,
    job_id: actor.jobId,
    owner_id: actor.ownerId,
    detached: actor.detached ? 1 : 0,
    resources: JSON.stringify(actor.resources),
    created_at_ms: moment(actor.createdAtMs),
    pending_reason: actor.pendingReason,
    death_reason: actor.certificate?.reason ?? null,
    died_at_ms: moment(actor.certificate?.diedAtMs ?? 0),
  }),
};

const jobs: StateTable<JobInfo> = {
  columns: [
    "job_id",
    "name",
    "status",
    "node_id",
    "driver_pid",
    "exit_code",
    "message",
    "metadata",
    "resources",
    "submitted_at_ms",
    "started_at_ms",
    "ended_at_ms",
  ],
  row: (job) => ({
    job_id: job.jobId,
    name: job.name,
    status: job.status,
    node_id: job.nodeId,
    driver_pid: job.driverPid,
    exit_code: job.driverExitCode ?? null,
    message: job.message,
    metadata: JSON.stringify(job.metadata),
    resources: JSON.stringify(job.resources),
    submitted_at_ms: moment(job.submittedAtMs),
    started_at_ms: moment(job.startedAtMs),
    ended_at_ms: moment(job.endedAtMs),
  }),
};

const tasks: StateTable<TaskInfo> = {
  columns: [
    "task_id",
    "kind",
    "name",
    "state",
    "role",
    "actor_id",
    "incarnation",
    "node_id",
    "pid",
    "job_id",
    "caller_id",
    "queued_at_ms",
    "started_at_ms",
    "ended_at_ms",
    "ran_ms",
    "error_code",
    "error_message",
    "object_id",
    "size_bytes",
  ],
  row: (task) => ({
    task_id: task.taskId,
    kind: task.kind,
    name: task.name,
    state: task.state,
    role: task.role,
    actor_id: task.actorId,
    incarnation: task.incarnation,
    node_id: task.nodeId,
    pid: task.pid,
    job_id: task.jobId,
    caller_id: task.callerId,
    queued_at_ms: moment(task.queuedAtMs),
    started_at_ms: moment(task.startedAtMs),
    ended_at_ms: moment(task.endedAtMs),
    ran_ms: task.endedAtMs > 0 && task.startedAtMs > 0 ? task.endedAtMs - task.startedAtMs : null,
    error_code: task.errorCode,
    error_message: task.errorMessage,
    object_id: task.objectId,
    size_bytes: task.sizeBytes,
  }),
};

const objects: StateTable<ObjectRow> = {
  columns: ["object_id", "size_bytes", "held_on", "copies_on", "spilled_on"],
  row: ({ objectId, sizeBytes, holdingNodeIds, copyNodeIds, spilledNodeIds }) => ({
    object_id: objectId,
    size_bytes: sizeBytes,
    held_on: holdingNodeIds.join(","),
    copies_on: copyNodeIds.join(","),
    spilled_on: spilledNodeIds.join(","),
  }),
};

const placementGroups: StateTable<PlacementGroupInfo> = {
  columns: ["group_id", "name", "state", "strategy", "bundles", "nodes", "resources", "reason"],
  row: (group) => ({
    group_id: group.groupId,
    name: group.name,
    state: group.state,
    strategy: group.strategy,
    bundles: group.bundles.length,
    nodes: group.bundles.map(({ nodeId }) => nodeId).join(","),
    resources: JSON.stringify(group.bundles.map(({ resources }) => resources)),
    reason: group.reason,
  }),
};

const events: StateTable<ClusterEventInfo> = {
  columns: ["at_ms", "kind", "subject_id", "node_id", "job_id", "message"],
  row: ({ atMs, kind, subjectId, nodeId, jobId, message }) => ({
    at_ms: atMs,
    kind,
    subject_id: subjectId,
    node_id: nodeId,
    job_id: jobId,
    message,
  }),
};

export const stateTables = { nodes, actors, jobs, tasks, objects, placement_groups: placementGroups, events };

/** Converts the head's answers to what the pages receive. */
import * as proto from "@palimpsest/wire/protocol";
import type { ActorRow, actorStates, EventRow, NodeRow, nodeStates, Summary } from "../api/cluster.js";
import type { JobRow, jobStatuses } from "../api/jobs.js";

const actorStateNames: Readonly<Record<number, (typeof actorStates)[number]>> = {
  [proto.ActorState.ACTOR_STATE_PENDING]: "pending",
  [proto.ActorState.ACTOR_STATE_STARTING]: "starting",
  [proto.ActorState.ACTOR_STATE_ALIVE]: "alive",
  [proto.ActorState.ACTOR_STATE_RESTARTING]: "restarting",
  [proto.ActorState.ACTOR_STATE_DEAD]: "dead",
};
const nodeStateNames: Readonly<Record<number, (typeof nodeStates)[number]>> = {
  [proto.NodeState.NODE_STATE_ALIVE]: "alive",
  [proto.NodeState.NODE_STATE_SUSPECT]: "suspect",
  [proto.NodeState.NODE_STATE_DEAD]: "dead",
};
const jobStatusNames: Readonly<Record<number, (typeof jobStatuses)[number]>> = {
  [proto.JobStatus.JOB_STATUS_PENDING]: "pending",
  [proto.JobStatus.JOB_STATUS_RUNNING]: "running",
  [proto.JobStatus.JOB_STATUS_STOPPED]: "stopped",
  [proto.JobStatus.JOB_STATUS_SUCCEEDED]: "succeeded",
  [proto.JobStatus.JOB_STATUS_FAILED]: "failed",
};
/** A death's reason is truncated in a row; the actor's own answer has it in full. */
const longestReason = 300;

const amounts = (resources: proto.Resources.$Properties | null | undefined) => ({ ...resources?.quantities });

export function summaryView(
  summary: proto.Summary.$Properties,
  queues: readonly proto.QueueInfo.$Properties[],
  atMs: number,
): Summary {
  const { autoscaler } = summary;
  return {
    atMs,
    actors: Object.fromEntries(
      (summary.actors ?? []).map(({ state, count }) => [
        actorStateNames[state ?? 0] ?? "unknown",
        count ?? 0,
      ]),
    ),
    nodes: Object.fromEntries(
      (summary.nodes ?? []).map(({ state, count }) => [nodeStateNames[state ?? 0] ?? "unknown", count ?? 0]),
    ),
    total: amounts(summary.total),
    used: amounts(summary.used),
    waiting: (summary.waiting ?? []).map((shape) => ({
      resources: amounts(shape.resources),
      count: shape.count ?? 0,
      oldestSinceMs: shape.oldestSinceMs ?? 0,
      feasible: shape.feasible ?? false,
      reason: shape.reason ?? "",
    })),
    waitingCount: summary.waitingCount ?? 0,
    queues: queues.map((queue) => ({
      name: queue.name ?? "",
      waiting: queue.waiting ?? 0,
      active: queue.active ?? 0,
      waitingChildren: queue.waitingChildren ?? 0,
      delayed: queue.delayed ?? 0,
      failed: queue.failed ?? 0,
    })),
    ...(autoscaler
      ? {
          autoscaler: {
            provider: autoscaler.provider ?? "",
            error: autoscaler.error ?? "",
            types: (autoscaler.types ?? []).map(({ name, running, starting, maxNodes }) => ({
              name: name ?? "",
              running: running ?? 0,
              starting: starting ?? 0,
              max: maxNodes ?? 0,
            })),
          },
        }
      : {}),
  };
}

export function nodeView(node: proto.NodeInfo.$Properties): NodeRow {
  return {
    nodeId: node.nodeId ?? "",
    hostname: node.hostname ?? "",
    pid: node.pid ?? 0,
    state: nodeStateNames[node.state ?? 0] ?? "unknown",
    total: amounts(node.total),
    available: amounts(node.available),
    labels: { ...node.labels },
    joinedAtMs: node.joinedAtMs ?? 0,
    lastHeartbeatMs: node.lastHeartbeatMs ?? 0,
  };
}

export function actorView(actor: proto.ActorInfo.$Properties): ActorRow {
  const { spec, certificate, constructorError } = actor;
  const reason = actor.pendingReason || constructorError?.message || certificate?.reason || "";
  return {
    actorId: spec?.actorId ?? "",
    name: spec?.name ?? "",
    role: spec?.role ?? "",
    state: actorStateNames[actor.state ?? 0] ?? "unknown",
    nodeId: actor.nodeId ?? "",
    pid: actor.pid ?? 0,
    incarnation: actor.incarnation ?? 0,
    restarts: actor.restarts ?? 0,
    jobId: spec?.jobId ?? "",
    createdAtMs: actor.createdAtMs ?? 0,
    resources: amounts(spec?.resources),
    gpuIds: [...(actor.gpuIds ?? [])],
    reason: reason.slice(0, longestReason),
  };
}

export function eventView(event: proto.ClusterEvent.$Properties): EventRow {
  return {
    sequence: event.sequence ?? 0,
    atMs: event.atMs ?? 0,
    kind: event.kind ?? "",
    subjectId: event.subjectId ?? "",
    nodeId: event.nodeId ?? "",
    jobId: event.jobId ?? "",
    message: event.message ?? "",
  };
}

export function jobView(job: proto.JobInfo.$Properties): JobRow {
  const { driverExitCode } = job;
  return {
    jobId: job.jobId ?? "",
    name: job.name ?? "",
    status: jobStatusNames[job.status ?? 0] ?? "unknown",
    stopRequested: job.stopRequested ?? false,
    message: job.message ?? "",
    nodeId: job.nodeId ?? "",
    driverPid: job.driverPid ?? 0,
    ...(typeof driverExitCode === "number" ? { exitCode: driverExitCode } : {}),
    submittedAtMs: job.submittedAtMs ?? 0,
    startedAtMs: job.startedAtMs ?? 0,
    endedAtMs: job.endedAtMs ?? 0,
    metadata: { ...job.metadata },
    resources: amounts(job.resources),
    outputBytes: job.outputBytes ?? 0,
  };
}

/** Converts the head's answers to what the pages receive. */
import { fieldsOf } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type {
  ActorDetail,
  ActorRow,
  actorStates,
  NodeRow,
  nodeStates,
  Summary,
  Use,
  UseSeries,
} from "../api/cluster.js";
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
/** Maximum characters of the reason in an actor's row; a longer reason is truncated. */
const longestReason = 300;

const amounts = (resources: proto.Resources.$Properties | null | undefined) => resources?.quantities ?? {};

export function summaryView(
  message: proto.Summary.$Properties,
  queues: readonly proto.QueueInfo.$Properties[],
  atMs: number,
): Summary {
  const summary = fieldsOf(proto.Summary, message);
  const { autoscaler, waitingCount } = summary;
  return {
    atMs,
    actors: countsByName(summary.actors, actorStateNames),
    nodes: countsByName(summary.nodes, nodeStateNames),
    total: amounts(summary.total),
    used: amounts(summary.used),
    waiting: summary.waiting.map((shape) => {
      const { resources, count, oldestSinceMs, feasible, reason } = fieldsOf(proto.WaitingShape, shape);
      return { resources: amounts(resources), count, oldestSinceMs, feasible, reason };
    }),
    waitingCount,
    objectQuotas: summary.objectQuotas.map((quota) => {
      const { name, maxBytes, usedBytes, waitingNodes } = fieldsOf(proto.ObjectQuotaSummary, quota);
      return { name, maxBytes, usedBytes, waitingNodes };
    }),
    queues: queues.map((queue) => fieldsOf(proto.QueueInfo, queue)),
    ...(autoscaler ? { autoscaler: autoscalerView(autoscaler) } : {}),
  };
}

function countsByName(
  rows: readonly { readonly state?: number | null; readonly count?: number | null }[],
  names: Readonly<Record<number, string>>,
) {
  return Object.fromEntries(rows.map(({ state, count }) => [names[state ?? 0] ?? "unknown", count ?? 0]));
}

function autoscalerView(message: proto.AutoscalerStatus.$Properties): NonNullable<Summary["autoscaler"]> {
  const { provider, error, types } = fieldsOf(proto.AutoscalerStatus, message);
  return {
    provider,
    error,
    types: types.map((type) => {
      const { name, running, starting, maxNodes: max } = fieldsOf(proto.NodeTypeStatus, type);
      return { name, running, starting, max };
    }),
  };
}

export function nodeView(message: proto.NodeInfo.$Properties): NodeRow {
  const {
    state,
    total,
    available,
    objectsAddress: _,
    metricsAddress: _metrics,
    ...node
  } = fieldsOf(proto.NodeInfo, message);
  return {
    ...node,
    state: nodeStateNames[state] ?? "unknown",
    total: amounts(total),
    available: amounts(available),
  };
}

export function actorView(message: proto.ActorInfo.$Properties): ActorRow {
  const { state, certificate, constructorError, ...actor } = fieldsOf(proto.ActorInfo, message);
  const { nodeId, pid, incarnation, restarts, createdAtMs, gpuIds } = actor;
  const { actorId, name, role, jobId, resources } = fieldsOf(proto.ActorSpec, actor.spec ?? {});
  const reason = actor.pendingReason || constructorError?.message || certificate?.reason || "";
  return {
    actorId,
    name,
    role,
    jobId,
    nodeId,
    pid,
    incarnation,
    restarts,
    createdAtMs,
    gpuIds,
    state: actorStateNames[state] ?? "unknown",
    resources: amounts(resources),
    reason: reason.slice(0, longestReason),
    endedAtMs: state === proto.ActorState.ACTOR_STATE_DEAD ? (certificate?.diedAtMs ?? 0) : 0,
    asked: certificate?.requested ?? false,
  };
}

export function actorDetail(message: proto.ActorInfo.$Properties): ActorDetail {
  const { certificate, constructorError, pendingReason, ...actor } = fieldsOf(proto.ActorInfo, message);
  const spec = fieldsOf(proto.ActorSpec, actor.spec ?? {});
  const { module, bundle, exportName } = fieldsOf(proto.CodeRef, spec.code ?? {});
  const { namespace, ownerId, maxRestarts, maxConcurrency, maxTaskRetries } = spec;
  const { detached, durable, sharedProcess, taskWorker } = spec;
  return {
    ...actorView(message),
    namespace,
    ownerId,
    maxRestarts,
    maxConcurrency,
    maxTaskRetries,
    detached,
    durable,
    sharedProcess,
    taskWorker,
    pendingReason,
    exportName,
    code: module || (bundle ? `bundle ${bundle.slice(0, 12)}` : ""),
    startFailures: actor.startFailures,
    ...(certificate ? { certificate: certificateView(certificate) } : {}),
    ...(constructorError ? { error: errorView(constructorError) } : {}),
  };
}

function certificateView(
  message: proto.DeathCertificate.$Properties,
): NonNullable<ActorDetail["certificate"]> {
  const { reason, exitCode, signal, lastStderrLines, lastHeartbeatMs, diedAtMs, nodeId, pid } = fieldsOf(
    proto.DeathCertificate,
    message,
  );
  return {
    reason,
    signal,
    lastStderrLines,
    lastHeartbeatMs,
    diedAtMs,
    nodeId,
    pid,
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    asked: message.requested ?? false,
  };
}

function errorView({
  code,
  name,
  message,
  stack,
}: proto.Error.$Properties): NonNullable<ActorDetail["error"]> {
  return { code: code || name || "", message: message ?? "", stack: stack ?? "" };
}

export function useView(message: proto.ListUseResponse.$Properties): Use {
  const { intervalMs, series, processes } = fieldsOf(proto.ListUseResponse, message);
  return {
    intervalMs,
    series: series.map(seriesView),
    processes: Object.fromEntries(
      processes.map(({ id, cpuPercent, memoryBytes }) => [id ?? "", [cpuPercent ?? 0, memoryBytes ?? 0]]),
    ),
  };
}

function seriesView(message: proto.UseSeries.$Properties): UseSeries {
  const { id, cpuPercent, memoryBytes, diskBytes, gpuPercent, gpuMemoryBytes, ...totals } = fieldsOf(
    proto.UseSeries,
    message,
  );
  // JSON has no NaN. Percentages need no more digits than a tenth.
  const points = (values: readonly number[], digits: number) =>
    values.map((value) => (Number.isNaN(value) ? null : Number(value.toFixed(digits))));
  return {
    id,
    cpuPercent: points(cpuPercent, 1),
    memoryBytes: points(memoryBytes, 0),
    diskBytes: points(diskBytes, 0),
    gpuPercent: points(gpuPercent, 1),
    gpuMemoryBytes: points(gpuMemoryBytes, 0),
    ...totals,
  };
}

export function jobView(message: proto.JobInfo.$Properties): JobRow {
  const {
    status,
    driverExitCode,
    resources,
    workingDir: _,
    gpuIds: _gpus,
    ...job
  } = fieldsOf(proto.JobInfo, message);
  return {
    ...job,
    status: jobStatusNames[status] ?? "unknown",
    ...(typeof driverExitCode === "number" ? { exitCode: driverExitCode } : {}),
    resources: amounts(resources),
  };
}

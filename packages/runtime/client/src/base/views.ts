import {
  fieldsOf,
  PalimpsestError,
  type ProfiledCall,
  type ProtocolRange,
  protocolsFrom,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { actorStates } from "./actor-view.js";

/** The states of a node; a suspect one has missed heartbeats and is not dead yet. */
export type NodeStateName = "alive" | "suspect" | "dead" | "unknown";

/** What the head knows about a node; resources are amounts by name. */
export interface NodeInfo {
  readonly nodeId: string;
  readonly hostname: string;
  readonly pid: number;
  readonly state: NodeStateName;
  readonly total: Readonly<Record<string, number>>;
  readonly available: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly objectsAddress: string;
  readonly metricsAddress: string;
  /** Version of its software; empty if it named none. */
  readonly version: string;
  readonly protocols: ProtocolRange;
  readonly joinedAtMs: number;
  readonly lastHeartbeatMs: number;
  /** Whether it was drained to be started again, and was told to leave. */
  readonly isRestarting: boolean;
}

/** Filters for listing nodes. */
export interface NodeFilter {
  /** Default: all. */
  readonly states?: readonly NodeStateName[];
  readonly hostname?: string;
  /** Maximum number of nodes. Default: all. */
  readonly limit?: number;
}

/** Pending requests that require the same resources and labels of a node. */
export interface WaitingShape {
  readonly resources: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly oldestSinceMs: number;
  /** Whether some node could hold it if the node were empty. */
  readonly feasible: boolean;
  readonly reason: string;
}

/** Counts of actors and nodes by state, resources of all nodes, and the shapes that wait for a node. */
export interface ClusterSummary {
  readonly actors: Readonly<Record<string, number>>;
  readonly nodes: Readonly<Record<string, number>>;
  readonly total: Readonly<Record<string, number>>;
  readonly used: Readonly<Record<string, number>>;
  /** The most frequent shapes first, at most 20. */
  readonly waiting: readonly WaitingShape[];
  readonly waitingCount: number;
  readonly waitingShapeCount: number;
  /** Nodes that are reserved for requests that have waited long. */
  readonly reservedNodeCount: number;
  /** The state of the autoscaler; undefined if there is none. */
  readonly autoscaler: AutoscalerStatus | undefined;
  /** The quotas of objects of which something is used, those with most bytes first, at most 20. */
  readonly objectQuotas: readonly ObjectQuotaSummary[];
}

/** What a quota of objects allows, and what of it all nodes use. */
export interface ObjectQuotaSummary {
  /** Such as "namespace batch". */
  readonly name: string;
  readonly maxBytes: number;
  readonly usedBytes: number;
  /** What nodes may use without asking, with what they use. */
  readonly grantedBytes: number;
  /** The number of nodes on which objects wait. */
  readonly waitingNodes: number;
}

/** The autoscaler's nodes and failures. */
export interface AutoscalerStatus {
  readonly provider: string;
  readonly types: readonly {
    readonly name: string;
    readonly minNodes: number;
    readonly maxNodes: number;
    readonly running: number;
    readonly starting: number;
    readonly stopping: number;
    /** As `error` below, of this type alone. */
    readonly error: string;
    /** The names of its instances, including those that are ending. */
    readonly instances: readonly string[];
  }[];
  /** Pending demand that gets no node, and why. */
  readonly unmet: readonly {
    readonly resources: Readonly<Record<string, number>>;
    readonly count: number;
    readonly reason: string;
  }[];
  /** The last failure that has not been followed by a success; empty if there is none. */
  readonly error: string;
  /** When the failed operation is retried; 0 if there is none. */
  readonly retryAtMs: number;
}

/** The stack of a process. */
export interface ProcessStack {
  /** The process, such as "reward judge (actor-12ab)" or "driver train". */
  readonly title: string;
  readonly pid: number;
  /** False if it waits for events, so that there are no frames. */
  readonly busy: boolean;
  /** The actor's method that runs; empty if none does or it is not known. */
  readonly method: string;
  /** Frames as "function (url:line:column)", the innermost first. */
  readonly frames: readonly string[];
  /** Why there is no stack; empty when there is one. */
  readonly problem: string;
}

/** How a process is profiled. */
export interface ProfileCallOptions {
  /** Milliseconds, at most 20,000. Default 5,000. */
  readonly durationMs?: number;
  /** What was allocated meanwhile and is still in use, instead of time. Default false. */
  readonly heap?: boolean;
  readonly signal?: AbortSignal;
}

/** What the functions of one process took. */
export interface ProcessProfile {
  /** As of `ProcessStack`. */
  readonly title: string;
  readonly pid: number;
  /** Why there is no profile; empty when there is one. */
  readonly problem: string;
  /** The outermost functions; without the time in which the process waited for events. */
  readonly calls: readonly ProfiledCall[];
}

/** Lengths of one BullMQ queue, in jobs by state. */
export interface QueueInfo {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly waitingChildren: number;
  readonly delayed: number;
  readonly failed: number;
}

/** Identity and addresses of the cluster and of the head that leads it. */
export interface ClusterInfo {
  readonly clusterId: string;
  /** ioredis URL with its password. */
  readonly redisUrl: string;
  readonly version: string;
  readonly startedAtMs: number;
  readonly metricsAddress: string;
  readonly pid: number;
  /** 0 if the head does not run its own Redis. */
  readonly redisPid: number;
  readonly protocols: ProtocolRange;
  /** Version in which it writes the rows of its state. */
  readonly rowVersion: number;
  /** The epoch with which it leads. */
  readonly epoch: number;
  /** host:port of the cluster's heads, the one that leads first. */
  readonly headAddresses: readonly string[];
}

/** A program that is connected as a driver. */
export interface DriverInfo {
  readonly sessionId: string;
  readonly name: string;
  readonly pid: number;
  /** Empty if it belongs to no job. */
  readonly jobId: string;
  /** Version of its software; empty if it named none. */
  readonly version: string;
  readonly protocols: ProtocolRange;
}

const nodeStates: Readonly<Record<number, NodeStateName>> = {
  [proto.NodeState.NODE_STATE_ALIVE]: "alive",
  [proto.NodeState.NODE_STATE_SUSPECT]: "suspect",
  [proto.NodeState.NODE_STATE_DEAD]: "dead",
};

export function nodeView(message: proto.NodeInfo.$Properties): NodeInfo {
  const { state, total, available, protocols, ...node } = fieldsOf(proto.NodeInfo, message);
  return {
    ...node,
    protocols: protocolsFrom(protocols),
    state: nodeStates[state] ?? "unknown",
    total: quantitiesOf(total),
    available: quantitiesOf(available),
  };
}

export function clusterView(message: proto.ClusterInfo.$Properties): ClusterInfo {
  const { protocols, rowVersion, ...info } = fieldsOf(proto.ClusterInfo, message);
  return { ...info, protocols: protocolsFrom(protocols), rowVersion: rowVersion || 1 };
}

export function driverView(message: proto.DriverInfo.$Properties): DriverInfo {
  const { protocols, ...driver } = fieldsOf(proto.DriverInfo, message);
  return { ...driver, protocols: protocolsFrom(protocols) };
}

function quantitiesOf(resources: proto.Resources.$Properties | null | undefined) {
  return resources?.quantities ?? {};
}

/** One object: its size in bytes, the nodes that lease it and those that have a copy. */
export interface ObjectRow {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly holdingNodeIds: readonly string[];
  readonly copyNodeIds: readonly string[];
  /** Those of the nodes holding it that have spilled it to disk. */
  readonly spilledNodeIds: readonly string[];
}

/** The rows of a listing of objects, and how many objects there are. */
export interface ObjectList {
  readonly objects: readonly ObjectRow[];
  /** The total in the cluster, including objects that are not listed. */
  readonly totalObjects: number;
}

export function objectListView({ objects, totalObjects }: proto.ListObjectsResponse.$Properties): ObjectList {
  return {
    objects: (objects ?? []).map((row) => fieldsOf(proto.ObjectRow, row)),
    totalObjects: totalObjects ?? 0,
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT for a name that the head does not know */
export function nodeStateOf(name: NodeStateName): proto.NodeState {
  for (const [state, known] of Object.entries(nodeStates)) if (known === name) return Number(state);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `state is ${name}: it must be one of ${Object.values(nodeStates).join(", ")}`,
  );
}

export function summaryView(message: proto.Summary.$Properties): ClusterSummary {
  const { actors, nodes, total, used, waiting, autoscaler, objectQuotas, ...counts } = fieldsOf(
    proto.Summary,
    message,
  );
  return {
    ...counts,
    actors: countsByName(actors, actorStates),
    nodes: countsByName(nodes, nodeStates),
    total: quantitiesOf(total),
    used: quantitiesOf(used),
    waiting: waiting.map((shape) => {
      const { resources, labels, count, oldestSinceMs, feasible, reason } = fieldsOf(
        proto.WaitingShape,
        shape,
      );
      return { resources: quantitiesOf(resources), labels, count, oldestSinceMs, feasible, reason };
    }),
    autoscaler: autoscaler ? autoscalerView(autoscaler) : undefined,
    objectQuotas: objectQuotas.map((quota) => fieldsOf(proto.ObjectQuotaSummary, quota)),
  };
}

function countsByName(
  rows: readonly { readonly state?: number | null; readonly count?: number | null }[],
  names: Readonly<Record<number, string>>,
) {
  return Object.fromEntries(rows.map(({ state, count }) => [names[state ?? 0] ?? "unknown", count ?? 0]));
}

function autoscalerView(message: proto.AutoscalerStatus.$Properties): AutoscalerStatus {
  const { types, unmet, ...status } = fieldsOf(proto.AutoscalerStatus, message);
  return {
    ...status,
    types: types.map((type) => fieldsOf(proto.NodeTypeStatus, type)),
    unmet: unmet.map((demand) => {
      const { resources, ...fields } = fieldsOf(proto.UnmetDemand, demand);
      return { ...fields, resources: quantitiesOf(resources) };
    }),
  };
}

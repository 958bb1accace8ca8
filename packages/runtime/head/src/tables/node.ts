/** Defines a node as the head knows it, and as its row in the store. */
import { normalizeQuantities, type Quantities } from "@palimpsest/scheduler";
import { type ProtocolRange, protocolsFrom } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

export const nodeStates = ["ALIVE", "SUSPECT", "DEAD"] as const;
export type NodeState = (typeof nodeStates)[number];

export interface Node {
  readonly nodeId: string;
  readonly hostname: string;
  readonly pid: number;
  readonly state: NodeState;
  readonly total: Quantities;
  readonly available: Quantities;
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

export const nodeStateToProto: Readonly<Record<NodeState, proto.NodeState>> = {
  ALIVE: proto.NodeState.NODE_STATE_ALIVE,
  SUSPECT: proto.NodeState.NODE_STATE_SUSPECT,
  DEAD: proto.NodeState.NODE_STATE_DEAD,
};

export function nodeToProto(node: Node): proto.NodeInfo.$Properties {
  return {
    ...node,
    state: nodeStateToProto[node.state],
    total: { quantities: { ...node.total } },
    available: { quantities: { ...node.available } },
    labels: { ...node.labels },
  };
}

/** Returns a node as it registers, without leases. */
export function registeredNode(
  message: proto.RegisterNode.$Properties,
): Omit<Node, "joinedAtMs" | "lastHeartbeatMs"> {
  const offered = message.total?.quantities ?? {};
  // Only whole GPUs are counted, because GPUs are leased by id.
  const total = normalizeQuantities({ ...offered, gpu: Math.floor(offered["gpu"] ?? 0) });
  return {
    nodeId: message.nodeId ?? "",
    hostname: message.hostname ?? "",
    pid: message.pid ?? 0,
    state: "ALIVE",
    total,
    available: total,
    labels: { ...message.labels },
    objectsAddress: message.objectsAddress ?? "",
    metricsAddress: message.metricsAddress ?? "",
    version: message.version ?? "",
    protocols: protocolsFrom(message.protocols),
    isRestarting: false,
  };
}

export function encodeNode(node: Node): Uint8Array {
  return proto.NodeInfo.encode(nodeToProto(node)).finish();
}

/** @returns the node of a row, without leases */
export function decodeNode(bytes: Uint8Array): Node {
  return nodeFromProto(proto.NodeInfo.decode(bytes));
}

function nodeFromProto(info: proto.NodeInfo): Node {
  return {
    nodeId: info.nodeId,
    hostname: info.hostname,
    pid: info.pid,
    state: nodeStates.find((state) => nodeStateToProto[state] === info.state) ?? "DEAD",
    total: normalizeQuantities(info.total?.quantities ?? {}),
    available: normalizeQuantities(info.total?.quantities ?? {}),
    labels: { ...info.labels },
    objectsAddress: info.objectsAddress,
    metricsAddress: info.metricsAddress,
    version: info.version,
    protocols: protocolsFrom(info.protocols),
    joinedAtMs: info.joinedAtMs,
    lastHeartbeatMs: info.lastHeartbeatMs,
    isRestarting: info.isRestarting,
  };
}

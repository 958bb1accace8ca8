/**
 * Responsibility: matches the provider's instances with the cluster's nodes: which instance is which node, and in which
 * state.
 * Not responsible for: starting or ending them.
 */
import { emptyNode, type NodeView, type ScaledNode } from "@palimpsest/scheduler";
import type { NodeTypeConfig } from "./config.js";
import { type Instance, instanceLabel } from "./provider.js";

/**
 * starting: it has not joined yet. running: its node is there, or temporarily away. gone: its node has ended or did not
 * join in time, and the instance is to be ended. ending: it is ending, and its name is not free yet.
 */
type MemberState = "starting" | "running" | "gone" | "ending";

export interface Member {
  readonly instance: Instance;
  readonly state: MemberState;
  readonly node: ScaledNode | undefined;
  readonly late: boolean;
}

export interface FleetFacts {
  readonly nowMs: number;
  readonly startTimeoutMs: number;
  /** Instances that this autoscaler has ended, by name, with their creation times, because names are reused. */
  readonly terminated: ReadonlyMap<string, number>;
  /** As `terminated`, for instances whose node was seen in the cluster. */
  readonly joined: ReadonlyMap<string, number>;
}

export function membersOf(
  instances: readonly Instance[],
  nodes: readonly ScaledNode[],
  facts: FleetFacts,
): readonly Member[] {
  const nodeOf = new Map<string, ScaledNode>();
  for (const node of nodes) {
    const name = node.labels[instanceLabel];
    if (name === undefined) continue;
    // A name is reused, so the node that is alive is the one that counts.
    const known = nodeOf.get(name);
    if (known === undefined || known.state === "dead") nodeOf.set(name, node);
  }
  return instances.map((instance) => {
    const node = nodeOf.get(instance.name);
    return { instance, node, ...standing(instance, node, facts) };
  });
}

function standing(
  instance: Instance,
  node: ScaledNode | undefined,
  { nowMs, startTimeoutMs, terminated, joined }: FleetFacts,
): { readonly state: MemberState; readonly late: boolean } {
  if (instance.state === "ended") return { state: "gone", late: false };
  const { name, createdAtMs } = instance;
  if (instance.state === "ending" || terminated.get(name) === createdAtMs)
    return { state: "ending", late: false };
  if (node !== undefined && node.state !== "dead") return { state: "running", late: false };
  // A dead node of that name may belong to an instance that had the name before.
  if (joined.get(name) === createdAtMs) return { state: "gone", late: false };
  const late = nowMs - instance.createdAtMs > startTimeoutMs;
  return { state: late ? "gone" : "starting", late };
}

/**
 * Returns the nodes that can be used now or soon: every node of the cluster, and an empty one for each starting
 * instance.
 */
export function viewsOf(
  members: readonly Member[],
  nodes: readonly ScaledNode[],
  types: readonly NodeTypeConfig[],
  without = "",
): NodeView[] {
  const views = nodes.flatMap(({ nodeId, view }) => (view && nodeId !== without ? [view] : []));
  for (const { instance, state, node } of members) {
    const type = types.find((one) => one.name === instance.nodeType);
    // A node that is away comes back or is soon declared dead.
    const expected = state === "starting" || (state === "running" && node?.state === "away");
    if (expected && type !== undefined) views.push(emptyNode(type, instance.name));
  }
  return views;
}

/** Returns the number of instances of each type that occupy one of its names. */
export function countsOf(members: readonly Member[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { instance } of members) counts.set(instance.nodeType, (counts.get(instance.nodeType) ?? 0) + 1);
  return counts;
}

/** Explains why a request waits. An explanation is computed on request, and is never stored. */
import { gpusFit } from "./gpu-instances.js";
import { allConditions, describeCondition, type LabelCondition, meetsCondition } from "./label-conditions.js";
import { boundTo, hasRoom, isFeasible, type NodeView, type PlacementRequest } from "./placement.js";
import { fits, sortedEntries } from "./resources.js";

/**
 * Returns one sentence with what is needed, the conditions that no node meets, how many nodes lack the rest for which
 * cause, and what the nearest node lacks. Its length does not depend on the number of nodes.
 */
export function explain(nodes: Iterable<NodeView>, request: PlacementRequest): string {
  const all = [...nodes];
  const conditions = allConditions(request.labels, request.conditions);
  let nearest: NodeView | undefined;
  for (const node of all) {
    if (nearest === undefined || compareDistance(node, nearest, request) < 0) nearest = node;
  }
  if (nearest === undefined) return "the cluster has no nodes: start one with `palimpsest worker join`";
  const needs = describe(request, conditions);
  if (hasRoom(nearest, request))
    return `needs ${needs}: ${nearest.nodeId} has room, but older requests go first`;
  const bound = boundTo(request);
  if (bound !== undefined && nearest.nodeId !== bound) return `needs ${needs}: no node ${bound} is alive`;
  const missing = `${nearest.nodeId} ${lacks(nearest, request, conditions).join(" and ")}`;
  if (all.length === 1 || bound !== undefined) return `needs ${needs}: ${missing}`;
  const unmet = new Set(conditions.filter((one) => !all.some(({ labels }) => meetsCondition(labels, one))));
  const met = conditions.filter((condition) => !unmet.has(condition));
  const causes = new Map<string, number>();
  for (const node of all) {
    const cause = causeOf(node, request, met);
    causes.set(cause, (causes.get(cause) ?? 0) + 1);
  }
  const counts = [...causes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const sentences = [
    ...[...unmet].map(
      (condition) =>
        `no node ${condition.operator === "not exists" ? `is without a label ${condition.name}` : `has ${describeCondition(condition)}`}`,
    ),
    ...counts
      .filter(([cause]) => unmet.size === 0 || cause !== keptForOlder)
      .map(([cause, number]) => `${number} ${number === 1 ? "node" : "nodes"} ${cause}`),
  ];
  return `needs ${needs}: ${sentences.join(", ")}; nearest is ${missing}`;
}

const keptForOlder = "with room that is reserved for older requests";

/**
 * Compares how far two nodes are from taking a request: first by whether they ever could, then by the largest missing
 * share. Negative when a is nearer.
 */
export function compareDistance(a: NodeView, b: NodeView, request: PlacementRequest): number {
  const bound = boundTo(request);
  if (bound !== undefined && (a.nodeId === bound) !== (b.nodeId === bound))
    return a.nodeId === bound ? -1 : 1;
  const unmet = Number(!isFeasible(a, request)) - Number(!isFeasible(b, request));
  if (unmet !== 0) return unmet;
  const byShortfall = shortfall(a, request) - shortfall(b, request);
  if (byShortfall !== 0) return byShortfall;
  if (a.leases !== b.leases) return a.leases - b.leases;
  return a.nodeId < b.nodeId ? -1 : 1;
}

/** Returns the largest missing share of what is requested. Each label or condition that is not met counts as 1. */
function shortfall(node: NodeView, { resources, labels, conditions = [] }: PlacementRequest): number {
  let largest = 0;
  for (const name in resources) {
    const need = resources[name] ?? 0;
    const have = node.available[name] ?? 0;
    if (need > have) largest = Math.max(largest, (need - have) / need);
  }
  // The sum of the free shares suffices, but not on one device, or not as whole devices.
  if (largest === 0 && !gpusFit(node.gpus, resources["gpu"] ?? 0)) largest = 0.5;
  for (const name in labels) if (node.labels[name] !== labels[name]) largest += 1;
  for (const condition of conditions) if (!meetsCondition(node.labels, condition)) largest += 1;
  return largest;
}

/**
 * Returns the first thing that keeps a request from a node, in a few words that are equal for many nodes so that nodes
 * can be counted by it.
 */
function causeOf(node: NodeView, request: PlacementRequest, conditions: readonly LabelCondition[]): string {
  for (const condition of conditions) {
    if (meetsCondition(node.labels, condition)) continue;
    if (condition.operator === "not exists") return `with a label ${condition.name}`;
    return `without ${describeCondition(condition)}`;
  }
  const resources = sortedEntries(request.resources);
  for (const [name] of resources) if ((node.total[name] ?? 0) === 0) return `without ${name}`;
  for (const [name, need] of resources)
    if (!fits(node.total, { [name]: need })) return `too small in ${name}`;
  for (const [name, need] of resources) {
    if (!fits(node.available, { [name]: need })) return `with too little ${name} free`;
  }
  if (!gpusFit(node.gpus, request.resources["gpu"] ?? 0)) return "with only fractions of GPUs free";
  return keptForOlder;
}

function lacks(node: NodeView, request: PlacementRequest, conditions: readonly LabelCondition[]): string[] {
  const missing: string[] = [];
  for (const condition of conditions) {
    if (meetsCondition(node.labels, condition)) continue;
    const { name, operator } = condition;
    const has = `has label ${name}=${node.labels[name]}`;
    missing.push(
      operator === "not exists" || operator === "not in" ? has : `lacks ${describeCondition(condition)}`,
    );
  }
  for (const [name, need] of sortedEntries(request.resources)) {
    const total = node.total[name] ?? 0;
    if (total === 0) missing.push(`has no ${name}`);
    else if (!fits(node.available, { [name]: need })) {
      missing.push(`has ${node.available[name] ?? 0} of ${total} ${name}`);
    } else if (name === "gpu" && !gpusFit(node.gpus, need)) {
      missing.push(
        `has only fractions of its GPUs free (${node.gpus.filter((share) => share > 0).join(", ")})`,
      );
    }
  }
  return missing;
}

function describe(request: PlacementRequest, conditions: readonly LabelCondition[]): string {
  const { strategy } = request;
  const bound = boundTo(request);
  const resources = sortedEntries(request.resources)
    .filter(([, need]) => need > 0)
    .map(([name, need]) => `${need} ${name}`);
  const needs = [
    ...(bound === undefined ? [] : [`node ${bound}`]),
    ...resources,
    ...conditions.map(describeCondition),
  ];
  if (needs.length > 0) return needs.join(", ");
  return strategy?.kind === "node" ? `a node, preferably ${strategy.nodeId}` : "only a node";
}

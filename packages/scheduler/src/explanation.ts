/** Why a request waits: made when somebody asks, never stored. */
import { gpusFit } from "./gpu-instances.js";
import { hasRoom, isFeasible, type NodeView, type PlacementRequest } from "./placement.js";
import { fits, sortedEntries } from "./resources.js";

/**
 * One sentence: what is needed, how many nodes cannot give it for which cause, and what the nearest node lacks.
 * Its length does not depend on the number of nodes.
 */
export function explain(nodes: Iterable<NodeView>, request: PlacementRequest): string {
  const causes = new Map<string, number>();
  let nearest: NodeView | undefined;
  let count = 0;
  for (const node of nodes) {
    count += 1;
    const cause = causeOf(node, request);
    causes.set(cause, (causes.get(cause) ?? 0) + 1);
    if (nearest === undefined || compareDistance(node, nearest, request) < 0) nearest = node;
  }
  if (nearest === undefined) return "the cluster has no node: start one with palimpsest worker join";
  const needs = describe(request);
  if (hasRoom(nearest, request)) return `needs ${needs}: ${nearest.nodeId} has room, older requests go first`;
  const missing = `${nearest.nodeId} ${lacks(nearest, request).join(" and ")}`;
  if (count === 1) return `needs ${needs}: ${missing}`;
  const counts = [...causes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const sentence = counts.map(([cause, number]) => `${number} ${number === 1 ? "node" : "nodes"} ${cause}`);
  return `needs ${needs}: ${sentence.join(", ")}; nearest is ${missing}`;
}

/**
 * How far a node is from taking a request: first whether it could at all, then the largest share that is missing.
 * Negative when a is nearer.
 */
export function compareDistance(a: NodeView, b: NodeView, request: PlacementRequest): number {
  const unmet = Number(!isFeasible(a, request)) - Number(!isFeasible(b, request));
  if (unmet !== 0) return unmet;
  const byShortfall = shortfall(a, request) - shortfall(b, request);
  if (byShortfall !== 0) return byShortfall;
  if (a.leases !== b.leases) return a.leases - b.leases;
  return a.nodeId < b.nodeId ? -1 : 1;
}

/** The largest missing share of what is asked; each missing label counts as one. */
function shortfall(node: NodeView, { resources, labels }: PlacementRequest): number {
  let largest = 0;
  for (const name in resources) {
    const need = resources[name] ?? 0;
    const have = node.available[name] ?? 0;
    if (need > have) largest = Math.max(largest, (need - have) / need);
  }
  // Enough in sum, but not on one device or not in whole ones.
  if (largest === 0 && !gpusFit(node.gpus, resources["gpu"] ?? 0)) largest = 0.5;
  for (const name in labels) if (node.labels[name] !== labels[name]) largest += 1;
  return largest;
}

/** The first thing that keeps a request from a node, in a few words that are the same for many nodes. */
function causeOf(node: NodeView, request: PlacementRequest): string {
  for (const [name, value] of sortedEntries(request.labels)) {
    if (node.labels[name] !== value) return `without label ${name}=${value}`;
  }
  const resources = sortedEntries(request.resources);
  for (const [name] of resources) if ((node.total[name] ?? 0) === 0) return `without ${name}`;
  for (const [name, need] of resources)
    if (!fits(node.total, { [name]: need })) return `too small in ${name}`;
  for (const [name, need] of resources) {
    if (!fits(node.available, { [name]: need })) return `with too little ${name} free`;
  }
  if (!gpusFit(node.gpus, request.resources["gpu"] ?? 0)) return "with gpus free in parts only";
  return "with room, kept for older requests";
}

function lacks(node: NodeView, request: PlacementRequest): string[] {
  const missing: string[] = [];
  for (const [name, value] of sortedEntries(request.labels)) {
    if (node.labels[name] !== value) missing.push(`lacks label ${name}=${value}`);
  }
  for (const [name, need] of sortedEntries(request.resources)) {
    const total = node.total[name] ?? 0;
    if (total === 0) missing.push(`has no ${name}`);
    else if (!fits(node.available, { [name]: need })) {
      missing.push(`has ${node.available[name] ?? 0} of ${total} ${name}`);
    } else if (name === "gpu" && !gpusFit(node.gpus, need)) {
      missing.push(`has its free gpu in parts (${node.gpus.filter((share) => share > 0).join(", ")})`);
    }
  }
  return missing;
}

function describe(request: PlacementRequest): string {
  const resources = sortedEntries(request.resources)
    .filter(([, need]) => need > 0)
    .map(([name, need]) => `${need} ${name}`);
  const labels = sortedEntries(request.labels).map(([name, value]) => `label ${name}=${value}`);
  return [...resources, ...labels].join(", ") || "nothing but a node";
}

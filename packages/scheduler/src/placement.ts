/**
 * Chooses the node for one actor or driver. Pure: the same view and request always give the same answer.
 *
 * Not its job: reserving what it chose (the head does), or telling nodes anything.
 *
 * Invariants:
 * - P1. A chosen node has every requested quantity available and every requested label.
 * - P2. When some node could take the request, one is chosen.
 * - P3. A refusal names every node and what it lacks.
 * - P4. The order in which nodes are listed does not matter.
 */
import { fits, type Quantities } from "./resources.js";

/** One node as the scheduler sees it. */
export interface NodeView {
  readonly nodeId: string;
  readonly total: Quantities;
  readonly available: Quantities;
  readonly labels: Readonly<Record<string, string>>;
  /** Actors and drivers placed there; breaks ties between nodes that are equally full. */
  readonly leases: number;
}

export interface PlacementRequest {
  readonly resources: Quantities;
  /** Labels that the node must carry, all of them. */
  readonly labels: Readonly<Record<string, string>>;
}

export type Placement =
  | { readonly placed: true; readonly nodeId: string }
  | {
      readonly placed: false;
      /** What each node lacks, in one sentence. */
      readonly reason: string;
      /** Whether it would fit if everything else on some node ended. */
      readonly feasible: boolean;
    };

/** Nodes are filled to this share of their scarcest resource before the next one is begun. */
const packUntil = 0.5;

/**
 * Packs nodes up to half full, then spreads: the fullest node that stays at or below half, else the node
 * that ends up least full. Requests without a gpu keep away from nodes with gpus while others can take them.
 */
export function place(nodes: readonly NodeView[], request: PlacementRequest): Placement {
  const candidates = nodes.filter(
    (node) => carries(node, request.labels) && fits(node.available, request.resources),
  );
  if (candidates.length === 0) return refuse(nodes, request);
  const wantsGpu = (request.resources["gpu"] ?? 0) > 0;
  const withoutGpu = wantsGpu ? candidates : candidates.filter((node) => (node.total["gpu"] ?? 0) === 0);
  const best = (withoutGpu.length > 0 ? withoutGpu : candidates)
    .map((node) => ({ node, fullness: fullnessAfter(node, request.resources) }))
    .reduce((a, b) => (compare(a, b, isEmpty(request.resources)) <= 0 ? a : b));
  return { placed: true, nodeId: best.node.nodeId };
}

interface Candidate {
  readonly node: NodeView;
  readonly fullness: number;
}

/** Negative when a is the better choice. */
function compare(a: Candidate, b: Candidate, asksNothing: boolean): number {
  if (!asksNothing) {
    const aPacks = a.fullness <= packUntil;
    const bPacks = b.fullness <= packUntil;
    if (aPacks !== bPacks) return aPacks ? -1 : 1;
    const byFullness = aPacks ? b.fullness - a.fullness : a.fullness - b.fullness;
    if (byFullness !== 0) return byFullness;
  }
  const byLeases = a.node.leases - b.node.leases;
  if (byLeases !== 0) return byLeases;
  return a.node.nodeId < b.node.nodeId ? -1 : 1;
}

/** Share in use, after the request, of the node's scarcest resource. */
function fullnessAfter(node: NodeView, request: Quantities): number {
  let fullest = 0;
  for (const [name, total] of Object.entries(node.total)) {
    if (total <= 0) continue;
    const used = total - (node.available[name] ?? 0) + (request[name] ?? 0);
    fullest = Math.max(fullest, used / total);
  }
  return fullest;
}

function refuse(nodes: readonly NodeView[], request: PlacementRequest): Placement {
  if (nodes.length === 0) {
    return {
      placed: false,
      reason: "the cluster has no node: start one with palimpsest worker join",
      feasible: false,
    };
  }
  const feasible = nodes.some((node) => carries(node, request.labels) && fits(node.total, request.resources));
  const perNode = [...nodes]
    .sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
    .map((node) => `${node.nodeId} ${lacks(node, request).join(" and ")}`);
  return { placed: false, reason: `needs ${describe(request)}: ${perNode.join("; ")}`, feasible };
}

function lacks(node: NodeView, request: PlacementRequest): string[] {
  const missing: string[] = [];
  for (const [name, value] of sorted(request.labels)) {
    if (node.labels[name] !== value) missing.push(`lacks label ${name}=${value}`);
  }
  for (const [name, need] of sorted(request.resources)) {
    if (fits(node.available, { [name]: need })) continue;
    const total = node.total[name] ?? 0;
    missing.push(total === 0 ? `has no ${name}` : `has ${node.available[name] ?? 0} of ${total} ${name}`);
  }
  return missing;
}

function describe(request: PlacementRequest): string {
  const resources = sorted(request.resources)
    .filter(([, need]) => need > 0)
    .map(([name, need]) => `${need} ${name}`);
  const labels = sorted(request.labels).map(([name, value]) => `label ${name}=${value}`);
  return [...resources, ...labels].join(", ");
}

function carries(node: NodeView, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([name, value]) => node.labels[name] === value);
}

function isEmpty(request: Quantities): boolean {
  return Object.values(request).every((value) => value === 0);
}

function sorted<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

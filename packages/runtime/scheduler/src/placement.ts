/**
 * Responsibility: chooses the node for one actor or driver by examining every node. It is pure: the same view and
 * request always give the same answer. The head uses `PlacementIndex`, which gives the same answers with less work;
 * this function is its definition.
 * Not responsible for: leasing what it chose (the head does that), or telling nodes anything.
 *
 * Invariants:
 * - PLACE-1. A chosen node has every requested quantity available, GPUs counted on their individual devices, and meets
 *   every label and label condition. A request that is bound to a node is placed there or nowhere.
 * - PLACE-2. When some node can take the request, one is chosen.
 * - PLACE-3. The order in which nodes are listed does not matter.
 */
import type { Claim } from "./claim.js";
import { type GpuShares, gpusFit } from "./gpu-instances.js";
import { type LabelCondition, type Labels, meetsCondition } from "./label-conditions.js";
import { fits, type Quantities } from "./resources.js";

/** One node as the scheduler sees it. */
export interface NodeView {
  readonly nodeId: string;
  readonly total: Quantities;
  readonly available: Quantities;
  /** The free share of each GPU. Their sum is `available.gpu`. */
  readonly gpus: GpuShares;
  readonly labels: Labels;
  /** Number of actors and drivers placed there. It breaks ties between nodes that are equally full. */
  readonly leases: number;
}

/**
 * How a node is chosen among those that can take a request.
 * pack: fills nodes to half, then spreads. This is the default, as in Ray's hybrid policy.
 * spread: takes the node that ends up least full, and among equally full ones the one with the fewest leases.
 * node: takes that node. When soft, takes any other node, packed, while that one has no room.
 */
export type Strategy =
  | { readonly kind: "pack" | "spread" }
  | { readonly kind: "node"; readonly nodeId: string; readonly soft: boolean };

export interface PlacementRequest {
  readonly resources: Quantities;
  /** Labels that the node must have, all of them: the short form of conditions. */
  readonly labels: Labels;
  /** Further conditions on the node's labels. Default: none. */
  readonly conditions?: readonly LabelCondition[] | undefined;
  /** Default: `{ kind: "pack" }`. */
  readonly strategy?: Strategy | undefined;
  /** Decides when it is placed, and never where. Default: priority 0, weight 1, no limits. */
  readonly claim?: Claim | undefined;
}

/** Returns the only node on which the request can be placed; undefined when it is not bound to one. */
export function boundTo({ strategy }: PlacementRequest): string | undefined {
  return strategy?.kind === "node" && !strategy.soft ? strategy.nodeId : undefined;
}

/** Nodes are filled to this fraction of their scarcest resource before the next node is used. */
const packUntil = 0.5;

/**
 * Packs nodes to half, then spreads: it takes the fullest node that stays at or below half, else the node that ends up
 * least full. Requests without a GPU avoid nodes with GPUs while other nodes can take them, unless they are to be
 * spread.
 * @returns the id of the chosen node; undefined when none has room
 */
export function place(nodes: Iterable<NodeView>, request: PlacementRequest): string | undefined {
  let best: Candidate | undefined;
  for (const node of nodes) {
    const candidate = candidateOf(node, request);
    if (candidate && (best === undefined || compareCandidates(candidate, best) < 0)) best = candidate;
  }
  return best?.nodeId;
}

/** A node that has room for a request, with the facts that decide between several. */
export interface Candidate {
  readonly nodeId: string;
  /** True when the request prefers this node. */
  readonly wanted: boolean;
  /**
   * True when the node has GPUs and the request wants none. Such a node is chosen only when no other can take the
   * request.
   */
  readonly wastesGpus: boolean;
  readonly packs: boolean;
  readonly fullness: number;
  readonly leases: number;
}

/** Returns undefined when the node has no room for the request. */
export function candidateOf(node: NodeView, request: PlacementRequest): Candidate | undefined {
  if (!hasRoom(node, request)) return undefined;
  const wantsGpu = (request.resources["gpu"] ?? 0) > 0;
  const asksNothing = isEmpty(request.resources);
  const fullness = asksNothing ? 0 : fullnessAfter(node, request.resources);
  const { strategy } = request;
  const spreads = strategy?.kind === "spread";
  return {
    nodeId: node.nodeId,
    wanted: strategy?.kind === "node" && strategy.nodeId === node.nodeId,
    wastesGpus: !spreads && !wantsGpu && (node.total["gpu"] ?? 0) > 0,
    packs: !spreads && fullness <= packUntil,
    fullness,
    leases: node.leases,
  };
}

/** Negative when a is the better choice; 0 only for the same node. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.wanted !== b.wanted) return a.wanted ? -1 : 1;
  if (a.wastesGpus !== b.wastesGpus) return a.wastesGpus ? 1 : -1;
  if (a.packs !== b.packs) return a.packs ? -1 : 1;
  const byFullness = a.packs ? b.fullness - a.fullness : a.fullness - b.fullness;
  if (byFullness !== 0) return byFullness;
  const byLeases = a.leases - b.leases;
  if (byLeases !== 0) return byLeases;
  return a.nodeId < b.nodeId ? -1 : a.nodeId > b.nodeId ? 1 : 0;
}

/** Returns whether a node of this kind could hold the request if nothing else were on it. */
export function isFeasible(node: Pick<NodeView, "total" | "labels">, request: PlacementRequest): boolean {
  return carries(node.labels, request) && fits(node.total, request.resources);
}

export function hasRoom(node: NodeView, request: PlacementRequest): boolean {
  const { resources } = request;
  const bound = boundTo(request);
  return (
    (bound === undefined || bound === node.nodeId) &&
    fits(node.available, resources) &&
    gpusFit(node.gpus, resources["gpu"] ?? 0) &&
    carries(node.labels, request)
  );
}

/** Returns the used fraction of the node's scarcest resource after the request is placed. */
function fullnessAfter(node: NodeView, request: Quantities): number {
  let fullest = 0;
  for (const name in node.total) {
    const total = node.total[name] ?? 0;
    if (total <= 0) continue;
    const used = total - (node.available[name] ?? 0) + (request[name] ?? 0);
    fullest = Math.max(fullest, used / total);
  }
  return fullest;
}

function carries(own: Labels, { labels, conditions }: PlacementRequest): boolean {
  for (const name in labels) if (own[name] !== labels[name]) return false;
  return conditions === undefined || conditions.every((condition) => meetsCondition(own, condition));
}

function isEmpty(request: Quantities): boolean {
  return Object.values(request).every((value) => value === 0);
}

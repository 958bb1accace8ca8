/**
 * Responsibility: chooses the node for one actor or driver by looking at every node. Pure: the same view and request
 * always give the same answer. The head uses `PlacementIndex`, which gives the same answers for less work; this is its
 * definition.
 * Not responsible for: taking what it chose (the head does), or telling nodes anything.
 *
 * Invariants:
 * - PLACE-1. A chosen node has every requested quantity available, GPUs on devices as they lie, and meets every label
 *   and label condition. A request that is bound to a node is placed there or nowhere.
 * - PLACE-2. When some of the nodes could take the request, one is chosen.
 * - PLACE-3. The order in which nodes are listed does not matter.
 */
import { type GpuShares, gpusFit } from "./gpu-instances.js";
import { type LabelCondition, type Labels, meetsCondition } from "./label-conditions.js";
import { fits, type Quantities } from "./resources.js";

/** One node as the scheduler sees it. */
export interface NodeView {
  readonly nodeId: string;
  readonly total: Quantities;
  readonly available: Quantities;
  /** What is free of each GPU; their sum is `available.gpu`. */
  readonly gpus: GpuShares;
  readonly labels: Labels;
  /** Actors and drivers placed there; breaks ties between nodes that are equally full. */
  readonly leases: number;
}

/**
 * How a node is chosen among those that can take a request.
 * pack: fills nodes up to half, then spreads; the default, as Ray's hybrid policy.
 * spread: the node that ends up least full, of equally full ones the one with the fewest leases.
 * node: that node. Soft: any other, packed, for as long as that one has no room.
 */
export type Strategy =
  | { readonly kind: "pack" | "spread" }
  | { readonly kind: "node"; readonly nodeId: string; readonly soft: boolean };

export interface PlacementRequest {
  readonly resources: Quantities;
  /** Labels that the node must carry, all of them: the short form of conditions. */
  readonly labels: Labels;
  /** What the node's labels must be like besides. Default: anything. */
  readonly conditions?: readonly LabelCondition[] | undefined;
  /** Default: pack. */
  readonly strategy?: Strategy | undefined;
}

/** The node outside of which the request cannot be placed; undefined when there is none. */
export function boundTo({ strategy }: PlacementRequest): string | undefined {
  return strategy?.kind === "node" && !strategy.soft ? strategy.nodeId : undefined;
}

/** Nodes are filled to this share of their scarcest resource before the next one is begun. */
const packUntil = 0.5;

/**
 * Packs nodes up to half full, then spreads: the fullest node that stays at or below half, else the node
 * that ends up least full. Requests without a gpu keep away from nodes with gpus while others can take them, unless
 * they are to be spread.
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

/** A node that has room for a request, with what decides between several. */
export interface Candidate {
  readonly nodeId: string;
  /** The request would like this node best. */
  readonly wanted: boolean;
  /** It has gpus and the request wants none: taken only when no other node can. */
  readonly wastesGpus: boolean;
  readonly packs: boolean;
  readonly fullness: number;
  readonly leases: number;
}

/** Undefined when the node has no room for the request. */
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

/** Negative when a is the better choice; 0 for the same node only. */
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

/** Whether a node of this kind could hold the request when nothing else was there. */
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

/** Share in use, after the request, of the node's scarcest resource. */
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

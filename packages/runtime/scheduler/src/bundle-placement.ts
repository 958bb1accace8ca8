/**
 * Responsibility: chooses nodes for the bundles of a placement group, for all of them or for none. It is pure: the same
 * view and request always give the same answer.
 * Not responsible for: leasing what it chose, or moving bundles that already have a node.
 *
 * Invariants:
 * - BUNDLES-1. Every missing bundle gets a node, or none does. What is chosen fits: quantities, GPUs on their
 *   individual devices, labels; the bundles that share a node fit there together.
 * - BUNDLES-2. STRICT_PACK chooses one node for all bundles, STRICT_SPREAD a different node for each. Bundles that
 *   already have a node count.
 * - BUNDLES-3. When a choice exists, one is found. For PACK, SPREAD and STRICT_PACK that holds as long as the search
 *   takes no more steps than its bound; STRICT_SPREAD is a matching and always exact.
 * - BUNDLES-4. The order in which nodes are listed does not matter.
 */
import { chooseGpus, type GpuShares, takeGpus } from "./gpu-instances.js";
import { hasRoom, type NodeView, type PlacementRequest } from "./placement.js";
import { type Quantities, subtractQuantities } from "./resources.js";

export const groupStrategies = ["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"] as const;
export type GroupStrategy = (typeof groupStrategies)[number];

export interface GroupRequest {
  readonly strategy: GroupStrategy;
  readonly bundles: readonly PlacementRequest[];
  /** Nodes of the bundles that already have one, by the bundle's index. They stay there. */
  readonly placed?: ReadonlyMap<number, string>;
}

/** The node and devices of one bundle. */
export interface BundlePlace {
  readonly nodeId: string;
  readonly gpuIds: readonly number[];
}

/** How many nodes a search may examine in addition to one for each pair of bundle and node. */
const searchLooks = 50_000;

/**
 * Returns the placements of the missing bundles by their index; undefined when there is no room for all of them now.
 */
export function placeBundles(
  nodes: Iterable<NodeView>,
  { strategy, bundles, placed = new Map() }: GroupRequest,
): ReadonlyMap<number, BundlePlace> | undefined {
  const views = [...nodes].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  const missing = bundles.flatMap((request, index) => (placed.has(index) ? [] : [{ index, request }]));
  const used = new Set(placed.values());
  if (missing.length === 0) return new Map();
  switch (strategy) {
    case "STRICT_PACK":
      return onOneNode(used.size === 0 ? views : views.filter(({ nodeId }) => used.has(nodeId)), missing);
    case "STRICT_SPREAD":
      return onDistinctNodes(
        views.filter(({ nodeId }) => !used.has(nodeId)),
        missing,
      );
    case "PACK": {
      const together = used.size === 0 ? onOneNode(views, missing) : undefined;
      return together ?? new Search(views, missing, placed, true).run();
    }
    case "SPREAD": {
      const fresh = views.filter(({ nodeId }) => !used.has(nodeId));
      return onDistinctNodes(fresh, missing) ?? new Search(views, missing, placed, false).run();
    }
  }
}

/** Returns how many of these bundles could get nodes of their own at once, which explains why STRICT_SPREAD waits. */
export function mostOnDistinctNodes(nodes: Iterable<NodeView>, bundles: readonly PlacementRequest[]): number {
  const missing = bundles.map((request, index) => ({ index, request }));
  return match([...nodes], missing).size;
}

interface Missing {
  readonly index: number;
  readonly request: PlacementRequest;
}

type Plan = Map<number, BundlePlace>;

/** Chooses the node that others have filled least, so that large groups keep finding whole nodes. */
function onOneNode(views: readonly NodeView[], missing: readonly Missing[]): Plan | undefined {
  let best: { readonly plan: Plan; readonly leases: number } | undefined;
  for (const view of views) {
    if (best !== undefined && view.leases >= best.leases) continue;
    if (!missing.every(({ request }) => hasRoom(view, request))) continue;
    const plan = new Search([view], missing, new Map(), true).run();
    if (plan !== undefined) best = { plan, leases: view.leases };
  }
  return best?.plan;
}

function onDistinctNodes(views: readonly NodeView[], missing: readonly Missing[]): Plan | undefined {
  const matched = match(views, missing);
  if (matched.size < missing.length) return undefined;
  const plan: Plan = new Map();
  for (const [{ index, request }, { nodeId, gpus }] of matched)
    plan.set(index, { nodeId, gpuIds: chooseGpus(gpus, request.resources["gpu"] ?? 0) ?? [] });
  return plan;
}

/** Computes a maximum matching of bundles with nodes that have room for them, by augmenting paths. */
function match(views: readonly NodeView[], missing: readonly Missing[]): Map<Missing, NodeView> {
  // The least filled node comes first, as for anything that is spread.
  const order = [...views].sort((a, b) => a.leases - b.leases || (a.nodeId < b.nodeId ? -1 : 1));
  const takenBy = new Map<NodeView, Missing>();
  const augment = (bundle: Missing, seen: Set<NodeView>): boolean => {
    for (const view of order) {
      if (seen.has(view) || !hasRoom(view, bundle.request)) continue;
      seen.add(view);
      const other = takenBy.get(view);
      if (other !== undefined && !augment(other, seen)) continue;
      takenBy.set(view, bundle);
      return true;
    }
    return false;
  };
  for (const bundle of missing) augment(bundle, new Set());
  return new Map([...takenBy].map(([view, bundle]) => [bundle, view]));
}

/** A node with what the search has placed on it so far. */
interface Filled {
  view: NodeView;
  bundles: number;
}

/** Tries nodes for one bundle after the other, the largest bundle first, and backtracks when a bundle finds none. */
class Search {
  readonly #nodes: readonly Filled[];
  readonly #missing: readonly Missing[];
  readonly #packs: boolean;
  readonly #plan: Plan = new Map();
  #looksLeft: number;

  constructor(
    views: readonly NodeView[],
    missing: readonly Missing[],
    placed: ReadonlyMap<number, string>,
    packs: boolean,
  ) {
    const bundlesOn = new Map<string, number>();
    for (const nodeId of placed.values()) bundlesOn.set(nodeId, (bundlesOn.get(nodeId) ?? 0) + 1);
    this.#nodes = views.map((view) => ({ view, bundles: bundlesOn.get(view.nodeId) ?? 0 }));
    const size = sizeIn(views);
    this.#missing = [...missing].sort(
      (a, b) => size(b.request.resources) - size(a.request.resources) || a.index - b.index,
    );
    this.#packs = packs;
    this.#looksLeft = searchLooks + 2 * views.length * missing.length;
  }

  run(): Plan | undefined {
    return this.#placeFrom(0) ? this.#plan : undefined;
  }

  #placeFrom(depth: number): boolean {
    const bundle = this.#missing[depth];
    if (bundle === undefined) return true;
    const tried = new Set<string>();
    for (const node of this.#candidates(bundle.request)) {
      const { view } = node;
      for (const gpuIds of gpuChoices(view.gpus, bundle.request.resources["gpu"] ?? 0)) {
        // Nodes with equal state lead to the same outcome, so only one of them is tried.
        const state = JSON.stringify([view.available, view.gpus, view.labels, node.bundles, gpuIds]);
        if (tried.has(state)) continue;
        tried.add(state);
        node.view = filled(view, bundle.request.resources, gpuIds);
        node.bundles += 1;
        this.#plan.set(bundle.index, { nodeId: view.nodeId, gpuIds });
        if (this.#placeFrom(depth + 1)) return true;
        node.view = view;
        node.bundles -= 1;
        this.#plan.delete(bundle.index);
        if (this.#looksLeft <= 0) return false;
      }
    }
    return false;
  }

  /**
   * Returns the nodes with room in the order in which they are tried. Nodes that have other bundles of the group come
   * first or last, depending on the strategy.
   */
  #candidates(request: PlacementRequest): Filled[] {
    this.#looksLeft -= this.#nodes.length;
    const sign = this.#packs ? -1 : 1;
    return this.#nodes
      .filter(({ view }) => hasRoom(view, request))
      .sort(
        (a, b) =>
          sign * (a.bundles - b.bundles) ||
          a.view.leases - b.view.leases ||
          (a.view.nodeId < b.view.nodeId ? -1 : 1),
      );
  }
}

/** Returns the devices that a bundle could get. Of devices with equal free shares only the first is tried. */
function gpuChoices(free: GpuShares, amount: number): (readonly number[])[] {
  if (amount <= 0 || amount >= 1) {
    const whole = chooseGpus(free, amount);
    return whole === undefined ? [] : [whole];
  }
  const byShare = new Map<number, number>();
  for (const [id, share] of free.entries()) {
    if (share >= amount && !byShare.has(share)) byShare.set(share, id);
  }
  return [...byShare].sort(([a], [b]) => a - b).map(([, id]) => [id]);
}

function filled(view: NodeView, resources: Quantities, gpuIds: readonly number[]): NodeView {
  const gpu = resources["gpu"] ?? 0;
  const available = subtractQuantities(view.available, resources);
  return { ...view, available, gpus: takeGpus(view.gpus, gpuIds, gpu), leases: view.leases + 1 };
}

/** Returns the largest fraction that a request takes of all nodes' total of any one resource. */
function sizeIn(views: readonly NodeView[]): (resources: Quantities) => number {
  const sums = new Map<string, number>();
  for (const { available } of views)
    for (const name in available) sums.set(name, (sums.get(name) ?? 0) + (available[name] ?? 0));
  return (resources) => {
    let size = 0;
    for (const name in resources)
      size = Math.max(size, (resources[name] ?? 0) / Math.max(1e-9, sums.get(name) ?? 0));
    return size;
  };
}

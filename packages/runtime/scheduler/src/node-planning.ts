/**
 * Responsibility: plans which nodes a cluster lacks for its pending demand, by bin-packing that demand into node types.
 * It is pure: the same view and demand always give the same plan.
 * Not responsible for: how fast nodes are started, or starting and ending them (the autoscaler package).
 *
 * Invariants:
 * - PLAN-1. With the plan no type has fewer nodes than its minimum or more than its maximum. A type that already
 *   exceeds its maximum gets no more.
 * - PLAN-2. A request that remains unmet fits on no existing or planned node, and each type that could hold it is at
 *   its maximum. Its reason says so.
 * - PLAN-3. Beyond the minimum a node is planned only for something that no other node has room for.
 * - PLAN-4. A placement group gets nodes for all of its missing bundles or for none.
 */
import { type GroupRequest, placeBundles } from "./bundle-placement.js";
import { chooseGpus, takeGpus, wholeGpus } from "./gpu-instances.js";
import { boundTo, hasRoom, isFeasible, type NodeView, type PlacementRequest } from "./placement.js";
import { type Quantities, subtractQuantities } from "./resources.js";

/** A type of node that can be started. */
export interface NodeType {
  readonly name: string;
  readonly resources: Quantities;
  readonly labels: Readonly<Record<string, string>>;
  readonly minNodes: number;
  readonly maxNodes: number;
}

/** The demand that waits for nodes. */
export interface PendingDemand {
  /** The kinds of waiting requests, and how many there are of each. */
  readonly requests: readonly { readonly request: PlacementRequest; readonly count: number }[];
  readonly groups: readonly GroupRequest[];
}

/** Demand for which no node will be started, and why. */
export interface UnmetDemand {
  readonly resources: Quantities;
  readonly count: number;
  readonly reason: string;
}

export interface PlanningState {
  readonly types: readonly NodeType[];
  /** The number of existing nodes of each type in any state, including those that are starting or ending. */
  readonly counts: ReadonlyMap<string, number>;
  /** Nodes that can be used now or soon: the cluster's nodes, and an empty view for each node that is being started. */
  readonly views: readonly NodeView[];
  readonly demand: PendingDemand;
}

export interface NodePlan {
  /** How many nodes to start, by type. Types of which none is needed are left out. */
  readonly launch: ReadonlyMap<string, number>;
  readonly unmet: readonly UnmetDemand[];
}

/** Returns the view of a node of this type with nothing placed on it. */
export function emptyNode(type: NodeType, nodeId: string): NodeView {
  const { resources, labels } = type;
  const gpus = wholeGpus(resources["gpu"] ?? 0);
  return { nodeId, total: resources, available: resources, gpus, labels, leases: 0 };
}

export function planNodes(state: PlanningState): NodePlan {
  const plan = new Plan(state);
  for (const group of state.demand.groups) plan.meetGroup(group);
  const size = sizeAmong(state.types);
  const requests = [...state.demand.requests].sort(
    (a, b) => size(b.request.resources) - size(a.request.resources),
  );
  for (const { request, count } of requests) plan.meet(request, count);
  return plan.result();
}

class Plan {
  readonly #types: readonly NodeType[];
  readonly #counts: Map<string, number>;
  readonly #launch = new Map<string, number>();
  readonly #unmet: UnmetDemand[] = [];
  #views: NodeView[];
  #added = 0;

  constructor({ types, counts, views }: PlanningState) {
    this.#types = types;
    this.#counts = new Map(counts);
    this.#views = [...views].sort(bySize);
    for (const type of types) while (this.#count(type) < type.minNodes) this.#add(type);
  }

  result(): NodePlan {
    return { launch: this.#launch, unmet: this.#unmet };
  }

  meet(request: PlacementRequest, count: number): void {
    let left = count;
    for (const [at, view] of this.#views.entries()) {
      if (left === 0) return;
      const filled = fill(view, request, left);
      this.#views[at] = filled.view;
      left -= filled.taken;
    }
    while (left > 0) {
      const type = this.#typeFor(request);
      if (type === undefined) {
        const reason = this.#whyNone(request, (full) => `needs more of node type ${full}`);
        this.#unmet.push({ resources: request.resources, count: left, reason });
        return;
      }
      const at = this.#add(type);
      const filled = fill(this.#views[at] ?? emptyNode(type, ""), request, left);
      this.#views[at] = filled.view;
      left -= filled.taken;
    }
  }

  /** PLAN-4 */
  meetGroup(group: GroupRequest): void {
    const missing = group.bundles.filter((_bundle, index) => !group.placed?.has(index));
    if (missing.length === 0) return;
    const before = { views: [...this.#views], counts: new Map(this.#counts), launch: new Map(this.#launch) };
    const size = sizeAmong(this.#types);
    const bundles = [...missing].sort((a, b) => size(b.resources) - size(a.resources));
    if (this.#tryGroup(group) || this.#addFor(group, bundles)) return;
    this.#views = before.views;
    restore(this.#counts, before.counts);
    restore(this.#launch, before.launch);
    const bundle = bundles.find((one) => this.#typeFor(one) === undefined) ?? bundles[0];
    this.#unmet.push({
      resources: bundle?.resources ?? {},
      count: missing.length,
      reason: `bundles of a ${group.strategy} placement group: ${
        bundle && this.#typeFor(bundle) === undefined
          ? this.#whyNone(bundle, (full) => `needs more of node type ${full}`)
          : "the nodes that may still be started do not hold all of them"
      }`,
    });
  }

  #addFor(group: GroupRequest, bundles: readonly PlacementRequest[]): boolean {
    if (group.strategy === "STRICT_PACK") return this.#addOneForAll(group);
    const first = this.#views.length;
    for (const bundle of bundles) {
      const type = this.#typeFor(bundle);
      if (type === undefined) continue;
      this.#add(type);
      if (!this.#tryGroup(group)) continue;
      this.#dropUnused(first);
      return true;
    }
    return false;
  }

  /** Drops planned nodes that later ones have made unnecessary (PLAN-3). */
  #dropUnused(first: number): void {
    for (const view of this.#views.splice(first)) {
      if (view.leases > 0) this.#views.push(view);
      else this.#forget(view.nodeId.split(":")[1] ?? "");
    }
  }

  #forget(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1);
    const left = (this.#launch.get(name) ?? 0) - 1;
    if (left > 0) this.#launch.set(name, left);
    else this.#launch.delete(name);
  }

  #addOneForAll(group: GroupRequest): boolean {
    const [first] = group.bundles;
    // Where some bundles are already placed, the others cannot move to another node.
    if (first === undefined || (group.placed?.size ?? 0) > 0) return false;
    for (const type of this.#usable(first)) {
      if (placeBundles([emptyNode(type, "new")], group) === undefined) continue;
      this.#add(type);
      return this.#tryGroup(group);
    }
    return false;
  }

  #tryGroup(group: GroupRequest): boolean {
    const places = placeBundles(this.#views, group);
    if (places === undefined) return false;
    for (const [index, { nodeId, gpuIds }] of places) {
      const at = this.#views.findIndex((view) => view.nodeId === nodeId);
      const view = this.#views[at];
      const resources = group.bundles[index]?.resources ?? {};
      if (view !== undefined) this.#views[at] = taken(view, resources, gpuIds);
    }
    return true;
  }

  #typeFor(request: PlacementRequest): NodeType | undefined {
    return this.#usable(request)[0];
  }

  /** Returns the types that could hold the request and of which one more may be started, the best choice first. */
  #usable(request: PlacementRequest): NodeType[] {
    const wantsGpu = (request.resources["gpu"] ?? 0) > 0;
    const wastes = (type: NodeType) => !wantsGpu && (type.resources["gpu"] ?? 0) > 0;
    return this.#types
      .filter((type) => this.#count(type) < type.maxNodes && couldHold(type, request))
      .sort(
        (a, b) =>
          Number(wastes(a)) - Number(wastes(b)) ||
          use(b, request) - use(a, request) ||
          (a.name < b.name ? -1 : 1),
      );
  }

  #whyNone(request: PlacementRequest, atMost: (types: string) => string): string {
    const bound = boundTo(request);
    if (bound !== undefined) return `it is bound to node ${bound}, so starting another node does not help`;
    const could = this.#types.filter((type) => couldHold(type, request));
    if (could.length === 0)
      return "no node type could hold it: add a node type with these resources and labels";
    return atMost(
      could
        .map(({ name, maxNodes }) => `${name}, which has reached its maxNodes of ${maxNodes}`)
        .join(" or "),
    );
  }

  #count({ name }: NodeType): number {
    return this.#counts.get(name) ?? 0;
  }

  /** @returns the index of the new node among the views */
  #add(type: NodeType): number {
    this.#added += 1;
    this.#counts.set(type.name, this.#count(type) + 1);
    this.#launch.set(type.name, (this.#launch.get(type.name) ?? 0) + 1);
    this.#views.push(emptyNode(type, `new:${type.name}:${this.#added}`));
    return this.#views.length - 1;
  }
}

function couldHold(type: NodeType, request: PlacementRequest): boolean {
  const view = emptyNode(type, "");
  return boundTo(request) === undefined && isFeasible(view, request) && hasRoom(view, request);
}

/**
 * Returns the fraction of the type's node, from 0 to 1, that is used when it holds as many of these requests as fit.
 */
function use(type: NodeType, request: PlacementRequest): number {
  const { available } = fill(emptyNode(type, ""), request, Number.MAX_SAFE_INTEGER).view;
  const shares = Object.entries(type.resources).flatMap(([name, total]) =>
    total > 0 ? [1 - (available[name] ?? 0) / total] : [],
  );
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}

/** Places as many of the requests on the node as it has room for, at most `count`. */
function fill(
  node: NodeView,
  request: PlacementRequest,
  count: number,
): { readonly view: NodeView; readonly taken: number } {
  // Any number of requests fit that ask for no resources.
  if (Object.values(request.resources).every((amount) => amount === 0))
    return { view: node, taken: hasRoom(node, request) ? count : 0 };
  let view = node;
  let number = 0;
  while (number < count && hasRoom(view, request)) {
    const gpuIds = chooseGpus(view.gpus, request.resources["gpu"] ?? 0) ?? [];
    view = taken(view, request.resources, gpuIds);
    number += 1;
  }
  return { view, taken: number };
}

function taken(view: NodeView, resources: Quantities, gpuIds: readonly number[]): NodeView {
  const gpus = takeGpus(view.gpus, gpuIds, resources["gpu"] ?? 0);
  const available = subtractQuantities(view.available, resources);
  return { ...view, available, gpus, leases: view.leases + 1 };
}

/** Sorts nodes with GPUs last, and then the smallest first, so that large nodes stay free for large requests. */
function bySize(a: NodeView, b: NodeView): number {
  for (const name of ["gpu", "cpu", "memory"]) {
    const difference = (a.total[name] ?? 0) - (b.total[name] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.nodeId < b.nodeId ? -1 : 1;
}

/** Returns the largest fraction that a request takes of the largest amount that any type offers of a resource. */
function sizeAmong(types: readonly NodeType[]): (resources: Quantities) => number {
  const most = new Map<string, number>();
  for (const { resources } of types)
    for (const [name, amount] of Object.entries(resources))
      most.set(name, Math.max(most.get(name) ?? 0, amount));
  return (resources) =>
    Object.entries(resources).reduce(
      (size, [name, amount]) => Math.max(size, amount / Math.max(1e-9, most.get(name) ?? 0)),
      0,
    );
}

function restore(map: Map<string, number>, before: ReadonlyMap<string, number>): void {
  map.clear();
  for (const [name, count] of before) map.set(name, count);
}

/**
 * Responsibility: the queue of one placement group's actors that wait for room in its bundles. To them a bundle is
 * what a node is to other requests.
 * Not responsible for: the location of the bundles (placement-groups.ts).
 */
import type { Ledger, PlacementRequest } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { NodeChange, NodeTable } from "../tables/node-table.js";
import { bundleLease, type PlacementGroup } from "../tables/placement-group.js";
import { PendingQueue, type Places } from "./placement.js";

export interface BundleRequest {
  readonly leaseId: string;
  readonly resources: PlacementRequest["resources"];
  /** The index of the bundle; undefined if any bundle will do. */
  readonly bundle: number | undefined;
  /** The session or actor that made the request. */
  readonly ownerId: string;
  readonly claim?: PlacementRequest["claim"];
  onPlaced(nodeId: string, bundle: number): void;
}

export class BundleQueue implements Places {
  readonly #nodes: NodeTable;
  readonly #groupId: string;
  readonly #queue: PendingQueue;
  readonly #listeners = new Set<NodeChange>();
  #places: PlacementGroup["places"] = [];

  constructor(groupId: string, nodes: NodeTable, clock: Clock, ledger: Ledger) {
    this.#groupId = groupId;
    this.#nodes = nodes;
    this.#queue = new PendingQueue({
      ...{ nodes: this, clock, ledger },
      reserveAfterMs: Number.POSITIVE_INFINITY,
    });
  }

  get length(): number {
    return this.#queue.length;
  }

  get demand(): PendingQueue["demand"] {
    return this.#queue.demand;
  }

  enqueue(key: string, { leaseId, resources, bundle, ownerId, claim, onPlaced }: BundleRequest): void {
    const strategy =
      bundle === undefined ? undefined : ({ kind: "node", nodeId: placeOf(bundle), soft: false } as const);
    this.#queue.enqueue(key, {
      leaseId,
      request: { resources, labels: {}, strategy, claim },
      ownerId,
      onPlaced: (place) => {
        const index = indexOf(place);
        onPlaced(this.#places[index]?.nodeId ?? "", index);
      },
    });
  }

  remove(key: string): void {
    this.#queue.remove(key);
  }

  reason(key: string): string {
    return this.#queue.reason(key);
  }

  /** Sets the nodes of the bundles that can be used now. */
  update(places: PlacementGroup["places"]): void {
    this.#places = places;
    for (const index of places.keys()) this.#tell(index);
  }

  /** Passes on that the free resources of the bundles on a node have changed. */
  nodeChanged(nodeId: string): void {
    for (const [index, place] of this.#places.entries()) if (place?.nodeId === nodeId) this.#tell(index);
  }

  all(): ReturnType<NodeTable["all"]> {
    return this.#nodes.all();
  }

  onChange(listener: NodeChange): void {
    this.#listeners.add(listener);
  }

  reserve(place: string, name: string, quantities: PlacementRequest["resources"]): readonly number[] {
    const index = indexOf(place);
    const nodeId = this.#places[index]?.nodeId ?? "";
    return this.#nodes.reserve(nodeId, name, quantities, { within: bundleLease(this.#groupId, index) });
  }

  #tell(index: number): void {
    const place = placeOf(index);
    const nodeId = this.#places[index]?.nodeId;
    const lease = bundleLease(this.#groupId, index);
    const view = nodeId === undefined ? undefined : this.#nodes.bundleView(nodeId, lease);
    for (const listener of this.#listeners) listener(place, view && { ...view, nodeId: place });
  }
}

const placePrefix = "bundle ";

function placeOf(index: number): string {
  return `${placePrefix}${index}`;
}

function indexOf(place: string): number {
  return Number(place.slice(placePrefix.length));
}

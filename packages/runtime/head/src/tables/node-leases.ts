/**
 * Responsibility: the leases on one node and its free resources: NODE-2 and NODE-6 of node-table.ts.
 * Not responsible for: who may lease, or notifying anybody (node-table.ts).
 *
 * Invariants:
 * - LEASES-1. A lease within a bundle takes from the bundle, never from the node. All of them together take no more
 *   than the bundle has, including devices.
 * - LEASES-2. When a bundle is released, the leases within it become leases on the node: a process that has not ended
 *   keeps its resources.
 */
import {
  addQuantities,
  chooseGpus,
  type GpuShares,
  giveBackGpus,
  type NodeView,
  type Quantities,
  subtractQuantities,
  takeGpus,
  wholeGpus,
} from "@palimpsest/scheduler";

/** The resources taken from a node under one name. */
export interface Lease {
  readonly quantities: Quantities;
  readonly gpuIds: readonly number[];
  /** The bundle that it was taken from; empty for the node itself. */
  readonly within: string;
}

export interface LeaseOptions {
  /** The devices of an existing lease. If it is absent, free devices are chosen. */
  readonly gpuIds?: readonly number[] | undefined;
  /** The bundle to take it from, if that bundle is on this node. */
  readonly within?: string | undefined;
}

/** The free resources of a node or of a bundle. */
interface Room {
  available: Quantities;
  gpus: GpuShares;
}

/** The free resources of a bundle. Its devices are numbered by their index in its lease. */
interface Bundle extends Room {
  readonly total: Quantities;
  readonly gpuIds: readonly number[];
  leases: number;
}

export class NodeLeases {
  readonly #leases = new Map<string, Lease>();
  readonly #bundles = new Map<string, Bundle>();
  readonly #room: Room;
  /** The leases that became leases on the node when the last lease was given back (LEASES-2). */
  freed: readonly string[] = [];

  /** @param kept leases that the node had before it registered with this total */
  constructor(total: Quantities, kept?: NodeLeases) {
    this.#room = { available: total, gpus: wholeGpus(total["gpu"] ?? 0) };
    if (kept === undefined) return;
    // In insertion order, so that a bundle comes before the leases taken from it.
    for (const [name, lease] of kept.#leases) {
      this.#enter(name, lease);
      if (kept.#bundles.has(name)) this.#openBundle(name, lease);
    }
  }

  get available(): Quantities {
    return this.#room.available;
  }

  /** The free share of each GPU. */
  get gpus(): GpuShares {
    return this.#room.gpus;
  }

  get size(): number {
    return this.#leases.size;
  }

  get names(): string[] {
    return [...this.#leases.keys()];
  }

  all(): Iterable<readonly [name: string, lease: Lease]> {
    return this.#leases;
  }

  get(name: string): Lease | undefined {
    return this.#leases.get(name);
  }

  gpusOf(name: string): readonly number[] {
    return this.#leases.get(name)?.gpuIds ?? [];
  }

  /** Takes a lease, replacing one of the same name. @returns its devices */
  take(name: string, quantities: Quantities, options: LeaseOptions = {}): readonly number[] {
    this.giveBack(name);
    const within = options.within !== undefined && this.#bundles.has(options.within) ? options.within : "";
    const gpuIds = options.gpuIds?.length ? options.gpuIds : this.#choose(within, quantities["gpu"] ?? 0);
    this.#enter(name, { quantities, gpuIds, within });
    return gpuIds;
  }

  /** Takes a bundle: a lease from which others can be taken. */
  takeBundle(name: string, quantities: Quantities, gpuIds: readonly number[]): void {
    this.take(name, quantities, { gpuIds });
    const lease = this.#leases.get(name);
    if (lease !== undefined) this.#openBundle(name, lease);
  }

  /** Returns the bundle as the scheduler sees it, in the form of a node. */
  bundleView(name: string): Omit<NodeView, "nodeId" | "labels"> | undefined {
    const bundle = this.#bundles.get(name);
    if (bundle === undefined) return undefined;
    const { total, available, gpus, leases } = bundle;
    return { total, available, gpus, leases };
  }

  /** Releases a lease. @returns false when there is no such lease */
  giveBack(name: string): boolean {
    const lease = this.#leases.get(name);
    if (lease === undefined) return false;
    this.#leases.delete(name);
    this.freed = [];
    this.#change(lease, addQuantities, giveBackGpus);
    const bundle = this.#bundles.get(lease.within);
    if (bundle !== undefined) bundle.leases -= 1;
    if (!this.#bundles.delete(name)) return true;
    // LEASES-2
    const inside = [...this.#leases].filter(([, { within }]) => within === name);
    for (const [inner, { quantities, gpuIds }] of inside)
      this.#enter(inner, { quantities, gpuIds, within: "" });
    this.freed = inside.map(([inner]) => inner);
    return true;
  }

  #choose(within: string, gpu: number): readonly number[] {
    const bundle = this.#bundles.get(within);
    const chosen = chooseGpus(bundle?.gpus ?? this.#room.gpus, gpu) ?? [];
    return bundle === undefined ? chosen : chosen.map((place) => bundle.gpuIds[place] ?? 0);
  }

  #enter(name: string, lease: Lease): void {
    this.#leases.set(name, lease);
    const bundle = this.#bundles.get(lease.within);
    if (bundle !== undefined) bundle.leases += 1;
    // Quantities are added exactly (scheduler package), so NODE-2 holds without summing all leases again.
    this.#change(lease, subtractQuantities, takeGpus);
  }

  #change(
    { quantities, gpuIds, within }: Lease,
    change: (a: Quantities, b: Quantities) => Quantities,
    changeGpus: (free: GpuShares, ids: readonly number[], amount: number) => GpuShares,
  ): void {
    const bundle = this.#bundles.get(within);
    const room = bundle ?? this.#room;
    const ids = bundle ? gpuIds.map((id) => bundle.gpuIds.indexOf(id)) : gpuIds;
    room.available = change(room.available, quantities);
    room.gpus = changeGpus(room.gpus, ids, quantities["gpu"] ?? 0);
  }

  #openBundle(name: string, { quantities, gpuIds }: Lease): void {
    const share = Math.min(1, quantities["gpu"] ?? 0);
    this.#bundles.set(name, {
      total: quantities,
      available: quantities,
      gpus: gpuIds.map(() => share),
      gpuIds,
      leases: 0,
    });
  }
}

/**
 * Responsibility: what is leased of one node, and what of it is free: NODE-2 and NODE-6 of node-table.ts.
 * Not responsible for: who may lease, and who is told of it (node-table.ts).
 *
 * Invariants:
 * - LEASES-1. A lease within a bundle takes of the bundle, never of the node; all of them together take no more than the
 *   bundle has, devices too.
 * - LEASES-2. When a bundle is given back, what is still leased within it becomes leased of the node: a process that has
 *   not ended keeps what it uses.
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

/** What is taken of a node under one name. */
export interface Lease {
  readonly quantities: Quantities;
  readonly gpuIds: readonly number[];
  /** Name of the bundle that it was taken of; empty: of the node itself. */
  readonly within: string;
}

export interface LeaseOptions {
  /** The devices of a lease that exists already; without them free ones are chosen. */
  readonly gpuIds?: readonly number[] | undefined;
  /** Name of the bundle that it is taken of, where that is here. */
  readonly within?: string | undefined;
}

/** What is free of a node or of a bundle. */
interface Room {
  available: Quantities;
  gpus: GpuShares;
}

/** What is free of a bundle, whose devices are counted by their places in its lease. */
interface Bundle extends Room {
  readonly total: Quantities;
  readonly gpuIds: readonly number[];
  leases: number;
}

export class NodeLeases {
  readonly #leases = new Map<string, Lease>();
  readonly #bundles = new Map<string, Bundle>();
  readonly #room: Room;

  /** @param kept leases that the node had before it registered with this total */
  constructor(total: Quantities, kept?: NodeLeases) {
    this.#room = { available: total, gpus: wholeGpus(total["gpu"] ?? 0) };
    if (kept === undefined) return;
    // Of a map, so that a bundle comes before what was taken of it.
    for (const [name, lease] of kept.#leases) {
      this.#enter(name, lease);
      if (kept.#bundles.has(name)) this.#openBundle(name, lease);
    }
  }

  get available(): Quantities {
    return this.#room.available;
  }

  /** What is free of each GPU. */
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

  gpusOf(name: string): readonly number[] {
    return this.#leases.get(name)?.gpuIds ?? [];
  }

  /** Replaces a lease of the same name. @returns its devices */
  take(name: string, quantities: Quantities, options: LeaseOptions = {}): readonly number[] {
    this.giveBack(name);
    const within = options.within !== undefined && this.#bundles.has(options.within) ? options.within : "";
    const gpuIds = options.gpuIds?.length ? options.gpuIds : this.#choose(within, quantities["gpu"] ?? 0);
    this.#enter(name, { quantities, gpuIds, within });
    return gpuIds;
  }

  /** A lease that others can be taken of. */
  takeBundle(name: string, quantities: Quantities, gpuIds: readonly number[]): void {
    this.take(name, quantities, { gpuIds });
    const lease = this.#leases.get(name);
    if (lease !== undefined) this.#openBundle(name, lease);
  }

  /** The bundle as the scheduler sees it: as a node. */
  bundleView(name: string): Omit<NodeView, "nodeId" | "labels"> | undefined {
    const bundle = this.#bundles.get(name);
    if (bundle === undefined) return undefined;
    const { total, available, gpus, leases } = bundle;
    return { total, available, gpus, leases };
  }

  /** @returns false when there is no such lease */
  giveBack(name: string): boolean {
    const lease = this.#leases.get(name);
    if (lease === undefined) return false;
    this.#leases.delete(name);
    this.#change(lease, addQuantities, giveBackGpus);
    const bundle = this.#bundles.get(lease.within);
    if (bundle !== undefined) bundle.leases -= 1;
    if (!this.#bundles.delete(name)) return true;
    // LEASES-2
    for (const [inner, { quantities, gpuIds, within }] of [...this.#leases])
      if (within === name) this.#enter(inner, { quantities, gpuIds, within: "" });
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
    // Quantities add up exactly (scheduler), so that NODE-2 holds without counting all leases again.
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

/**
 * Responsibility: what is leased of one node, and what of it is free: NODE-2 and NODE-6 of node-table.ts.
 * Not responsible for: who may lease, and who is told of it (node-table.ts).
 */
import {
  addQuantities,
  chooseGpus,
  type GpuShares,
  giveBackGpus,
  type Quantities,
  subtractQuantities,
  takeGpus,
  wholeGpus,
} from "@palimpsest/scheduler";

/** What is taken of a node under one name. */
interface Lease {
  readonly quantities: Quantities;
  readonly gpuIds: readonly number[];
}

export class NodeLeases {
  readonly #leases = new Map<string, Lease>();
  #available: Quantities;
  #gpus: GpuShares;

  /** @param kept leases that the node had before it registered with this total */
  constructor(total: Quantities, kept?: NodeLeases) {
    this.#available = total;
    this.#gpus = wholeGpus(total["gpu"] ?? 0);
    if (kept !== undefined) for (const [name, lease] of kept.#leases) this.#enter(name, lease);
  }

  get available(): Quantities {
    return this.#available;
  }

  /** What is free of each GPU. */
  get gpus(): GpuShares {
    return this.#gpus;
  }

  get size(): number {
    return this.#leases.size;
  }

  get names(): string[] {
    return [...this.#leases.keys()];
  }

  gpusOf(name: string): readonly number[] {
    return this.#leases.get(name)?.gpuIds ?? [];
  }

  /** Replaces a lease of the same name. @param knownGpuIds the devices of one that exists already @returns its devices */
  take(name: string, quantities: Quantities, knownGpuIds?: readonly number[]): readonly number[] {
    this.giveBack(name);
    const gpu = quantities["gpu"] ?? 0;
    const gpuIds = knownGpuIds?.length ? knownGpuIds : (chooseGpus(this.#gpus, gpu) ?? []);
    this.#enter(name, { quantities, gpuIds });
    return gpuIds;
  }

  /** @returns false when there is no such lease */
  giveBack(name: string): boolean {
    const lease = this.#leases.get(name);
    if (lease === undefined) return false;
    const { quantities, gpuIds } = lease;
    this.#leases.delete(name);
    this.#gpus = giveBackGpus(this.#gpus, gpuIds, quantities["gpu"] ?? 0);
    this.#available = addQuantities(this.#available, quantities);
    return true;
  }

  #enter(name: string, lease: Lease): void {
    const { quantities, gpuIds } = lease;
    this.#leases.set(name, lease);
    this.#gpus = takeGpus(this.#gpus, gpuIds, quantities["gpu"] ?? 0);
    // Quantities add up exactly (scheduler), so that NODE-2 holds without counting all leases again.
    this.#available = subtractQuantities(this.#available, quantities);
  }
}

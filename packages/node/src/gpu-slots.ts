/**
 * Job: which GPUs of the machine an actor's process sees.
 *
 * G1. A GPU that is leased whole is leased to one actor.
 * G2. Leases of less than one share a GPU while they fit; the head's accounting keeps the sum within the offer.
 */
export class GpuSlots {
  readonly #free: number[];

  constructor(gpus: number) {
    this.#free = Array.from({ length: Math.floor(gpus) }, () => 1);
  }

  /** Indices for a lease of `amount`; give them back with release(). undefined: the machine has no GPUs to hide. */
  lease(amount: number): GpuLease | undefined {
    if (this.#free.length === 0) return undefined;
    const share = Math.min(amount, 1);
    const wanted = Math.ceil(amount);
    const indices: number[] = [];
    // Shared GPUs fill up first, so that whole ones stay whole.
    const order = [...this.#free.keys()].sort((a, b) => (this.#free[a] ?? 0) - (this.#free[b] ?? 0));
    for (const index of order) {
      if (indices.length === wanted) break;
      if ((this.#free[index] ?? 0) < share - 1e-9) continue;
      this.#free[index] = (this.#free[index] ?? 0) - share;
      indices.push(index);
    }
    return { indices, share };
  }

  release(lease: GpuLease): void {
    for (const index of lease.indices) this.#free[index] = (this.#free[index] ?? 0) + lease.share;
  }
}

export interface GpuLease {
  readonly indices: readonly number[];
  readonly share: number;
}

/**
 * The maximum number of remembered ids. The oldest are dropped first, because values that were in flight then have long
 * arrived.
 */
const maxWithdrawn = 10_000;

/**
 * Values whose programs got no answer when they stored them and will never refer to them. Their bytes may still be in
 * flight, because they use another call or connection than the order that ends their lease.
 */
export class WithdrawnValues {
  readonly #ids = new Set<string>();

  add(valueId: string): void {
    this.#ids.add(valueId);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= maxWithdrawn) break;
      this.#ids.delete(oldest);
    }
  }

  has(objectId: string): boolean {
    return this.#ids.has(objectId);
  }
}

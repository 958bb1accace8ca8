/** Of the ids that are remembered the oldest go: what was on its way then has come long ago. */
const maxWithdrawn = 10_000;

/**
 * Values whose programs had no answer when they stored them, and will never refer to them. Their bytes may still be on their
 * way: they come over another call, or another connection, than the order that ends their hold.
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

import { OldestFirstMap } from "@palimpsest/wire";

/**
 * The maximum number of leases whose location is remembered. The oldest are forgotten, and the head is asked about
 * them.
 */
const maxLeases = 100_000;

/** The other nodes that have leases of programs of this node, or may have taken them, by owner and object. */
export class LeasePlaces {
  readonly #addresses = new OldestFirstMap<string, readonly string[]>();

  has(objectId: string, holder: string): boolean {
    return this.#addresses.has(keyOf(objectId, holder));
  }

  remember(objectId: string, holder: string, address: string): void {
    const key = keyOf(objectId, holder);
    const known = this.#addresses.get(key) ?? [];
    if (!known.includes(address)) this.#addresses.set(key, [...known, address]);
    while (this.#addresses.size > maxLeases && this.#addresses.oldest !== undefined)
      this.#addresses.delete(this.#addresses.oldest);
  }

  forget(objectId: string, holder: string, address: string): void {
    const key = keyOf(objectId, holder);
    const left = (this.#addresses.get(key) ?? []).filter((known) => known !== address);
    if (left.length > 0) this.#addresses.set(key, left);
    else this.#addresses.delete(key);
  }

  /** Removes the lease, and returns the nodes that may have it; empty if none is known. */
  take(objectId: string, holder: string): readonly string[] {
    const key = keyOf(objectId, holder);
    const addresses = this.#addresses.get(key) ?? [];
    this.#addresses.delete(key);
    return addresses;
  }
}

function keyOf(objectId: string, holder: string): string {
  return `${holder} ${objectId}`;
}

/**
 * A Map that knows its oldest key in constant time. A Map's own iterator has to pass the places of all entries that were
 * deleted since the table was last rebuilt, so that a queue of 20,000 entries costs 11 to 40 µs for each look at its first.
 */
export class OldestFirstMap<Key, Value> extends Map<Key, Value> {
  /** Has passed what is older than `#oldest`. */
  #cursor: MapIterator<Key> | undefined;
  #oldest: { readonly key: Key } | undefined;

  /** The key that was set first, of those that are left; a key that is set again keeps its age. Undefined: none is left. */
  get oldest(): Key | undefined {
    if (this.#oldest !== undefined) return this.#oldest.key;
    if (this.size === 0) {
      // An iterator that has come to the end finds nothing that is added later.
      this.#cursor = undefined;
      return undefined;
    }
    this.#cursor ??= this.keys();
    const next = this.#cursor.next();
    if (next.done) {
      this.#cursor = undefined;
      return this.oldest;
    }
    this.#oldest = { key: next.value };
    return next.value;
  }

  override delete(key: Key): boolean {
    if (this.#oldest !== undefined && Object.is(this.#oldest.key, key)) this.#oldest = undefined;
    return super.delete(key);
  }

  override clear(): void {
    this.#oldest = undefined;
    this.#cursor = undefined;
    super.clear();
  }
}

/**
 * A Map that knows its oldest key in constant time. A Map's own iterator passes over every entry that was deleted since
 * the table was last rebuilt, so that each access to the first of a queue of 20,000 entries costs 11 to 40 µs.
 */
export class OldestFirstMap<Key, Value> extends Map<Key, Value> {
  /** An iterator that has passed every entry older than `#oldest`. */
  #cursor: MapIterator<Key> | undefined;
  #oldest: { readonly key: Key } | undefined;

  /**
   * The key that was set first among those that are present, or undefined when the map is empty. Setting a key again
   * does not change its age.
   */
  get oldest(): Key | undefined {
    if (this.#oldest !== undefined) return this.#oldest.key;
    if (this.size === 0) {
      // An iterator that has reached the end does not find entries that are added later.
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

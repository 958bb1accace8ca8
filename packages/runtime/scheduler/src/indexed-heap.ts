/** A priority queue whose entries have keys, so that any entry can be replaced or removed in logarithmic time. */
export class IndexedHeap<Entry> {
  readonly #keyOf: (entry: Entry) => string;
  /** Negative when a comes before b. */
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly #entries: Entry[] = [];
  readonly #positions = new Map<string, number>();

  constructor(keyOf: (entry: Entry) => string, compare: (a: Entry, b: Entry) => number) {
    this.#keyOf = keyOf;
    this.#compare = compare;
  }

  get size(): number {
    return this.#entries.length;
  }

  has(key: string): boolean {
    return this.#positions.has(key);
  }

  /** Returns the entry that comes first. */
  top(): Entry | undefined {
    return this.#entries[0];
  }

  /** Adds the entry, or replaces the entry with the same key. */
  set(entry: Entry): void {
    const known = this.#positions.get(this.#keyOf(entry));
    if (known === undefined) {
      this.#entries.push(entry);
      this.#up(this.#entries.length - 1, entry);
      return;
    }
    this.#down(this.#up(known, entry), entry);
  }

  delete(key: string): void {
    const position = this.#positions.get(key);
    if (position === undefined) return;
    this.#positions.delete(key);
    const last = this.#entries.pop();
    if (last === undefined || position === this.#entries.length) return;
    this.#down(this.#up(position, last), last);
  }

  #up(from: number, entry: Entry): number {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#at(parent);
      if (this.#compare(entry, above) >= 0) break;
      this.#put(position, above);
      position = parent;
    }
    this.#put(position, entry);
    return position;
  }

  #down(from: number, entry: Entry): void {
    let position = from;
    for (;;) {
      const left = 2 * position + 1;
      if (left >= this.#entries.length) break;
      const right = left + 1;
      const child =
        right < this.#entries.length && this.#compare(this.#at(right), this.#at(left)) < 0 ? right : left;
      const below = this.#at(child);
      if (this.#compare(below, entry) >= 0) break;
      this.#put(position, below);
      position = child;
    }
    this.#put(position, entry);
  }

  #at(position: number): Entry {
    const entry = this.#entries[position];
    if (entry === undefined)
      throw new RangeError(`the heap of ${this.#entries.length} entries has no entry ${position}`);
    return entry;
  }

  #put(position: number, entry: Entry): void {
    this.#entries[position] = entry;
    this.#positions.set(this.#keyOf(entry), position);
  }
}

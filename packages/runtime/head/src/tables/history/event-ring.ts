/** A ring buffer of the newest items, in the order in which they were pushed. */
export class EventRing<Item> {
  readonly #limit: number;
  #items: Item[] = [];
  /** The index of the oldest item. */
  #first = 0;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item. @returns how many older items it replaced */
  push(item: Item): number {
    const at = (this.#first + this.#size) % this.#limit;
    this.#items[at] = item;
    if (this.#size < this.#limit) {
      this.#size++;
      return 0;
    }
    this.#first = (this.#first + 1) % this.#limit;
    return 1;
  }

  /** Forgets the oldest items. @returns how many were forgotten */
  drop(count: number): number {
    const kept = [...this].slice(count);
    const dropped = this.#size - kept.length;
    this.#items = kept;
    this.#first = 0;
    this.#size = kept.length;
    return dropped;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = 0; index < this.#size; index++) {
      const item = this.#items[(this.#first + index) % this.#limit];
      if (item !== undefined) yield item;
    }
  }
}

/** The newest of what is pushed, so many at most, in the order in which it came. */
export class EventRing<Item> {
  readonly #limit: number;
  #items: Item[] = [];
  /** Where the oldest lies. */
  #first = 0;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns how many older ones it took the place of */
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

  /** Forgets the oldest. @returns how many there were to forget */
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

/** A ring buffer of the newest items, in the order in which they were pushed, bounded by their number and their bytes. */
export class EventRing<Item> {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #bytesOf: (item: Item) => number;
  #items: Item[] = [];
  /** The index of the oldest item. */
  #first = 0;
  #size = 0;
  #bytes = 0;

  /** @param bytesOf about how many bytes an item takes, the same whenever it is asked */
  constructor(limit: number, maxBytes: number, bytesOf: (item: Item) => number) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an item in the place of older ones. The newest is kept however large it is. */
  push(item: Item): void {
    const bytes = this.#bytesOf(item);
    while (this.#size > 0 && (this.#size >= this.#limit || this.#bytes + bytes > this.#maxBytes))
      this.#forgetOldest();
    this.#items[(this.#first + this.#size) % this.#limit] = item;
    this.#size += 1;
    this.#bytes += bytes;
  }

  /** Forgets the oldest items, and gives the memory of the ring back. */
  drop(count: number): void {
    for (let dropped = 0; dropped < count && this.#size > 0; dropped++) this.#forgetOldest();
    this.#items = [...this];
    this.#first = 0;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = 0; index < this.#size; index++) {
      const item = this.#items[(this.#first + index) % this.#limit];
      if (item !== undefined) yield item;
    }
  }

  #forgetOldest(): void {
    const oldest = this.#items[this.#first];
    if (oldest !== undefined) this.#bytes -= this.#bytesOf(oldest);
    // The slot is emptied, because a ring that is full by bytes does not come round to it.
    (this.#items as (Item | undefined)[])[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#limit;
    this.#size -= 1;
  }
}

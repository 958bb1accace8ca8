import type { RowPlace } from "./file-rows.js";

const firstCapacity = 1024;
/** Marks a row of a table, which has no size in bytes. */
const tableRowSize = -1;

/**
 * A growing list of row positions that takes 16 bytes per row, so that millions of rows take the memory of a few
 * documents.
 */
export class PlaceList {
  #numbers = new Float64Array(2 * firstCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(place: RowPlace): void {
    if (2 * this.#count === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const at = 2 * this.#count;
    this.#numbers[at] = "tableRow" in place ? place.tableRow : place.offset;
    this.#numbers[at + 1] = "tableRow" in place ? tableRowSize : place.sizeBytes;
    this.#count += 1;
  }

  /**
   * Returns the position with this index.
   * @param index from 0, below `count`
   */
  at(index: number): RowPlace {
    if (!(index >= 0 && index < this.#count))
      throw new RangeError(`index ${index} is outside a list of ${this.#count} positions`);
    const first = this.#numbers[2 * index] as number;
    const sizeBytes = this.#numbers[2 * index + 1] as number;
    return sizeBytes === tableRowSize ? { tableRow: first } : { offset: first, sizeBytes };
  }
}

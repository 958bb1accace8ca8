import { DotKernel } from "./dot-kernel.js";
import { unit } from "./unit-vector.js";

/** With fewer rows a WebAssembly memory, which reserves gigabytes of addresses, is not worthwhile. */
const kernelRows = 2048;

/** The unit vectors of a fixed list of texts, which are all scanned: exact search. It is immutable. */
export class VectorTable {
  readonly size: number;
  readonly dimensions: number;
  readonly #rows: Int16Array;
  readonly #kernel: DotKernel | undefined;

  /** @param vectors as `unitVector` returns them, all of `dimensions` numbers */
  constructor(vectors: readonly Int16Array[], dimensions: number) {
    this.size = vectors.length;
    this.dimensions = dimensions;
    this.#kernel = vectors.length < kernelRows ? undefined : new DotKernel(vectors.length, dimensions);
    this.#rows = this.#kernel?.rows ?? new Int16Array(vectors.length * dimensions);
    vectors.forEach((vector, i) => {
      this.#rows.set(vector, i * dimensions);
    });
  }

  get sizeBytes(): number {
    return this.#rows.byteLength;
  }

  /** Returns one row as a view, without a copy. */
  row(index: number): Int16Array {
    return this.#rows.subarray(index * this.dimensions, (index + 1) * this.dimensions);
  }

  /** Adds the cosine of every row with `query`, where it is positive, times `weight`, to `into`. */
  addCosines(into: Float64Array, query: Int16Array, weight: number): void {
    const factor = weight / (unit * unit);
    if (this.#kernel !== undefined) {
      const products = this.#kernel.products(query);
      for (let i = 0; i < products.length; i++) {
        const product = products[i] as number;
        if (product > 0) into[i] = (into[i] as number) + product * factor;
      }
      return;
    }
    const rows = this.#rows;
    const { dimensions } = this;
    for (let i = 0; i < this.size; i++) {
      let sum = 0;
      const start = i * dimensions;
      for (let j = 0; j < dimensions; j++) sum += (rows[start + j] as number) * (query[j] as number);
      if (sum > 0) into[i] = (into[i] as number) + sum * factor;
    }
  }
}

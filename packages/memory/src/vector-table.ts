import { DotKernel } from "./dot-kernel.js";
import { unit } from "./unit-vector.js";

/** Below it a WebAssembly memory, which reserves gigabytes of addresses, is not worth having. */
const kernelRows = 2048;

/** Unit vectors of a fixed list of texts, scanned whole: exact search. Immutable once made. */
export class VectorTable {
  readonly size: number;
  readonly dimensions: number;
  readonly #rows: Int16Array;
  readonly #kernel: DotKernel | undefined;

  /** @param vectors as `unitVector` makes them, all of `dimensions` numbers */
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

  /** One row; a view, not a copy. */
  row(index: number): Int16Array {
    return this.#rows.subarray(index * this.dimensions, (index + 1) * this.dimensions);
  }

  /** Cosine of every row with `query`, times `weight`, where it is positive, added to `into`. */
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

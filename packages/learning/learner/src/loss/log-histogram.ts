/** An edge is 1.1% above the one before. */
const binsPerDoubling = 64;
/** Smaller values count as 0, larger ones into the last bin; as powers of two. */
const [leastPower, mostPower] = [-40, 24];

/** Counts values that are not negative in logarithmic bins, in 32 KiB however many there are. */
export class LogHistogram {
  readonly #counts = new Float64Array(1 + (mostPower - leastPower) * binsPerDoubling);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    const bin = Math.ceil((Math.log2(value) - leastPower) * binsPerDoubling);
    const last = this.#counts.length - 1;
    // NaN is counted as too large.
    const at = bin < last ? Math.max(bin, 0) : last;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
  }

  /** Returns a value that at most this fraction exceeds, at most 1.1% above the smallest such value; 0 of none. */
  exceededBy(fraction: number): number {
    const wanted = Math.ceil((1 - fraction) * this.#count);
    let below = 0;
    const bin = this.#counts.findIndex((count) => {
      below += count;
      return below >= wanted;
    });
    return bin <= 0 ? 0 : 2 ** (leastPower + bin / binsPerDoubling);
  }
}

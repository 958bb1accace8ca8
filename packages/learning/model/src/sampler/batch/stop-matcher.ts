/**
 * Finds stop strings in the text of sampled tokens as they come, across token boundaries. Only the last tokens are
 * decoded again: as many as a stop string can span if each token has at least one byte.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  readonly #decode: (tokenIds: readonly number[]) => string;
  readonly #window: number;

  constructor(stops: readonly string[], decode: (tokenIds: readonly number[]) => string) {
    this.#stops = stops;
    this.#decode = decode;
    const longest = stops.reduce((most, stop) => Math.max(most, Buffer.byteLength(stop)), 0);
    // Some tokens at the start may be parts of a character, or special tokens without text.
    this.#window = longest + 8;
  }

  /** Returns the stop string that the newest token completes. @param tokenIds all sampled tokens so far */
  match(tokenIds: readonly number[]): string | undefined {
    if (this.#stops.length === 0) return undefined;
    const text = this.#decode(tokenIds.slice(-this.#window));
    return this.#stops.find((stop) => text.includes(stop));
  }
}

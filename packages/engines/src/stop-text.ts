/**
 * Passes an answer on up to the first of some stop texts, for servers that leave it in the answer. Text that may be the
 * beginning of one is held back.
 */
export class StopText {
  readonly #stops: readonly string[];
  #held = "";
  #reached = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** Whether a stop text was reached. Nothing after it is passed on. */
  get reached(): boolean {
    return this.#reached;
  }

  push(text: string): string {
    if (this.#reached) return "";
    this.#held += text;
    const places = this.#stops.map((stop) => this.#held.indexOf(stop)).filter((place) => place >= 0);
    this.#reached = places.length > 0;
    const certain = this.#reached ? Math.min(...places) : this.#held.length - this.#beginning();
    const out = this.#held.slice(0, certain);
    this.#held = this.#reached ? "" : this.#held.slice(certain);
    return out;
  }

  /** Returns the text that was held back and turned out not to be a stop text. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /** Returns the length of the longest end of the held text that begins a stop text. */
  #beginning(): number {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, this.#held.length); length > 0; length--) {
      const end = this.#held.slice(-length);
      if (this.#stops.some((stop) => stop.startsWith(end))) return length;
    }
    return 0;
  }
}

/**
 * Passes text through up to the first of some stop texts. A possible beginning of one is held back, so that no reader sees
 * part of it.
 */
export class StopText {
  readonly #stops: readonly string[];
  #held = "";
  #reached: string | undefined;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** The stop text that was found. */
  get reached(): string | undefined {
    return this.#reached;
  }

  push(text: string): string {
    if (this.#reached !== undefined) return "";
    this.#held += text;
    let first = this.#held.length;
    for (const stop of this.#stops) {
      const at = this.#held.indexOf(stop);
      if (at < 0 || at >= first) continue;
      first = at;
      this.#reached = stop;
    }
    const certain = this.#reached === undefined ? this.#held.length - this.#beginning() : first;
    const out = this.#held.slice(0, certain);
    this.#held = this.#reached === undefined ? this.#held.slice(certain) : "";
    return out;
  }

  /** Returns what was held back and turned out not to be a stop text. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /** Returns the length of the longest suffix of the held text that begins a stop text. */
  #beginning(): number {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, this.#held.length); length > 0; length--) {
      const end = this.#held.slice(-length);
      if (this.#stops.some((stop) => stop.startsWith(end))) return length;
    }
    return 0;
  }
}

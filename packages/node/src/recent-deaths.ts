import type { ActorDied } from "@palimpsest/wire/protocol";

/**
 * Deaths that the head may not have heard of: a message that was written just before a break can be lost. Each is
 * told again after the next registration; the head knows them by actor and incarnation.
 */
export class RecentDeaths {
  readonly #maxAgeMs: number;
  readonly #maxCount: number;
  #deaths: { readonly message: ActorDied.$Properties; readonly atMs: number }[] = [];

  constructor(maxAgeMs: number, maxCount = 1_000) {
    this.#maxAgeMs = maxAgeMs;
    this.#maxCount = maxCount;
  }

  get size(): number {
    return this.#deaths.length;
  }

  add(message: ActorDied.$Properties, nowMs: number): void {
    this.#forgetOld(nowMs);
    this.#deaths.push({ message, atMs: nowMs });
    if (this.#deaths.length > this.#maxCount) this.#deaths.shift();
  }

  since(nowMs: number): readonly ActorDied.$Properties[] {
    this.#forgetOld(nowMs);
    return this.#deaths.map(({ message }) => message);
  }

  #forgetOld(nowMs: number): void {
    this.#deaths = this.#deaths.filter(({ atMs }) => nowMs - atMs <= this.#maxAgeMs);
  }
}

import type { Random } from "@palimpsest/std/random";
import type { FactPace, WorldEvent } from "./world.js";

/** Decides which sentences state something, so that a text's openings are over by its middle. */
export class Pace<Event extends WorldEvent> {
  readonly #random: Random;
  readonly #openings: Event[];
  readonly #pace: FactPace;

  /** @param openings what has to be stated before anything happens, in any order */
  constructor(random: Random, openings: readonly Event[], pace: FactPace) {
    this.#random = random;
    this.#openings = random.shuffle(openings);
    this.#pace = pace;
  }

  /**
   * Returns the event of a sentence, or nothing for bait.
   * @param happens draws what happens once the openings are over
   */
  next(index: number, happens: () => Event): Event | undefined {
    const { bait, facts } = this.#pace;
    // Openings that are late come without bait between them.
    const due = this.#openings.length / Math.max(1, Math.floor(facts / 2) - index);
    if (this.#random.float() >= Math.max(1 - bait, due)) return undefined;
    return this.#openings.pop() ?? happens();
  }
}

/**
 * How many tasks of a shape are sent to one worker ahead of its answers: as many as it does in about `aheadMs`, so that
 * short ones travel many to a message and long ones wait where another worker can take them.
 */
const aheadMs = 10;
const maxAhead = 256;
/** Times below this are gathered: single tasks may be too short for a clock. */
const windowMs = 1;

export class TaskPace {
  #taskMs = Number.POSITIVE_INFINITY;
  #gatheredMs = 0;
  #gathered = 0;

  /** A task ran this long, as its worker says: how far away the worker is does not count. */
  took(ms: number): void {
    this.#gatheredMs += ms;
    this.#gathered += 1;
    if (this.#gatheredMs < windowMs && this.#gathered < maxAhead) return;
    const latest = this.#gatheredMs / this.#gathered;
    this.#gatheredMs = 0;
    this.#gathered = 0;
    // Down at once when tasks turn out to be long, up by halves.
    this.#taskMs =
      Number.isFinite(this.#taskMs) && latest < this.#taskMs ? (this.#taskMs + latest) / 2 : latest;
  }

  /** Tasks that one worker may have. */
  get ahead(): number {
    return Math.min(maxAhead, Math.max(1, Math.floor(aheadMs / this.#taskMs)));
  }
}

/**
 * Decides how many tasks of a shape are sent to one worker ahead of its answers: as many as it runs in about
 * `aheadMs`, so that short tasks travel many per message, and long ones wait in the queue for the next free worker.
 */
const aheadMs = 10;
const maxAhead = 256;
/** Running times are added up until they reach this, because a single task may be too short for the clock. */
const windowMs = 1;

export class TaskPace {
  #taskMs = Number.POSITIVE_INFINITY;
  #gatheredMs = 0;
  #gathered = 0;

  /**
   * Records the running time of a task as its worker reports it, so that the distance to the worker does not count.
   */
  took(ms: number): void {
    this.#gatheredMs += ms;
    this.#gathered += 1;
    if (this.#gatheredMs < windowMs && this.#gathered < maxAhead) return;
    const latest = this.#gatheredMs / this.#gathered;
    this.#gatheredMs = 0;
    this.#gathered = 0;
    // The estimate drops at once when tasks turn out to be long, and rises by halves.
    this.#taskMs =
      Number.isFinite(this.#taskMs) && latest < this.#taskMs ? (this.#taskMs + latest) / 2 : latest;
  }

  /** Returns the number of tasks that one worker may have. */
  get ahead(): number {
    return Math.min(maxAhead, Math.max(1, Math.floor(aheadMs / this.#taskMs)));
  }
}

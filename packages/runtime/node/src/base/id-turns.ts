/**
 * Responsibility: serializing the work on each object.
 * Not responsible for: the work itself.
 *
 * Invariants:
 * - IDTURNS-1. Work on an id begins when all earlier work on that id has ended, whether it succeeded or failed.
 * - IDTURNS-2. Work on other ids is independent: one object that is searched for everywhere delays no other.
 */
export class IdTurns {
  /** The last work in progress on each id. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** The number of ids with work in progress. */
  get size(): number {
    return this.#last.size;
  }

  next<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
    const earlier = new Set<Promise<unknown>>();
    for (const id of ids) {
      const last = this.#last.get(id);
      if (last !== undefined) earlier.add(last);
    }
    const turn = earlier.size === 0 ? work() : Promise.allSettled(earlier).then(work);
    for (const id of ids) this.#last.set(id, turn);
    const forget = () => {
      for (const id of ids) if (this.#last.get(id) === turn) this.#last.delete(id);
    };
    turn.then(forget, forget);
    return turn;
  }
}

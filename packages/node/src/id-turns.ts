/**
 * Responsibility: work on objects that is carried out one after another for each of them.
 * Not responsible for: the work.
 *
 * Invariants:
 * - IDTURNS-1. Work on an id begins when all earlier work on that id is done, whatever became of it.
 * - IDTURNS-2. Work on other ids waits for nothing: one object that is looked for everywhere delays no other.
 */
export class IdTurns {
  /** The last work on each id that some is under way for. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Ids with work under way. */
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

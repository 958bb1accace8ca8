/**
 * Responsibility: results of items that were submitted to a pool, until they are read.
 * Not responsible for: when and by which actor the work is done (pool-members.ts).
 *
 * Invariants:
 * - POOLRESULT-1. Each result is returned to one reader, whether it is a value or a failure.
 * - POOLRESULT-2. A reader is accepted only while an unread result is left for it, so that it never waits for later
 *   submissions.
 */
import { PalimpsestError } from "@palimpsest/wire";

/** The number of submitted items of one pool whose results may be unread. */
export const maxSubmitted = 10_000;

export class PoolResults<Result> {
  /** The items in the order of submission, without those that next() has taken. */
  readonly #items = new Set<Promise<Result>>();
  /** Those of them that have ended, in the order of their ends. */
  readonly #ended = new Set<Promise<Result>>();
  /** Readers that wait for the next item to end. */
  readonly #readers: ((item: Promise<Result>) => void)[] = [];

  /** @throws {PalimpsestError} PENDING_CALLS_LIMIT */
  expectRoom(): void {
    if (this.#items.size < maxSubmitted) return;
    throw new PalimpsestError(
      "PENDING_CALLS_LIMIT",
      `${maxSubmitted} submitted items wait for next() or nextUnordered(): take results first, or use map()`,
    );
  }

  add(item: Promise<Result>): void {
    this.#items.add(item);
    const ended = () => this.#hasEnded(item);
    item.then(ended, ended);
  }

  /** The number of results without a reader. */
  get left(): number {
    return this.#items.size - this.#readers.length;
  }

  /** Returns the result of the item that was submitted first. @throws {PalimpsestError} NOT_FOUND */
  async next(): Promise<Result> {
    this.#expectLeft();
    const [first] = this.#items;
    return await this.#taken(first);
  }

  /** Returns the result that completed first. @throws {PalimpsestError} NOT_FOUND */
  async nextUnordered(): Promise<Result> {
    this.#expectLeft();
    const [first] = this.#ended;
    if (first) return await this.#taken(first);
    return await new Promise<Result>((resolve) => {
      this.#readers.push(resolve);
    });
  }

  #taken(item: Promise<Result> | undefined): Promise<Result> {
    if (!item) throw new PalimpsestError("INTERNAL", "the pool has lost a result");
    this.#items.delete(item);
    this.#ended.delete(item);
    return item;
  }

  #hasEnded(item: Promise<Result>): void {
    if (!this.#items.has(item)) return;
    const reader = this.#readers.shift();
    if (reader) reader(this.#taken(item));
    else this.#ended.add(item);
  }

  #expectLeft(): void {
    if (this.left > 0) return;
    throw new PalimpsestError("NOT_FOUND", "the pool has no result left: submit() first, or ask hasNext()");
  }
}

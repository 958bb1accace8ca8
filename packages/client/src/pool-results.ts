/**
 * Responsibility: results of what was submitted to a pool, until they are taken.
 * Not responsible for: when the work is done, and by whom (pool-members.ts).
 *
 * Invariants:
 * - POOLRESULT-1. Each result is given to one reader, a failure like any other result.
 * - POOLRESULT-2. A reader is accepted only while a result is left for it: it never waits for work to be submitted.
 */
import { PalimpsestError } from "@palimpsest/wire";

/** Items of one pool that were submitted and whose results nobody has taken yet. */
export const maxSubmitted = 10_000;

export class PoolResults<Result> {
  /** In the order of submission; those that next() has taken are not among them. */
  readonly #items = new Set<Promise<Result>>();
  /** Of them, those that have ended, the first to end first. */
  readonly #ended = new Set<Promise<Result>>();
  /** Who waits for the next item that ends. */
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

  /** Results that no reader waits for. */
  get left(): number {
    return this.#items.size - this.#readers.length;
  }

  /** The result of the item that was submitted first. @throws {PalimpsestError} NOT_FOUND */
  async next(): Promise<Result> {
    this.#expectLeft();
    const [first] = this.#items;
    return await this.#taken(first);
  }

  /** The result that came first. @throws {PalimpsestError} NOT_FOUND */
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

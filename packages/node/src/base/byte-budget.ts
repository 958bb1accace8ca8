/**
 * Responsibility: a limit on the bytes in flight.
 *
 * Invariants:
 * - BUDGET-1. The bytes of granted requests that are not yet released never exceed `maxBytes`. A request for more
 *   than `maxBytes` is granted all `maxBytes`, and so has the budget to itself.
 * - BUDGET-2. Requests are served in order. More than maxWaiting are refused.
 */
import { PalimpsestError } from "@palimpsest/wire";

const defaultMaxWaiting = 10_000;

interface Waiter {
  readonly bytes: number;
  readonly serve: () => void;
}

export class ByteBudget {
  readonly #maxBytes: number;
  readonly #maxWaiting: number;
  readonly #waiting: Waiter[] = [];
  #takenBytes = 0;

  constructor(maxBytes: number, maxWaiting = defaultMaxWaiting) {
    this.#maxBytes = maxBytes;
    this.#maxWaiting = maxWaiting;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes bytes, and returns a function that releases them. @throws {PalimpsestError} LIMIT_EXCEEDED */
  async take(wantedBytes: number): Promise<() => void> {
    const bytes = Math.min(wantedBytes, this.#maxBytes);
    if (this.#waiting.length === 0 && this.#takenBytes + bytes <= this.#maxBytes) this.#takenBytes += bytes;
    else {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new PalimpsestError(
          "LIMIT_EXCEEDED",
          `${this.#maxWaiting} transfers of objects wait on this node: retry later, or raise objectTransferBytes`,
        );
      await new Promise<void>((serve) => this.#waiting.push({ bytes, serve }));
    }
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#takenBytes -= bytes;
      this.#serve();
    };
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (this.#takenBytes + next.bytes > this.#maxBytes) return;
      this.#waiting.shift();
      this.#takenBytes += next.bytes;
      next.serve();
    }
  }
}

/**
 * Responsibility: bounds the bytes that are in flight at once, first come, first served.
 * Not responsible for: the content of the bytes.
 *
 * Invariants:
 * - WINDOW-1. Pieces that are in flight at once declared at most `limit` bytes together. A single piece that is larger
 *   is in flight alone.
 * - WINDOW-2. Pieces begin in the order in which they were submitted.
 */
export class ByteWindow {
  readonly #limit: number;
  readonly #waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  #inFlight = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs the work once there is room for that many bytes. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      await new Promise<void>((begin) => {
        this.#waiting.push({ bytes, begin });
      });
    } else {
      this.#inFlight += bytes;
    }
    try {
      return await work();
    } finally {
      this.#inFlight -= bytes;
      this.#admit();
    }
  }

  #fits(bytes: number): boolean {
    return this.#inFlight === 0 || this.#inFlight + bytes <= this.#limit;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#inFlight += next.bytes;
      next.begin();
    }
  }
}

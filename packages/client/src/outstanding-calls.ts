import { PalimpsestError } from "@palimpsest/wire";

/** The bound on calls to one actor that have no outcome yet (CHANNEL-5). */
export class OutstandingCalls {
  readonly #actorId: string;
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #calls = 0;
  #bytes = 0;

  constructor(actorId: string, maxCalls: number, maxBytes: number) {
    this.#actorId = actorId;
    this.#maxCalls = maxCalls;
    this.#maxBytes = maxBytes;
  }

  add(sizeBytes: number): void {
    this.#calls++;
    this.#bytes += sizeBytes;
  }

  remove(sizeBytes: number): void {
    this.#calls--;
    this.#bytes -= sizeBytes;
  }

  /** Returns why a call of this size may not be made now; undefined if it may. */
  refusal(sizeBytes: number): PalimpsestError | undefined {
    if (this.#calls >= this.#maxCalls) {
      return new PalimpsestError(
        "PENDING_CALLS_LIMIT",
        `${this.#calls} calls to ${this.#actorId} have no answer yet; await some before making more`,
      );
    }
    if (this.#calls === 0 || this.#bytes + sizeBytes <= this.#maxBytes) return undefined;
    return new PalimpsestError(
      "PENDING_CALLS_LIMIT",
      `calls of ${this.#bytes} bytes to ${this.#actorId} have no answer yet, and one of ${sizeBytes} more would exceed ${this.#maxBytes}; await some before making more, or pass large data by reference`,
    );
  }
}

import { holdProcess, PalimpsestError } from "@palimpsest/wire";

/** The calls to one actor that have no outcome yet, and their bound (CHANNEL-5). They keep this process running. */
export class OutstandingCalls {
  readonly #actorId: string;
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #calls = 0;
  #bytes = 0;
  #release: () => void = () => undefined;

  constructor(actorId: string, maxCalls: number, maxBytes: number) {
    this.#actorId = actorId;
    this.#maxCalls = maxCalls;
    this.#maxBytes = maxBytes;
  }

  add(sizeBytes: number): void {
    if (this.#calls === 0) this.#release = holdProcess();
    this.#calls++;
    this.#bytes += sizeBytes;
  }

  remove(sizeBytes: number): void {
    this.#calls--;
    this.#bytes -= sizeBytes;
    if (this.#calls === 0) this.#release();
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

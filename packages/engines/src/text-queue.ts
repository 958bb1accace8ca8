import { EngineError } from "./error.js";

/** Passes pieces of text from a writer to a reader. When the reader leaves, the writer is aborted. */
export class TextQueue<T> implements AsyncIterable<string> {
  readonly #left = new AbortController();
  readonly #signal: AbortSignal;
  readonly #pieces: string[] = [];
  #wake = () => {};
  #ended = false;
  #result: Promise<T> | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal ? AbortSignal.any([signal, this.#left.signal]) : this.#left.signal;
  }

  /** Starts the writer; call it once. */
  run(writer: (signal: AbortSignal, write: (piece: string) => void) => Promise<T>): void {
    this.#result = writer(this.#signal, (piece) => {
      this.#pieces.push(piece);
      this.#wake();
    }).finally(() => {
      this.#ended = true;
      this.#wake();
    });
    // A caller that only iterates sees the failure there, so `result` need not be awaited as well.
    this.#result.catch(() => undefined);
  }

  get result(): Promise<T> {
    return (
      this.#result ??
      Promise.reject(
        new EngineError("CLOSED", "the generator ended before its first read, so nothing was requested"),
      )
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    try {
      while (!this.#ended || this.#pieces.length > 0) {
        yield* this.#pieces.splice(0);
        if (this.#ended || this.#pieces.length > 0) continue;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      await this.result;
    } finally {
      this.#left.abort(new EngineError("CLOSED", "the reader stopped before the end of the stream"));
    }
  }
}

import { type JoinedSignal, joinSignals } from "@palimpsest/std";
import { EngineError } from "./error.js";

/** Passes pieces of text from a writer to a reader. When the reader leaves, the writer is aborted. */
export class TextQueue<T> implements AsyncIterable<string> {
  readonly #given: JoinedSignal;
  readonly #pieces: string[] = [];
  #wake = () => {};
  #ended = false;
  #result: Promise<T> | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#given = joinSignals(signal);
  }

  /** Starts the writer; call it once. */
  run(writer: (signal: AbortSignal, write: (piece: string) => void) => Promise<T>): void {
    this.#result = writer(this.#given.signal, (piece) => {
      this.#pieces.push(piece);
      this.#wake();
    }).finally(() => {
      this.#ended = true;
      this.#given.forget();
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
      this.#given.abort(new EngineError("CLOSED", "the reader stopped before the end of the stream"));
    }
  }
}

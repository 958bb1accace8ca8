import { createWriteStream, type WriteStream } from "node:fs";

/** Output of one process on disk, up to a bound; what comes after it is not kept. */
export class OutputFile {
  readonly #stream: WriteStream;
  #leftBytes: number;

  constructor(path: string, maxBytes = 64 * 1024 * 1024) {
    this.#stream = createWriteStream(path, { flags: "a", mode: 0o600 });
    // A full disk must not end the node; the process's last words are kept in memory too.
    this.#stream.on("error", () => {
      this.#leftBytes = 0;
    });
    this.#leftBytes = maxBytes;
  }

  write(chunk: Buffer): void {
    if (this.#leftBytes <= 0 || !this.#stream.writable) return;
    this.#stream.write(chunk.subarray(0, this.#leftBytes));
    this.#leftBytes -= chunk.byteLength;
  }

  close(): void {
    this.#stream.end();
  }
}

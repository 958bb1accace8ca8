/** Splits a byte stream into whole lines of text. A character never spans two of them. */
export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);
  readonly #maxLineBytes: number;

  constructor(maxLineBytes = 64 * 1024) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the text of the lines that the chunk completes, with their line ends; empty if it completes none. */
  push(chunk: Buffer): string {
    const bytes = this.#rest.byteLength > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(10) + 1;
    // A line that never ends is split, so that memory stays bounded.
    if (end === 0 && bytes.byteLength > this.#maxLineBytes) {
      this.#rest = Buffer.alloc(0);
      return `${bytes.toString("utf8")}\n`;
    }
    this.#rest = bytes.subarray(end);
    return bytes.toString("utf8", 0, end);
  }

  /** Returns the rest at the end of the stream, as a line. */
  end(): string {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.byteLength > 0 ? `${rest.toString("utf8")}\n` : "";
  }
}

const maxTailLineLength = 500;

/** Keeps the last lines of a stream. */
export class LineTail {
  readonly #maxLines: number;
  readonly #splitter = new LineSplitter();
  #lines: string[] = [];

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  push(chunk: Buffer): void {
    this.#add(this.#splitter.push(chunk));
  }

  /** Returns the last lines, the oldest first. */
  lines(): readonly string[] {
    this.#add(this.#splitter.end());
    return this.#lines;
  }

  #add(text: string): void {
    if (text === "") return;
    const added = text.slice(0, -1).split("\n");
    const short = added.slice(-this.#maxLines).map((line) => line.slice(0, maxTailLineLength));
    this.#lines = [...this.#lines, ...short].slice(-this.#maxLines);
  }
}

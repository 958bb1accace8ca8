const newline = 10;

/**
 * Passes a byte stream on in whole lines, so that two streams can share a file. The bytes stay as they are: a line longer
 * than the limit is passed on in pieces.
 */
export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);
  readonly #maxLineBytes: number;

  constructor(maxLineBytes = 64 * 1024) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the lines that the chunk completes, with their line ends; empty if it completes none. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#rest.byteLength > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const lines = bytes.lastIndexOf(newline) + 1;
    // Memory stays bounded when a line does not end.
    const end = bytes.byteLength - lines > this.#maxLineBytes ? bytes.byteLength : lines;
    this.#rest = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** Returns the rest at the end of the stream. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest;
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

  #add(bytes: Buffer): void {
    if (bytes.byteLength === 0) return;
    const added = bytes.toString("utf8").replace(/\n$/, "").split("\n");
    const short = added.slice(-this.#maxLines).map((line) => line.slice(0, maxTailLineLength));
    this.#lines = [...this.#lines, ...short].slice(-this.#maxLines);
  }
}

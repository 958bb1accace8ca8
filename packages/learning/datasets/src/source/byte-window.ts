import { open } from "node:fs/promises";

const chunkBytes = 2 ** 20;
/** JavaScript strings are limited to about 2^29 code units, so longer rows are refused. */
const mostBytes = 2 ** 29;

/**
 * The part of a file that is being split into rows: the bytes from `from` to `to` have been read but not yet consumed.
 * One buffer is reused, so that a file of gigabytes takes only the memory of its longest row.
 */
export class ByteWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** The same memory as 32-bit words, for scans that test four bytes at a time. */
  words = new Int32Array(0);
  from = 0;
  to = 0;
  /** Offset of the first byte of `bytes` in the file. */
  offset = 0;

  constructor() {
    this.#allocate(2 * chunkBytes);
  }

  /**
   * Appends a chunk. Positions in `bytes` that were noted before are no longer valid.
   * @throws {RangeError} if a row is longer than a string may be
   */
  append(chunk: Uint8Array): void {
    const kept = this.to - this.from;
    const needed = kept + chunk.length;
    if (needed > mostBytes)
      throw new RangeError(`the row at byte ${this.offset + this.from} is longer than ${mostBytes} bytes`);
    if (this.to + chunk.length > this.bytes.length) {
      const before = this.bytes.subarray(this.from, this.to);
      if (needed > this.bytes.length) this.#allocate(Math.max(needed, 2 * this.bytes.length));
      before.copy(this.bytes);
      this.offset += this.from;
      this.from = 0;
      this.to = kept;
    }
    this.bytes.set(chunk, this.to);
    this.to += chunk.length;
  }

  /** Returns the position of the next such byte, `start` included, or -1 if it is not in what has been read. */
  indexOf(byte: number, start: number): number {
    const at = this.bytes.indexOf(byte, start);
    return at < this.to ? at : -1;
  }

  text(from: number, to: number): string {
    return this.bytes.toString("utf8", from, to);
  }

  #allocate(sizeBytes: number): void {
    const memory = new ArrayBuffer(Math.ceil(sizeBytes / 4) * 4);
    this.bytes = Buffer.from(memory);
    this.words = new Int32Array(memory);
  }
}

/** Takes whole rows out of a window. A row that is cut off stays there until more has been read. */
export interface RowSplit<Row> {
  /**
   * Yields rows, each of which is valid until the next one is requested.
   * @param atEnd whether the end of the file has been read
   */
  split(window: ByteWindow, atEnd: boolean): Iterable<Row>;
}

/**
 * Yields the rows of a file in one batch per chunk that was read, because awaiting every row would cost as much as
 * splitting the file.
 */
export async function* rowBatches<Row>(
  chunks: AsyncIterable<Uint8Array>,
  rows: RowSplit<Row>,
): AsyncGenerator<{ readonly window: ByteWindow; readonly rows: Iterable<Row> }> {
  const window = new ByteWindow();
  for await (const chunk of chunks) {
    window.append(chunk);
    yield { window, rows: rows.split(window, false) };
  }
  yield { window, rows: rows.split(window, true) };
}

/**
 * Yields the bytes of a file in chunks, each of which is valid until the next one is requested. The next chunk is read
 * while the current one is processed.
 * @throws what the file system throws; the signal's reason
 */
export async function* fileChunks(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  let [current, next] = [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)];
  let reading = file.read(current, 0, chunkBytes);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      signal?.throwIfAborted();
      if (bytesRead === 0) return;
      reading = file.read(next, 0, chunkBytes);
      yield current.subarray(0, bytesRead);
      [current, next] = [next, current];
    }
  } finally {
    await reading.catch(() => undefined);
    await file.close();
  }
}

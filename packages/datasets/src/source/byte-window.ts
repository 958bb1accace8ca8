import { open } from "node:fs/promises";

const chunkBytes = 2 ** 20;
/** JavaScript has no longer strings, so that no row of more bytes could become a value. */
const mostBytes = 2 ** 29;

/**
 * The part of a file that is being split into rows: bytes `from` up to `to` are read and not yet taken. One buffer is used again and
 * again, so that a file of gigabytes passes through the memory of its longest row.
 */
export class ByteWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** The same memory by four bytes, for whoever looks at four at once. */
  words = new Int32Array(0);
  from = 0;
  to = 0;
  /** Where `bytes` begins in the file. */
  offset = 0;

  constructor() {
    this.#allocate(2 * chunkBytes);
  }

  /** Positions in `bytes` that were noted before are no longer valid.
   *  @throws {RangeError} where a row is longer than a string may be */
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

  /** Where a byte is next, `start` included; -1 where it is not in what was read. */
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

/** Takes whole rows out of a window, and leaves one that is cut off until more was read. */
export interface RowSplit<Row> {
  /** @param atEnd there is no more to read. What is yielded is valid until the next is asked for. */
  split(window: ByteWindow, atEnd: boolean): Iterable<Row>;
}

/** The rows of a file, in one batch for each piece of it that was read: waiting once for every row would cost as much as splitting. */
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

/** The bytes of a file in pieces, each valid until the next is asked for; the next is read while one is worked on.
 *  @throws what the file system throws; the signal's reason */
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

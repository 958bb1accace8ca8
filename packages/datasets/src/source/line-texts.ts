import { createReadStream } from "node:fs";
import { DatasetError } from "../error.js";

export interface LineText {
  /** Counted from 1, blank lines included. */
  readonly line: number;
  readonly text: string;
  /** Where the line begins in the file, and how long it is without its end. */
  readonly offset: number;
  readonly sizeBytes: number;
}

const lineFeed = 0x0a;
const readBytes = 2 ** 20;

/**
 * Yields the lines of a text file (UTF-8) that are not blank. Only a line feed ends a line: JSON may hold U+2028 as it is.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* lineTexts(path: string, signal?: AbortSignal): AsyncGenerator<LineText> {
  const file = createReadStream(path, { highWaterMark: readBytes, ...(signal ? { signal } : {}) });
  let line = 0;
  let offset = 0;
  let reading = false;
  let pieces: Buffer[] = [];
  function ended(last: Buffer): LineText | undefined {
    const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    line += 1;
    const at = { line, offset, sizeBytes: bytes.length };
    offset += bytes.length + 1;
    const text = bytes.toString("utf8");
    return isBlank(text) ? undefined : { ...at, text: withoutEnds(text, line) };
  }
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
        const found = ended(chunk.subarray(from, end));
        from = end + 1;
        if (found === undefined) continue;
        reading = true;
        yield found;
        reading = false;
      }
      if (from < chunk.length) pieces.push(chunk.subarray(from));
    }
    const found = pieces.length === 0 ? undefined : ended(Buffer.alloc(0));
    if (found !== undefined) {
      reading = true;
      yield found;
      reading = false;
    }
  } catch (error) {
    // What the reader of these lines throws into here is its own.
    if (reading) throw error;
    signal?.throwIfAborted();
    throw new DatasetError(
      "UNREADABLE_FILE",
      `path: cannot read "${path}"; give an existing JSONL file`,
      { path },
      error,
    );
  } finally {
    file.destroy();
  }
}

/** Whether a line is blank; a line of a gigabyte is not copied to find out. */
const isBlank = (text: string): boolean => !/\S/.test(text);

function withoutEnds(text: string, line: number): string {
  const end = text.endsWith("\r") ? text.length - 1 : text.length;
  return text.slice(line === 1 && text.startsWith("\uFEFF") ? 1 : 0, end);
}

import { DatasetError } from "../error.js";
import { type ByteWindow, fileChunks, type RowSplit, rowBatches } from "./byte-window.js";
import type { RowSlice } from "./json-array.js";

export interface LineText {
  /** Line number counted from 1, with blank lines included. */
  readonly line: number;
  readonly text: string;
  /** Offset of the line in the file, and its length without the line end. */
  readonly offset: number;
  readonly sizeBytes: number;
}

const lineFeed = 0x0a;

/**
 * Splits a text into the lines that are not blank; blank lines count in their numbers. Only a line feed ends a line,
 * because JSON may contain U+2028 unescaped.
 */
export class LineSplit implements RowSplit<RowSlice> {
  #line = 0;
  /** How many bytes of a cut-off line have been searched and contain no line feed. */
  #searched = 0;

  *split(window: ByteWindow, atEnd: boolean): Generator<RowSlice> {
    for (;;) {
      const { from } = window;
      const end = window.indexOf(lineFeed, from + this.#searched);
      if (end < 0 && !(atEnd && from < window.to)) {
        this.#searched = window.to - from;
        return;
      }
      const to = end < 0 ? window.to : end;
      this.#searched = 0;
      this.#line += 1;
      window.from = Math.min(to + 1, window.to);
      if (!isBlank(window, from, to)) yield { row: this.#line, from, to, offset: window.offset + from };
    }
  }
}

/**
 * Yields the lines of a text file (UTF-8) that are not blank.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* lineTexts(path: string, signal?: AbortSignal): AsyncGenerator<LineText> {
  try {
    for await (const { window, rows } of rowBatches(fileChunks(path, signal), new LineSplit()))
      for (const { row, from, to, offset } of rows)
        yield { line: row, text: lineText(window, row, from, to), offset, sizeBytes: to - from };
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatasetError(
      "UNREADABLE_FILE",
      `path: cannot read "${path}"; give an existing JSONL file`,
      { path },
      error,
    );
  }
}

/**
 * Returns the text of a line without the byte order mark that a file may begin with and the carriage return that a line
 * may end with.
 */
export function lineText(window: ByteWindow, line: number, from: number, to: number): string {
  const carriageReturn = to > from && window.bytes[to - 1] === 0x0d ? 1 : 0;
  const text = window.text(from, to - carriageReturn);
  return line === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/**
 * A line that begins with a printable ASCII character, as JSON does, is recognized by its first byte and not decoded.
 */
function isBlank(window: ByteWindow, from: number, to: number): boolean {
  const first = window.bytes[from] as number;
  if (to > from && first > 0x20 && first < 0x7f) return false;
  return !/\S/.test(window.text(from, to));
}

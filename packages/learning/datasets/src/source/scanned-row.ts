import { parseJson, reasonText } from "@palimpsest/std/input";
import { utf8Problem } from "@palimpsest/trajectories/text";
import type { ByteWindow } from "./byte-window.js";
import type { RowSlice } from "./json-array.js";
import { quote, StringScan } from "./json-string.js";
import { lineText } from "./line-texts.js";

/** One row of a file, or why it cannot be read. */
export type FileRow =
  | { readonly row: number; readonly value: unknown }
  | { readonly row: number; readonly reason: "not-json" | "not-utf8" | "cut-off"; readonly detail: string };

/** The position of a row in its file: a range of bytes or, in a table, the row's index from 0. */
export type RowPlace =
  | { readonly offset: number; readonly sizeBytes: number }
  | { readonly tableRow: number };

/** A row of a file that is being read, parsed only as far as requested. It is valid until the next row is requested. */
export interface ScannedRow {
  readonly place: RowPlace;
  /** Whether the row is a JSON string; false if that is not known without parsing it. */
  isString(): boolean;
  /**
   * Returns the row with `…` in place of its long documents, or undefined if it has none, or a string in it is not
   * valid JSON.
   */
  withoutDocuments(): FileRow | undefined;
  whole(): FileRow;
}

/** Wraps a row that has already been parsed whole. */
export function readRow(row: FileRow, place: RowPlace): ScannedRow {
  return { place, isString: () => false, withoutDocuments: () => undefined, whole: () => row };
}

export function parsedRow(row: number, text: string): FileRow {
  try {
    return { row, value: parseJson(text) };
  } catch (error) {
    return { row, reason: "not-json", detail: reasonText(error) };
  }
}

/**
 * Returns the row of bytes that are not UTF-8; undefined for bytes that are.
 * @param offset of the bytes in their file
 */
export function notUtf8(row: number, bytes: Uint8Array, offset: number): FileRow | undefined {
  const detail = utf8Problem(bytes, offset);
  return detail === undefined ? undefined : { row, reason: "not-utf8", detail };
}

/** Rows and documents up to this size are parsed whole, because that costs less than skipping the document. */
const longBytes = 1024;
/** The fields that contain documents in the supported row formats. They are only checked for not being empty. */
const documentFields = ['"document"', '"context"'].map((name) => Buffer.from(name));
const colon = 0x3a;
const beforeField = new Set(Buffer.from("{, \t\r\n"));

/** A row whose bytes are in a window. */
export class RowOfBytes implements ScannedRow {
  readonly #window: ByteWindow;
  readonly #slice: RowSlice;

  constructor(window: ByteWindow, slice: RowSlice) {
    this.#window = window;
    this.#slice = slice;
  }

  get place(): RowPlace {
    const { offset, from, to } = this.#slice;
    return { offset, sizeBytes: to - from };
  }

  isString(): boolean {
    const { bytes } = this.#window;
    let { from, to } = this.#slice;
    while (from < to && isSpace(bytes[from])) from += 1;
    while (to > from && isSpace(bytes[to - 1])) to -= 1;
    const strings = new StringScan();
    return bytes[from] === quote && strings.endOf(this.#window, from + 1, to) === to - 1 && strings.clean;
  }

  withoutDocuments(): FileRow | undefined {
    const { row, from, to } = this.#slice;
    if (to - from < longBytes) return undefined;
    const { bytes } = this.#window;
    const strings = new StringScan();
    const kept: string[] = [];
    let keptFrom = from;
    for (let at = from; at < to; at++) {
      if (bytes[at] !== quote) continue;
      const end = strings.endOf(this.#window, at + 1, to);
      if (end < 0 || !strings.clean) return undefined;
      if (end - at > longBytes && isDocument(bytes, from, at)) {
        kept.push(this.#text(keptFrom, at + 1));
        keptFrom = end;
      }
      at = end;
    }
    if (kept.length === 0) return undefined;
    return this.#notUtf8() ?? parsedRow(row, [...kept, this.#text(keptFrom, to)].join("…"));
  }

  whole(): FileRow {
    const { row, from, to } = this.#slice;
    return this.#notUtf8() ?? parsedRow(row, this.#text(from, to));
  }

  #notUtf8(): FileRow | undefined {
    const { row, from, to, offset } = this.#slice;
    return notUtf8(row, this.#window.bytes.subarray(from, to), offset);
  }

  #text(from: number, to: number): string {
    const isFirst = from === this.#slice.from;
    return lineText(this.#window, isFirst ? this.#slice.row : 0, from, to);
  }
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Whether the string that begins at `at` is the value of a field that contains a document. */
function isDocument(bytes: Buffer, from: number, at: number): boolean {
  let end = at;
  while (end > from && isSpace(bytes[end - 1])) end -= 1;
  if (bytes[end - 1] !== colon) return false;
  end -= 1;
  while (end > from && isSpace(bytes[end - 1])) end -= 1;
  return documentFields.some((name) => {
    const start = end - name.length;
    return (
      start > from &&
      beforeField.has(bytes[start - 1] as number) &&
      bytes.compare(name, 0, name.length, start, end) === 0
    );
  });
}

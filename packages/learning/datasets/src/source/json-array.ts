import type { ByteWindow, RowSplit } from "./byte-window.js";
import { quote, StringScan } from "./json-string.js";

const comma = 0x2c;
const openingBracket = 0x5b;
const openingBrace = 0x7b;
const closingBracket = 0x5d;
const closingBrace = 0x7d;
const isBlank = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The position of a row's bytes in a window. */
export interface RowSlice {
  /** Number of the row, counted from 1. */
  readonly row: number;
  readonly from: number;
  readonly to: number;
  /** Offset of the row's first byte in the file. */
  readonly offset: number;
}

/**
 * Splits a JSON array into its elements. A file of gigabytes, longer than any string may be, takes only the memory of
 * its longest element. Only brackets and strings are scanned; whether an element is valid JSON is for its reader to
 * find out. The first byte of the file that is not blank must be `[`.
 */
export class ArraySplit implements RowSplit<RowSlice> {
  readonly #strings = new StringScan();
  #state: "before" | "inside" | "ended" = "before";
  #elements = 0;
  /**
   * A cut-off element is scanned again only when twice as much of it has been read, so that all scans of a long element
   * together take time proportional to its length.
   */
  #wantedBytes = 0;

  /** @throws {SyntaxError} if the array does not end, or something follows its end */
  *split(window: ByteWindow, atEnd: boolean): Generator<RowSlice> {
    if (this.#state === "before") {
      const start = window.indexOf(openingBracket, window.from);
      window.from = start < 0 ? window.to : start + 1;
      if (start >= 0) this.#state = "inside";
    }
    while (this.#state === "inside") {
      const waiting = window.to - window.from;
      const end = waiting < this.#wantedBytes && !atEnd ? -1 : this.#endOfElement(window);
      if (end < 0) {
        if (waiting >= this.#wantedBytes) this.#wantedBytes = 2 * waiting;
        break;
      }
      this.#wantedBytes = 0;
      const { from } = window;
      const offset = window.offset + from;
      const isLast = window.bytes[end] !== comma;
      window.from = end + 1;
      if (isLast) this.#state = "ended";
      if (isLast && this.#elements === 0 && isBlankFrom(window.bytes, from, end)) break;
      this.#elements += 1;
      yield { row: this.#elements, from, to: end, offset };
    }
    if (this.#state === "ended") refuseMore(window);
    else if (atEnd)
      throw new SyntaxError(
        `the array has no end after element ${this.#elements + 1}, so the file is cut off`,
      );
  }

  /**
   * Returns the position of the comma or bracket that follows the element beginning at `window.from`, or -1 if it has
   * not been read yet.
   */
  #endOfElement(window: ByteWindow): number {
    const { bytes, to } = window;
    let depth = 0;
    for (let at = window.from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        at = this.#strings.endOf(window, at + 1, to);
        if (at < 0) return -1;
      } else if (byte === openingBracket || byte === openingBrace) depth += 1;
      else if (byte === closingBracket || byte === closingBrace) {
        if (depth === 0) return at;
        depth -= 1;
      } else if (byte === comma && depth === 0) return at;
    }
    return -1;
  }
}

function isBlankFrom(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isBlank(bytes[at])) return false;
  return true;
}

function refuseMore(window: ByteWindow): void {
  for (; window.from < window.to; window.from++) {
    const byte = window.bytes[window.from] as number;
    if (!isBlank(byte))
      throw new SyntaxError(`the array's closing bracket is followed by "${String.fromCharCode(byte)}"`);
  }
}

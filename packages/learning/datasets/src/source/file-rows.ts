import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { reasonText } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import { type ByteWindow, fileChunks, type RowSplit, rowBatches } from "./byte-window.js";
import { ArraySplit, type RowSlice } from "./json-array.js";
import { LineSplit } from "./line-texts.js";
import { parquetRows } from "./parquet-rows.js";
import {
  type FileRow,
  notUtf8,
  parsedRow,
  RowOfBytes,
  type RowPlace,
  readRow,
  type ScannedRow,
} from "./scanned-row.js";
import { foreignBytes } from "./source-text.js";

export type { FileRow, RowPlace, ScannedRow } from "./scanned-row.js";

interface PlacedRow {
  readonly row: FileRow;
  readonly place: RowPlace;
}

type FileForm = "json-array" | "json" | "jsonl" | "parquet";

/**
 * Yields the rows of a file: a parquet table, a JSON array (row by row), JSON lines, or one JSON value that is a single
 * row. The file's first line determines which of them it is; the name decides only whether an object that spans lines
 * is the whole file.
 *
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* fileRows(path: string, signal?: AbortSignal): AsyncGenerator<FileRow> {
  for await (const { row } of placedRows(path, signal)) yield row;
}

/**
 * Yields the rows like `fileRows`, each with its position, with which a `RowReader` reads it again.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
async function* placedRows(path: string, signal?: AbortSignal): AsyncGenerator<PlacedRow> {
  for await (const rows of scannedRows(path, signal))
    for (const row of rows) yield { row: row.whole(), place: row.place };
}

/**
 * Yields the rows of a file in batches, for callers that do not need all of each row. A row is valid until the next one
 * is requested.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* scannedRows(path: string, signal?: AbortSignal): AsyncGenerator<Iterable<ScannedRow>> {
  try {
    const form = await fileForm(path);
    if (form === "parquet") {
      let row = 0;
      for await (const value of parquetRows(path, { signal })) {
        const place = { tableRow: row };
        yield [readRow({ row: ++row, value }, place)];
      }
    } else if (form === "json") {
      const bytes = await readFile(path, when(signal));
      const row = notUtf8(1, bytes, 0) ?? parsedRow(1, stripMark(bytes.toString("utf8")));
      yield [readRow(row, { offset: 0, sizeBytes: bytes.length })];
    } else yield* byteRows(path, form === "jsonl" ? new LineSplit() : new ArraySplit(), signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(
      "UNREADABLE_FILE",
      `input: cannot read "${path}" (${reasonText(error)}); give a JSON, JSONL or parquet file`,
      { path },
      error,
    );
  }
}

const when = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
const stripMark = (text: string) => text.replace(/^\uFEFF/, "");

/** @throws {DatasetError} UNREADABLE_FILE naming what the file is instead */
async function fileForm(path: string): Promise<FileForm> {
  const head = await headOf(path);
  if (head.toString("latin1", 0, 4) === "PAR1") return "parquet";
  const foreign = foreignBytes(head) ?? commaSeparated(path, head);
  if (foreign !== undefined)
    throw new DatasetError("UNREADABLE_FILE", `input: "${path}" ${foreign}`, { path });
  const { start, lineEnd } = await firstLine(path);
  if (start.startsWith("[")) return "json-array";
  // An object that ends on its first line is a row of JSON lines. One that spans several lines is the whole file,
  // unless the name ends in .jsonl or .ndjson.
  if (start.startsWith("{") && lineEnd !== "}" && !/\.(jsonl|ndjson)$/i.test(path)) return "json";
  return "jsonl";
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A line that is or begins a JSON value. One that goes on after a number or a word is a row of a table. */
const jsonBegins = /^\s*(?:[[{]|(?:null|true|false|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|"(?:[^"\\]|\\.)*")\s*$)/i;

/** Recognizes a table of separated values by its name, or by two first lines of which neither can begin a JSON value. */
function commaSeparated(path: string, head: Buffer): string | undefined {
  if (head.includes(0)) return "is a binary file; give JSON, JSONL or parquet";
  const lines = stripMark(head.toString("utf8")).split(/\r?\n/).slice(0, 2);
  const [first = 0, second = first] = lines.map((line) => line.split(/[,;\t]/).length);
  const isNamed = /\.(csv|tsv)$/i.test(path);
  const isJson = lines.some((line) => (isNamed ? /^\s*[[{]/ : jsonBegins).test(line));
  const isTable = isNamed || (first > 1 && second > 1);
  return isTable && !isJson ? "is CSV; convert it to JSON lines, one object per row" : undefined;
}

/** Returns the first four characters that are not blank, and the last such character of their line. */
async function firstLine(path: string): Promise<{ readonly start: string; readonly lineEnd: string }> {
  let start = "";
  let lineEnd = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    const text = start === "" ? stripMark(String(chunk)).trimStart() : String(chunk);
    start ||= text.slice(0, 4);
    const end = text.indexOf("\n");
    const line = (end < 0 ? text : text.slice(0, end)).trimEnd();
    if (line !== "") lineEnd = line.slice(-1);
    if (start.startsWith("[") || end >= 0) break;
  }
  return { start, lineEnd };
}

async function* byteRows(
  path: string,
  split: RowSplit<RowSlice>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Iterable<ScannedRow>> {
  let last = 0;
  let isCutOff = false;
  function* batch(window: ByteWindow, slices: Iterable<RowSlice>): Generator<ScannedRow> {
    try {
      for (const slice of slices) {
        last = slice.row;
        yield new RowOfBytes(window, slice);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      isCutOff = true;
      yield readRow({ row: last + 1, reason: "cut-off", detail: error.message }, { offset: 0, sizeBytes: 0 });
    }
  }
  for await (const { window, rows } of rowBatches(fileChunks(path, signal), split)) {
    yield batch(window, rows);
    if (isCutOff) return;
  }
}

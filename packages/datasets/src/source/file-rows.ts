import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { DatasetError } from "../error.js";
import { type ByteWindow, fileChunks, type RowSplit, rowBatches } from "./byte-window.js";
import { ArraySplit, type RowSlice } from "./json-array.js";
import { LineSplit } from "./line-texts.js";
import { parquetRows } from "./parquet-rows.js";
import {
  type FileRow,
  parsedRow,
  RowOfBytes,
  type RowPlace,
  readRow,
  type ScannedRow,
} from "./scanned-row.js";

export type { FileRow, RowPlace, ScannedRow } from "./scanned-row.js";

export interface PlacedRow {
  readonly row: FileRow;
  readonly place: RowPlace;
}

type FileForm = "json-array" | "json" | "jsonl" | "parquet";

/**
 * Rows of a file, told by its first bytes and not by its name: a parquet table, a JSON array (row by row), JSON lines, or
 * one JSON value that is a single row.
 *
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* fileRows(path: string, signal?: AbortSignal): AsyncGenerator<FileRow> {
  for await (const { row } of placedRows(path, signal)) yield row;
}

/**
 * The rows as `fileRows` gives them, each with its place, from which a `RowReader` reads it again.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* placedRows(path: string, signal?: AbortSignal): AsyncGenerator<PlacedRow> {
  for await (const rows of scannedRows(path, signal))
    for (const row of rows) yield { row: row.whole(), place: row.place };
}

/**
 * The rows of a file for whoever does not want all of each, in batches: a row is valid until the next one is asked for.
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
      const row = parsedRow(1, stripMark(bytes.toString("utf8")));
      yield [readRow(row, { offset: 0, sizeBytes: bytes.length })];
    } else yield* byteRows(path, form === "jsonl" ? new LineSplit() : new ArraySplit(), signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DatasetError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatasetError(
      "UNREADABLE_FILE",
      `input: cannot read "${path}" (${reason}); give a JSON, JSONL or parquet file`,
      { path },
      error,
    );
  }
}

const when = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
const stripMark = (text: string) => text.replace(/^\uFEFF/, "");

async function fileForm(path: string): Promise<FileForm> {
  const { start, lineEnd } = await firstLine(path);
  if (start.startsWith("PAR1")) return "parquet";
  if (start.startsWith("[")) return "json-array";
  // An object that ends in its line is a row; one that goes on over lines is the whole file, unless its name says otherwise.
  if (start.startsWith("{") && lineEnd !== "}" && !/\.(jsonl|ndjson)$/i.test(path)) return "json";
  return "jsonl";
}

/** The first characters that are not blank, and the last one of their line. */
async function firstLine(path: string): Promise<{ readonly start: string; readonly lineEnd: string }> {
  let start = "";
  let lineEnd = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    const text = start === "" ? stripMark(String(chunk)).trimStart() : String(chunk);
    start ||= text.slice(0, 4);
    const end = text.indexOf("\n");
    const line = (end < 0 ? text : text.slice(0, end)).trimEnd();
    if (line !== "") lineEnd = line.slice(-1);
    if (start.startsWith("[") || start.startsWith("PAR1") || end >= 0) break;
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

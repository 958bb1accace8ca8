import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { DatasetError } from "../error.js";
import { jsonArrayElements } from "./json-array.js";
import { lineTexts } from "./line-texts.js";
import { parquetRows } from "./parquet-rows.js";

/** One row of a file, or why it is none. */
export type FileRow =
  | { readonly row: number; readonly value: unknown }
  | { readonly row: number; readonly reason: "not-json" | "cut-off"; readonly detail: string };

/** Where a row stands in its file: in bytes, or, in a table, as a row counted from 0. */
export type RowPlace =
  | { readonly offset: number; readonly sizeBytes: number }
  | { readonly tableRow: number };

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
  try {
    const form = await fileForm(path);
    if (form === "parquet") {
      let row = 0;
      for await (const value of parquetRows(path, { signal }))
        yield { place: { tableRow: row }, row: { row: ++row, value } };
    } else if (form === "json-array") yield* arrayRows(path, signal);
    else if (form === "json") {
      const bytes = await readFile(path, when(signal));
      const row = parsedRow(1, stripMark(bytes.toString("utf8")));
      yield { row, place: { offset: 0, sizeBytes: bytes.length } };
    } else yield* lineRows(path, signal);
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

function parsedRow(row: number, text: string): FileRow {
  try {
    return { row, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { row, reason: "not-json", detail: error instanceof Error ? error.message : String(error) };
  }
}

async function* arrayRows(path: string, signal: AbortSignal | undefined): AsyncGenerator<PlacedRow> {
  let row = 0;
  try {
    for await (const { text, ...place } of jsonArrayElements(createReadStream(path, when(signal))))
      yield { row: parsedRow(++row, text), place };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = { offset: 0, sizeBytes: 0 };
    yield { row: { row: row + 1, reason: "cut-off", detail: error.message }, place };
  }
}

async function* lineRows(path: string, signal: AbortSignal | undefined): AsyncGenerator<PlacedRow> {
  for await (const { line, text, ...place } of lineTexts(path, signal))
    yield { row: parsedRow(line, text), place };
}

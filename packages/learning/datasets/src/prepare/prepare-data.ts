import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { checkKind } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import { type HashedFile, hashFile } from "../source/file-hash.js";
import { fileRows } from "../source/file-rows.js";
import { readSourceText } from "../source/source-text.js";
import type { CountTokens } from "../tasks/count-tokens.js";
import { type Manifest, manifestPathOf } from "../written/manifest.js";
import { OutputFile } from "../written/output-file.js";
import type { RowFormat } from "../written/row-format.js";
import { TaskFiles, type WrittenFile } from "../written/task-files.js";
import type { PrepareContext, Preparer, SourceBadRow } from "./preparer.js";

/** How far a preparation is, in tasks. */
export interface PrepareProgress {
  readonly tasks: number;
  /** The number of tasks that will be written, if the preparer knows it. */
  readonly total?: number;
  readonly badRows: number;
}

export interface PrepareRequest {
  readonly preparer: Preparer;
  /** The options before they are parsed. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly inputs: readonly string[];
  /** Path of a file, or of a folder if the preparer writes several files. */
  readonly out: string;
  readonly seed: number | string;
  /** Maximum number of tasks per file; absent: all. */
  readonly limit?: number;
  readonly format: RowFormat;
  readonly hub?: Manifest["hub"];
  readonly countTokens?: CountTokens;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: PrepareProgress) => void;
}

/** What a preparation has written, and the rows of its sources that it could not read. */
export interface PreparedData {
  readonly manifest: Manifest;
  readonly manifestPath: string;
  readonly files: readonly WrittenFile[];
  readonly badRows: readonly SourceBadRow[];
}

const refuse = (problem: string) => new DatasetError("BAD_CONFIG", problem);

/**
 * Prepares files of tasks from source files, and writes a manifest beside them. The same sources, options and seed give
 * the same bytes.
 *
 * @throws {DatasetError} BAD_CONFIG, UNREADABLE_FILE, UNWRITABLE_FILE; BAD_ROWS if there is no task; the signal's
 *   reason
 */
export async function prepareData(request: PrepareRequest): Promise<PreparedData> {
  checkKind(request, "request of prepareData()", "an object", refuse);
  const { preparer, inputs, out, signal, onProgress } = request;
  checkKind(preparer, "preparer, which preparerByName() returns", "an object", refuse);
  checkKind(preparer.prepare, "preparer: prepare", "a function", refuse);
  checkKind(inputs, "inputs", "a list", refuse);
  for (const input of inputs) checkKind(input, "one of inputs", "a path", refuse);
  checkKind(out, "out", "a path", refuse);
  checkKind(request.options, "options", "an object", refuse);
  if (typeof request.seed !== "string") checkKind(request.seed, "seed", "a number", refuse);
  checkInputs(preparer, inputs);
  checkOut(preparer, out);
  checkLimit(request.limit);
  const isFolder = preparer.file !== undefined;
  const manifestPath = resolve(manifestPathOf(out, isFolder));
  const suffix = request.format === "eval" ? ".json" : ".jsonl";
  const stem = out.replace(/\.(jsonl|json)$/, "");
  const files = new TaskFiles(request.format, isFolder ? join(out, "corpus.json") : `${stem}.corpus.json`);
  const books = new Books();
  let tasks = 0;
  let total: number | undefined;
  const report = () =>
    onProgress?.({ tasks, badRows: books.badRows.length, ...(total === undefined ? {} : { total }) });
  const context = prepareContext(request, books, (_, of) => {
    total = of;
    report();
  });
  try {
    // The preparer describes what is wrong with its options better than zod alone, so it parses them first.
    const prepared = preparer.prepare(request.options, context);
    const options = preparer.options.parse(request.options);
    for await (const task of prepared) {
      signal?.throwIfAborted();
      const path = preparer.file ? join(out, `${preparer.file(task)}${suffix}`) : out;
      if (files.rowsOf(path) >= context.limit) continue;
      if (!(await files.add(path, task))) {
        const { source, row } = task.origin ?? { source: path, row: files.rowsOf(path) + 1 };
        const detail = `id: "${task.id}" is already used by an earlier row`;
        context.badRow({ source, row, reason: "duplicate-id", detail });
        continue;
      }
      tasks += 1;
      report();
      if (!isFolder && files.rowsOf(path) >= context.limit) break;
    }
    if (tasks === 0) throw noTasks(preparer, books);
    const written = await files.finish();
    const badRows = await writeBadRows(manifestPath, books);
    const here = (path: string) => relative(dirname(manifestPath), resolve(path));
    const manifest: Manifest = {
      manifest: 1,
      dataset: preparer.name,
      options,
      seed: request.seed,
      limit: request.limit ?? null,
      format: request.format,
      ...(request.hub === undefined ? {} : { hub: request.hub }),
      sources: [...books.sources.values()].map(({ path, sizeBytes, sha256 }) => ({
        path: here(path),
        sizeBytes,
        sha256,
        rows: books.rows.get(path) ?? 0,
      })),
      files: written.map(({ path, kind, rows, sizeBytes, sha256 }) => ({
        path: here(path),
        kind,
        rows,
        sizeBytes,
        sha256,
      })),
      tasks,
      badRows: { ...badRows, list: badRows.list && here(badRows.list) },
      leftOut: Object.fromEntries(books.leftOut),
      remarks: Object.fromEntries(books.remarks),
    };
    const file = await OutputFile.create(manifestPath);
    await file.write(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.finish();
    return { manifest, manifestPath, files: written, badRows: books.badRows };
  } catch (error) {
    await files.discard();
    throw error;
  }
}

/** Records what a run of a preparer has read and what it has left out. */
class Books {
  readonly sources = new Map<string, HashedFile>();
  readonly rows = new Map<string, number>();
  readonly badRows: SourceBadRow[] = [];
  readonly leftOut = new Map<string, number>();
  readonly remarks = new Map<string, number>();

  countRow(path: string): void {
    this.rows.set(path, (this.rows.get(path) ?? 0) + 1);
  }
}

function prepareContext(
  { inputs, seed, limit, countTokens, signal }: PrepareRequest,
  books: Books,
  progress: PrepareContext["progress"],
): PrepareContext {
  const enter = async (path: string) => {
    if (!books.sources.has(path)) books.sources.set(path, await hashFile(path, signal));
  };
  const badRow = (row: SourceBadRow) => void books.badRows.push(row);
  return {
    inputs,
    seed,
    limit: limit ?? Number.POSITIVE_INFINITY,
    ...(countTokens ? { countTokens } : {}),
    ...(signal ? { signal } : {}),
    async *rows(path) {
      await enter(path);
      for await (const row of fileRows(path, signal)) {
        books.countRow(path);
        if ("reason" in row) badRow({ source: path, ...row });
        else yield { source: path, ...row };
      }
    },
    async text(path) {
      await enter(path);
      return await readSourceText(path, signal);
    },
    badRow,
    leftOut: (reason) => void books.leftOut.set(reason, (books.leftOut.get(reason) ?? 0) + 1),
    remark: (reason) => void books.remarks.set(reason, (books.remarks.get(reason) ?? 0) + 1),
    progress,
  };
}

function checkInputs({ name, inputs: wanted }: Preparer, inputs: readonly string[]): void {
  if (wanted === "required" && inputs.length === 0) {
    throw new DatasetError("BAD_CONFIG", `input: ${name} is read from files; give at least one`);
  }
  if (wanted === "none" && inputs.length > 0) {
    throw new DatasetError("BAD_CONFIG", `input: ${name} is generated; leave input out`);
  }
}

function checkLimit(limit: number | undefined): void {
  if (limit === undefined || limit >= 1) return;
  throw new DatasetError("BAD_CONFIG", `limit: ${limit} leaves no task; give 1 or more, or leave it out`);
}

function checkOut({ name, file }: Preparer, out: string): void {
  if (file === undefined) {
    if (!existsSync(out) || !statSync(out).isDirectory()) return;
    throw new DatasetError("BAD_CONFIG", `out: "${out}" is a folder; give the path of a file`, { out });
  }
  if (!/\.jsonl?$/.test(out)) return;
  throw new DatasetError(
    "BAD_CONFIG",
    `out: "${out}" looks like one file, but ${name} writes several; give a folder`,
  );
}

function noTasks({ name }: Preparer, { badRows, leftOut }: Books): DatasetError {
  const first = badRows[0];
  const why = first
    ? `${badRows.length} bad row(s); the first is row ${first.row} of ${first.source}: ${first.reason}, ${first.detail}`
    : leftOut.size > 0
      ? `the options leave out every row (${[...leftOut].map(([reason, n]) => `${reason} ${n}`).join(", ")})`
      : "the files contain no row";
  return new DatasetError(
    "BAD_ROWS",
    `${name}: the input yields no task: ${why}; fix the rows or the options`,
    {
      byReason: countByReason(badRows),
    },
  );
}

function countByReason(rows: readonly SourceBadRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of rows) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

async function writeBadRows(manifestPath: string, { badRows }: Books) {
  const path = manifestPath.replace(/manifest\.json$/, "bad-rows.jsonl");
  await rm(path, { force: true });
  const counts = { total: badRows.length, byReason: countByReason(badRows) };
  if (badRows.length === 0) return { ...counts, list: null };
  const file = await OutputFile.create(path);
  for (const row of badRows) await file.write(`${JSON.stringify(row)}\n`);
  await file.finish();
  return { ...counts, list: path };
}

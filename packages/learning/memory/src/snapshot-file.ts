import { copyFile, lstat, open, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { makeFolder } from "@palimpsest/std/files";
import { parseInput, reasonText, systemFailure } from "@palimpsest/std/input";
import { z } from "zod";
import { MemoryError } from "./error.js";
import { memoryRecordSchema } from "./record-schema.js";
import type { MemoryRecord } from "./records/index.js";
import { filePath, refuseUnfit } from "./refuse-unfit.js";
import { conversion, decodeUnicode, utf8Problem, wideEncoding } from "./unicode-text.js";

const header = { format: "palimpsest-memory", version: 1 } as const;
/** Memories are private: a new file is its owner's alone. */
const newMode = 0o600;
/** The most symbolic links that are followed, as many as Linux follows. */
const mostLinks = 40;

/**
 * Writes records as JSONL: a header line, then one record per line. The file is replaced as a whole or not at all, and
 * keeps its rights, its owner and its links; a file with other names (hard links) is overwritten in place.
 */
export async function writeSnapshotFile(path: string, records: Iterable<MemoryRecord>): Promise<void> {
  refuseUnfit(recordsSchema, records, "records of writeSnapshotFile()");
  const target = await snapshotTarget(path);
  const before = await stat(target).catch(() => undefined);
  const part = `${target}.${process.pid}.part`;
  try {
    makeFolder(dirname(target));
    const file = await open(part, "w", newMode);
    try {
      await file.chmod((before?.mode ?? newMode) & 0o777);
      // Only root can give a file away, and only root changes files of others without owning them afterwards.
      if (before !== undefined && process.getuid?.() === 0) await file.chown(before.uid, before.gid);
      let lines = `${JSON.stringify(header)}\n`;
      for (const record of records) {
        lines += `${JSON.stringify(record)}\n`;
        if (lines.length < 1 << 20) continue;
        await file.appendFile(lines);
        lines = "";
      }
      await file.appendFile(lines);
      await file.sync();
    } finally {
      await file.close();
    }
    if (before !== undefined && before.nlink > 1) {
      await copyFile(part, target);
      await rm(part);
    } else await rename(part, target);
  } catch (reason) {
    await rm(part, { force: true }).catch(() => undefined);
    if (systemFailure(reason) === undefined) throw reason;
    throw new MemoryError(
      "BAD_INPUT",
      `${path}: cannot be written: ${reasonText(reason)}; name another file`,
      {
        cause: reason,
      },
    );
  }
}

/** Returns the file that a path leads to through symbolic links, whether or not it exists yet. */
export async function snapshotTarget(path: string): Promise<string> {
  refuseUnfit(filePath, path, "path of a snapshot");
  let target = resolve(path);
  for (let links = 0; links < mostLinks; links++) {
    const found = await lstat(target).catch(() => undefined);
    if (found?.isSymbolicLink() !== true) return target;
    // A relative link leads on from the folder that holds it, which may have been reached through links itself.
    target = resolve(await realpath(dirname(target)), await readlink(target));
  }
  throw new MemoryError("BAD_INPUT", `${path}: is a symbolic link in a circle; name the file itself`);
}

const recordsSchema = z.custom<object>(
  (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
  { error: "must be a list of records" },
);

/**
 * Reads a snapshot. An empty file, blank lines and a byte order mark, which editors and `touch` leave, are no damage.
 * @throws {MemoryError} NOT_FOUND; DAMAGED naming the line
 */
export async function readSnapshotFile(path: string): Promise<MemoryRecord[]> {
  refuseUnfit(filePath, path, "path of readSnapshotFile()");
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new MemoryError("NOT_FOUND", `${path}: ${reasonText(cause)}; name a file of memories`, { cause });
  });
  const records: MemoryRecord[] = [];
  const lineOf = new Map<string, number>();
  let isFirst = true;
  let line = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const text = decodeLine(path, ++line, bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
    if (text.trim() === "") continue;
    const value = parseLine(path, line, text);
    if (isFirst) checkHeader(path, line, value);
    else {
      const record = parseRecord(path, line, value);
      const other = lineOf.get(record.id);
      if (other !== undefined) throw damaged(path, line, `has the id "${record.id}" of line ${other}`);
      lineOf.set(record.id, line);
      records.push(record);
    }
    isFirst = false;
  }
  return records;
}

const damaged = (path: string, line: number, why: string, cause?: unknown) =>
  new MemoryError(
    "DAMAGED",
    `${path}:${line}: ${why}; correct or remove this line, or start with another file`,
    cause === undefined ? {} : { cause },
  );

function decodeLine(path: string, line: number, bytes: Uint8Array): string {
  const wide = line === 1 ? wideEncoding(bytes) : undefined;
  const problem = wide === undefined ? utf8Problem(bytes) : `is ${wide.toUpperCase()}; ${conversion(wide)}`;
  if (problem !== undefined) throw damaged(path, line, problem);
  return decodeUnicode(bytes, "utf-8");
}

function parseLine(path: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damaged(path, line, "is not JSON, as when a file was cut off", cause);
  }
}

function checkHeader(path: string, line: number, value: unknown): void {
  const { format, version } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (format === header.format && version === header.version) return;
  const given = JSON.stringify(value).slice(0, 200);
  throw new MemoryError(
    "DAMAGED",
    `${path}:${line}: is not the first line of a memory file, ${JSON.stringify(header)}, but ${given}; put that line before it, or start with another file`,
  );
}

/** Reads a record, in which a field that is null is absent. @throws {MemoryError} DAMAGED */
function parseRecord(path: string, line: number, value: unknown): MemoryRecord {
  const given =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
      : value;
  return parseInput(memoryRecordSchema, given, (problem) => damaged(path, line, problem));
}

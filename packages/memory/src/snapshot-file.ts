import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { MemoryError } from "./error.js";
import { memoryRecordSchema, oneLine } from "./record-schema.js";
import type { MemoryRecord } from "./records/index.js";

const header = { format: "palimpsest-memory", version: 1 } as const;

/** Writes records as JSONL: a header line, then one record per line. The file is replaced as a whole or not at all. */
export async function writeSnapshotFile(path: string, records: Iterable<MemoryRecord>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  try {
    const file = await open(part, "w");
    try {
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
    await rename(part, path);
  } catch (reason) {
    await rm(part, { force: true });
    throw reason;
  }
}

/** @throws {MemoryError} NOT_FOUND; DAMAGED naming the line */
export async function readSnapshotFile(path: string): Promise<MemoryRecord[]> {
  const records: MemoryRecord[] = [];
  let place = 0;
  try {
    for await (const line of createInterface({
      input: createReadStream(path, "utf8"),
      crlfDelay: Infinity,
    })) {
      place += 1;
      const value = parseLine(path, place, line);
      if (place === 1) checkHeader(path, value);
      else records.push(parseRecord(`${path}:${place}`, value));
    }
  } catch (reason) {
    if (!(reason instanceof Error && "code" in reason && reason.code === "ENOENT")) throw reason;
    throw new MemoryError("NOT_FOUND", `${path}: does not exist; write a snapshot with writeSnapshotFile`, {
      cause: reason,
    });
  }
  if (place === 0)
    throw new MemoryError(
      "DAMAGED",
      `${path}: is empty, but a snapshot begins with a header; write it again with writeSnapshotFile`,
    );
  return records;
}

function parseLine(path: string, place: number, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new MemoryError(
      "DAMAGED",
      `${path}:${place}: is not JSON, so the file may have been cut off; write it again with writeSnapshotFile`,
      { cause },
    );
  }
}

function checkHeader(path: string, value: unknown): void {
  const { format, version } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (format === header.format && version === header.version) return;
  throw new MemoryError(
    "DAMAGED",
    `${path}:1: is not the header of a memory snapshot of version ${header.version}, but ${JSON.stringify(value)}`,
  );
}

/** @throws {MemoryError} DAMAGED */
function parseRecord(place: string, value: unknown): MemoryRecord {
  const parsed = memoryRecordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MemoryError("DAMAGED", `${place}: ${oneLine(parsed.error)}`);
}

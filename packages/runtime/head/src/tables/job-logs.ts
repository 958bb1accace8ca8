/**
 * Stores the output of drivers in one file per job, which is written once and read by any number of followers.
 *
 * Responsibility: the files, their size limits, and failed writes.
 * Not responsible for: knowing whether a job has ended (`ended` is called for it).
 *
 * Invariants:
 * - LOG-1. Byte n of the file is byte n of the driver's output: a repeated message changes nothing. The only other
 *   bytes are the marks of LOG-2 and LOG-3.
 * - LOG-2. Output that never arrived is a hole with a mark at its end, and the output after it keeps its offsets. A
 *   hole takes neither memory nor disk space, however large the offset after it.
 * - LOG-3. A file never grows beyond maxBytes. Later output is counted but not kept, and the end of the file says so.
 * - LOG-4. A failed append fails alone: the next one is attempted. After retryMs of failures the output is given up and
 *   becomes a hole, so that a full disk does not block its driver forever.
 */

import { constants, rmSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";

const readBytes = 64 * 1024;
const fullMark = Buffer.from("\n[the output beyond this point was not kept: jobLogMaxBytes]\n");

export type WriteAt = (path: string, bytes: Uint8Array, position: number) => Promise<void>;

export interface JobLogsOptions {
  readonly folder: string;
  readonly maxBytes: number;
  /** The milliseconds for which appends for one job may fail before the output is given up. */
  readonly retryMs: number;
  readonly clock?: Clock;
  /** Replaces writes to disk in tests. */
  readonly writeAt?: WriteAt;
}

interface Log {
  /** The number of bytes of output that have arrived and need not be sent again, whether they were kept or not. */
  sizeBytes: number;
  /** The end of the file, up to which followers may read. */
  fileBytes: number;
  /** Resolves, and never rejects, when the earlier appends have ended. */
  tail: Promise<unknown>;
  /** When appends began to fail, on the monotonic clock; undefined if they do not. */
  failingSinceMs: number | undefined;
  readonly wake: Set<() => void>;
}

export class JobLogs {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #retryMs: number;
  readonly #clock: Clock;
  readonly #writeAt: WriteAt;
  readonly #logs = new Map<string, Log>();

  constructor(options: JobLogsOptions) {
    this.#folder = options.folder;
    this.#maxBytes = options.maxBytes;
    this.#retryMs = options.retryMs;
    this.#clock = options.clock ?? systemClock;
    this.#writeAt = options.writeAt ?? writeAt;
  }

  /**
   * Returns the number of bytes of output that have arrived. For a full file that an earlier head left, it is the
   * limit.
   */
  sizeBytes(jobId: string): number {
    return this.#log(jobId).sizeBytes;
  }

  /**
   * Writes output that starts at offsetBytes, except what is there already. Resolves to the size once the output is
   * in the file or given up.
   * @throws {PalimpsestError} INVALID_ARGUMENT for an impossible offset; UNAVAILABLE when it could not be written now
   */
  append(jobId: string, bytes: Uint8Array, offsetBytes: number): Promise<number> {
    if (!Number.isSafeInteger(offsetBytes) || offsetBytes < 0) {
      const problem = `offset_bytes of output is ${offsetBytes}: it must be a whole number, 0 or more`;
      return Promise.reject(new PalimpsestError("INVALID_ARGUMENT", problem));
    }
    const log = this.#log(jobId);
    const appended = log.tail.then(() => this.#append(jobId, log, bytes, offsetBytes));
    log.tail = appended.catch(() => undefined);
    return appended;
  }

  /** Tells followers that no more output will come. */
  ended(jobId: string): void {
    // The job may have been forgotten in the meantime, and is not remembered again for this.
    for (const wake of this.#logs.get(jobId)?.wake ?? []) wake();
  }

  /** Yields the output from an offset to its end or, while `follow` returns true, as it arrives. Holes are left out. */
  async *read(
    jobId: string,
    offsetBytes: number,
    follow: () => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly data: Uint8Array; readonly offsetBytes: number }> {
    const log = this.#log(jobId);
    let file: FileHandle | undefined;
    let offset = offsetBytes;
    try {
      while (!signal.aborted) {
        // `follow` is called before the file is read: all output precedes the end, so nothing is missed when the end is
        // seen here.
        const more = follow();
        if (log.fileBytes > offset) {
          file ??= await open(this.#path(jobId), "r");
          const length = Math.min(readBytes, log.fileBytes - offset);
          const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
          if (bytesRead > 0) {
            const data = buffer.subarray(0, bytesRead);
            if (!isHole(data)) yield { data, offsetBytes: offset };
            offset += bytesRead;
            continue;
          }
        }
        if (!more) return;
        await nextWake(log, () => log.fileBytes > offset || !follow(), signal);
      }
    } finally {
      await file?.close();
    }
  }

  /** Removes the log of a forgotten job. */
  remove(jobId: string): void {
    const log = this.#logs.get(jobId);
    this.#logs.delete(jobId);
    rmSync(this.#path(jobId), { force: true });
    for (const wake of log?.wake ?? []) wake();
  }

  /** Waits for the appends in flight. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.tail));
  }

  async #append(jobId: string, log: Log, bytes: Uint8Array, offsetBytes: number): Promise<number> {
    const endBytes = offsetBytes + bytes.byteLength;
    if (endBytes <= log.sizeBytes) return log.sizeBytes;
    if (log.fileBytes < this.#maxBytes) {
      const from = Math.max(offsetBytes, log.sizeBytes);
      try {
        log.fileBytes = await this.#write(jobId, log, bytes.subarray(from - offsetBytes), from);
        log.failingSinceMs = undefined;
      } catch (reason) {
        const now = this.#clock.monotonicMs();
        log.failingSinceMs ??= now;
        if (now - log.failingSinceMs < this.#retryMs) {
          const problem = `output of job ${jobId} was not written, send it again: ${String(reason)}`;
          throw new PalimpsestError("UNAVAILABLE", problem, { cause: reason });
        }
      }
    }
    log.sizeBytes = endBytes;
    for (const wake of log.wake) wake();
    return endBytes;
  }

  /** Writes as much as the limit allows, with its marks, and returns the new end of the file. */
  async #write(jobId: string, log: Log, bytes: Uint8Array, from: number): Promise<number> {
    makeFolder(this.#folder, 0o700);
    const path = this.#path(jobId);
    const end = from + bytes.byteLength;
    if (end <= this.#maxBytes) {
      const mark = lostMark(from - log.fileBytes);
      await this.#writeAt(path, Buffer.concat([mark, bytes]), from - mark.byteLength);
      return end;
    }
    const mark = fullMark.subarray(0, this.#maxBytes);
    const markAt = this.#maxBytes - mark.byteLength;
    if (from < markAt) await this.#writeAt(path, bytes.subarray(0, markAt - from), from);
    await this.#writeAt(path, mark, markAt);
    return this.#maxBytes;
  }

  #log(jobId: string): Log {
    const known = this.#logs.get(jobId);
    if (known) return known;
    const sizeBytes = statSync(this.#path(jobId), { throwIfNoEntry: false })?.size ?? 0;
    const log: Log = {
      sizeBytes,
      fileBytes: sizeBytes,
      tail: Promise.resolve(),
      failingSinceMs: undefined,
      wake: new Set(),
    };
    this.#logs.set(jobId, log);
    return log;
  }

  #path(jobId: string): string {
    return join(this.#folder, `${jobId}.log`);
  }
}

async function writeAt(path: string, bytes: Uint8Array, position: number): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    for (let done = 0; done < bytes.byteLength; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, position + done);
      done += bytesWritten;
    }
  } finally {
    await file.close();
  }
}

function nextWake(log: Log, ready: () => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ready() || signal.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      log.wake.delete(finish);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    log.wake.add(finish);
    signal.addEventListener("abort", finish, { once: true });
  });
}

/** Returns the mark at the end of a hole, if it fits; empty without a hole. */
function lostMark(gapBytes: number): Uint8Array {
  if (gapBytes <= 0) return new Uint8Array();
  const mark = Buffer.from(`\n[${gapBytes} bytes of output were lost here]\n`);
  return mark.byteLength <= gapBytes ? mark : new Uint8Array();
}

function isHole(data: Uint8Array): boolean {
  return data.every((byte) => byte === 0);
}

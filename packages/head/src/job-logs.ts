/**
 * The output of drivers: one file a job, written once, read by any number of followers.
 *
 * Not its job: knowing whether a job has ended (followers are told by `ended`).
 *
 * Invariants:
 * - F1. Byte n of the file is byte n of the driver's output: a repeated message changes nothing.
 * - F2. Output that never came is marked in its place; what follows it keeps its offsets.
 * - F3. A file never grows beyond maxBytes; later output is counted, not kept.
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

const readBytes = 64 * 1024;

interface Log {
  /** Bytes of output that came, kept or not. */
  sizeBytes: number;
  keptBytes: number;
  /** Of the kept ones, those that are in the file. */
  writtenBytes: number;
  writing: Promise<void>;
  readonly wake: Set<() => void>;
}

export class JobLogs {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #logs = new Map<string, Log>();

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of output that came. */
  sizeBytes(jobId: string): number {
    return this.#log(jobId).sizeBytes;
  }

  /** Writes output that starts at offsetBytes, less what is there. Resolves, when it is in the file, to the size. */
  async append(jobId: string, text: string, offsetBytes: number): Promise<number> {
    const log = this.#log(jobId);
    const bytes = Buffer.from(text, "utf8");
    const gap = offsetBytes - log.sizeBytes;
    const fresh = gap > 0 ? Buffer.concat([lostMark(gap), bytes]) : bytes.subarray(-gap);
    if (fresh.length > 0) {
      const kept = fresh.subarray(0, Math.max(0, this.#maxBytes - log.keptBytes));
      log.sizeBytes += fresh.length;
      log.keptBytes += kept.length;
      const previous = log.writing;
      log.writing = (async () => {
        await previous;
        if (kept.length > 0) await this.#write(jobId, kept);
        log.writtenBytes += kept.length;
        for (const wake of log.wake) wake();
      })();
    }
    await log.writing;
    return log.sizeBytes;
  }

  /** Tells followers that no more will come. */
  ended(jobId: string): void {
    for (const wake of this.#log(jobId).wake) wake();
  }

  /** The output from an offset on, until its end or, while `follow` says so, as it comes. */
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
        // Asked before the file is read: output precedes the end, so an end seen here hides nothing.
        const more = follow();
        await log.writing;
        if (log.writtenBytes > offset) {
          file ??= await open(this.#path(jobId), "r");
          const { bytesRead, buffer } = await file.read(Buffer.alloc(readBytes), 0, readBytes, offset);
          if (bytesRead > 0) {
            yield { data: buffer.subarray(0, bytesRead), offsetBytes: offset };
            offset += bytesRead;
            continue;
          }
        }
        if (!more) return;
        await nextWake(log, () => log.writtenBytes > offset || !follow(), signal);
      }
    } finally {
      await file?.close();
    }
  }

  /** Removes the log of a job that is forgotten. */
  remove(jobId: string): void {
    this.#logs.delete(jobId);
    rmSync(this.#path(jobId), { force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.writing));
  }

  #log(jobId: string): Log {
    const known = this.#logs.get(jobId);
    if (known) return known;
    const sizeBytes = statSync(this.#path(jobId), { throwIfNoEntry: false })?.size ?? 0;
    const log: Log = {
      sizeBytes,
      keptBytes: sizeBytes,
      writtenBytes: sizeBytes,
      writing: Promise.resolve(),
      wake: new Set(),
    };
    this.#logs.set(jobId, log);
    return log;
  }

  async #write(jobId: string, bytes: Uint8Array): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = await open(this.#path(jobId), "a", 0o600);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  }

  #path(jobId: string): string {
    return join(this.#folder, `${jobId}.log`);
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

/** As many bytes as were lost, saying so where they are enough. */
function lostMark(gapBytes: number): Buffer {
  const text = `\n[${gapBytes} bytes of output were lost here]\n`;
  const mark = Buffer.alloc(gapBytes, ".");
  if (gapBytes >= text.length) mark.write(text, gapBytes - text.length);
  return mark;
}

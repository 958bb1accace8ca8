/**
 * Responsibility: a file of JSON lines that only grows, with one writer at a time.
 * Not responsible for: reading the lines, or keeping other writers away (folder-lock.ts).
 *
 * Invariants:
 * - LINEFILE-1. Lines are whole and in the order of the calls, however many are appended at once and however long they are.
 * - LINEFILE-2. A line for which `append` has resolved is on the disk.
 * - LINEFILE-3. Nothing is written behind a part of a line: opening removes the one that a process left that ended, and a
 *   line that fails, as on a full disk, is removed.
 */
import { type FileHandle, open } from "node:fs/promises";

/** Lines that come while others are written are written and synced together, until there are this many characters. */
const togetherChars = 1024 * 1024;

interface WaitingLine {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (reason: unknown) => void;
}

export class LineFile {
  readonly path: string;
  readonly #waiting: WaitingLine[] = [];
  #writing = false;

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates the file if there is none. It is open only while lines are written. */
  static async open(path: string): Promise<LineFile> {
    const file = await open(path, "a+");
    try {
      await removeTornLine(file);
    } finally {
      await file.close();
    }
    return new LineFile(path);
  }

  /** Tried, too, after a line that failed; only the caller of that one gets the failure. */
  append(value: unknown): Promise<void> {
    const line = `${JSON.stringify(value)}\n`;
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed });
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    for (let lines = this.#next(); lines.length > 0; lines = this.#next()) {
      const isWritten = lines.length > 1 && (await this.#append(lines));
      if (!isWritten) for (const line of lines) await this.#append([line]);
    }
    this.#writing = false;
  }

  #next(): WaitingLine[] {
    let count = 0;
    for (let chars = 0; count < this.#waiting.length && chars < togetherChars; count++)
      chars += this.#waiting[count]?.line.length ?? 0;
    return this.#waiting.splice(0, count);
  }

  /** Returns whether it succeeded. One line alone also fails for its caller. */
  async #append(lines: readonly WaitingLine[]): Promise<boolean> {
    try {
      await appendText(this.path, lines.map(({ line }) => line).join(""));
      for (const { done } of lines) done();
      return true;
    } catch (reason) {
      if (lines.length === 1) lines[0]?.failed(reason);
      return false;
    }
  }
}

async function appendText(path: string, text: string): Promise<void> {
  const file = await open(path, "a");
  try {
    const { size } = await file.stat();
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (reason) {
      await file.truncate(size);
      throw reason;
    }
  } finally {
    await file.close();
  }
}

async function removeTornLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const block = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - block.length);
    const { bytesRead } = await file.read(block, 0, end - from, from);
    const whole = from + block.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    if (whole === size) return;
    if (whole > from || from === 0) return await file.truncate(whole);
    end = from;
  }
}

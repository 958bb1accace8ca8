import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { DatasetError } from "../error.js";

export interface LineText {
  /** Counted from 1, blank lines included. */
  readonly line: number;
  readonly text: string;
}

/**
 * The lines of a text file (UTF-8) that are not blank.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function* lineTexts(path: string, signal?: AbortSignal): AsyncGenerator<LineText> {
  const file = createReadStream(path, { encoding: "utf8", ...(signal ? { signal } : {}) });
  let line = 0;
  let reading = false;
  try {
    // readline hides errors of the stream that comes before its first line; wait for the file itself.
    await new Promise<void>((resolve, reject) => file.once("open", () => resolve()).once("error", reject));
    for await (const text of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() === "") continue;
      reading = true;
      yield { line, text: line === 1 ? text.replace(/^\uFEFF/, "") : text };
      reading = false;
    }
  } catch (error) {
    // What the reader of these lines throws into here is its own.
    if (reading) throw error;
    signal?.throwIfAborted();
    throw new DatasetError(
      "UNREADABLE_FILE",
      `path: cannot read "${path}"; give an existing JSONL file`,
      { path },
      error,
    );
  } finally {
    file.destroy();
  }
}

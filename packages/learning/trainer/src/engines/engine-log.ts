import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** How much of a log an error shows. */
const shownCharacters = 2_000;
/** Number of bytes that contain at least as many characters. */
const readBytes = 4 * shownCharacters;

/** Name of the file with the output before the log's own beginning; one such file is kept. */
export const earlierLog = (logFile: string): string => `${logFile}.1`;

/** Returns the end of a program's output, for an error. It reads no more than it shows, however long the log is. */
export function endOfLog(logFile: string): string {
  const newest = endOfFile(logFile);
  const whole = newest.length < shownCharacters ? endOfFile(earlierLog(logFile)) + newest : newest;
  return whole.slice(-shownCharacters).trim();
}

/** Returns nothing if there is no such file: the folder of a run that has ended may be gone. */
function endOfFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, readBytes));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(file);
  }
}

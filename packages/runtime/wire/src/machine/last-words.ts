/**
 * What a process said last that explains its end, found in the last lines of its standard error. Node.js ends an
 * uncaught error with its stack, its fields, a blank line and its own version, none of which says what happened.
 */
import { isUserFrame } from "../base/frames.js";

/** Matches the line in which Node.js names an error, such as "TypeError [ERR_X]: x is not a number". */
const header =
  /^(?:Uncaught )?\[?(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Rejection)(?: \[[\w$.]+\])?(?::|\]?(?: \{)?$)/;
/** A frame of an error that is nobody's cause. */
const frame = /^ {4}at /;
const location = /\(?((?:[^\s()]|\([^\s()]*\))+:\d+:\d+)\)?$/;
/** Lines that close or continue something, and the version of Node.js. */
const silent = /^[\s\])}>,;^~-]*$|^\s|^Node\.js v\d|^\(Use `node --trace-/;
const maxHeaderLines = 20;

export interface LastError {
  /** The error's name and message, in one line. */
  readonly header: string;
  /** Where user code raised it, as FILE:LINE:COLUMN; empty if no frame says so. */
  readonly place: string;
}

/** What V8 says before it aborts, such as that the heap is full. A stack of native frames follows. */
const fatal = /^(?:FATAL ERROR|# Fatal error in|Fatal JavaScript)/;

/** Returns the last error in these lines; undefined if there is none. */
export function lastError(lines: readonly string[]): LastError | undefined {
  const at = lines.findLastIndex((line, index) => header.test(line) || isCustomHeader(lines, index));
  if (at < 0) return undefined;
  // Its frames come first, and then those of its causes, which may be the only ones of user code.
  const place = lines
    .slice(at + 1)
    .filter(isUserFrame)
    .flatMap((line) => location.exec(line)?.[1] ?? [])[0];
  return { header: withoutBrackets(lines[at] ?? ""), place: place ?? "" };
}

/** Returns in one line what a process said last: its last error, else its last line that says something. */
export function lastWords(lines: readonly string[]): string {
  const aborted = lines.findLast((line) => fatal.test(line));
  if (aborted !== undefined) return aborted.trim();
  const error = lastError(lines);
  if (error) return error.place === "" ? error.header : `${error.header} (${error.place})`;
  return thrownValue(lines) ?? lines.findLast((line) => !silent.test(line))?.trim() ?? "";
}

/** An error of any name is known by the frames below its message, if no line above them names an error. */
function isCustomHeader(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (!frame.test(lines[index + 1] ?? "") || /^\s/.test(line)) return false;
  for (let above = index; above >= Math.max(0, index - maxHeaderLines); above--) {
    const text = lines[above] ?? "";
    if (header.test(text)) return false;
    if (frame.test(text)) break;
  }
  return true;
}

/** Returns what was thrown where that was no error: the line below the one that marks where. */
function thrownValue(lines: readonly string[]): string | undefined {
  if (!lines.some((line) => line.startsWith("Node.js v"))) return undefined;
  const mark = lines.findLastIndex((line) => /^\s*\^+$/.test(line));
  return mark < 0 ? undefined : lines.slice(mark + 1).find((line) => line.trim() !== "");
}

/** An error without frames is printed in brackets, and one with fields before a brace. */
function withoutBrackets(line: string): string {
  const text = line.replace(/ \{$/, "");
  return text.startsWith("[") ? text.slice(1).replace(/\]$/, "") : text;
}

import { MemoryError } from "./error.js";
import type { MemoryRecord, MemoryType } from "./records/index.js";

/** The records that a search considers. */
export interface SearchFilter {
  readonly memoryType?: MemoryType;
  /** The complete name, in any case. */
  readonly speaker?: string;
  /** "session_3", or "3" alone. */
  readonly session?: string;
  /** ISO 8601 with any precision ("2023", "2023-05", "2023-05-08T13:56"): said at that time or later. */
  readonly after?: string;
  /** The same format: said at that time or earlier, including the whole of a day. */
  readonly before?: string;
}

const timePattern = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2})?)?)?)?$/;

/** Returns whether a text is a time in a filter's format, on a day that there is. */
export function isTime(text: string): boolean {
  if (!timePattern.test(text)) return false;
  // Date takes 30 February for 1 March, so the day is compared with what it was.
  const day = text.slice(0, 10);
  const date = new Date(text.length > 10 ? `${text}Z` : day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !text.includes("T24");
}

/**
 * Returns a time without its zone and its parts of seconds, which records do not have: "2023-05-08T13:56:00.000Z" is
 * "2023-05-08T13:56:00". Other texts stay as they are.
 */
export function plainTime(text: string): string {
  return text.replace(
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?$/i,
    "$1T$2",
  );
}

/**
 * Returns the filter as a predicate. A record without a time, speaker or session is excluded by a filter on it.
 * @throws {MemoryError} BAD_INPUT for an invalid time
 */
export function filterTest(filter: SearchFilter): (record: MemoryRecord) => boolean {
  const { memoryType, after, before } = filter;
  checkTime("after", after);
  checkTime("before", before);
  const speaker = filter.speaker?.trim().toLowerCase();
  const session = filter.session === undefined ? undefined : sessionName(filter.session);
  return (record) => {
    if (memoryType !== undefined && record.memoryType !== memoryType) return false;
    if (speaker !== undefined && record.speaker?.toLowerCase() !== speaker) return false;
    if (session !== undefined && (record.session === undefined || sessionName(record.session) !== session))
      return false;
    if (after === undefined && before === undefined) return true;
    const { dialogueTime: time } = record;
    if (time === undefined) return false;
    // ISO times sort as texts, and a shorter one is the beginning of its range.
    return (
      (after === undefined || time >= after) &&
      (before === undefined || time.slice(0, before.length) <= before)
    );
  };
}

function checkTime(field: string, time: string | undefined): void {
  if (time === undefined || isTime(time)) return;
  throw new MemoryError(
    "BAD_INPUT",
    `${field}: "${time}" is not a time; write it as 2023-05-08 or 2023-05-08T13:56`,
  );
}

const sessionName = (session: string) =>
  session
    .trim()
    .toLowerCase()
    .replace(/^session[ _-]*/, "");

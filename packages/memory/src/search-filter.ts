import { MemoryError } from "./error.js";
import type { MemoryRecord, MemoryType } from "./records/index.js";

/** Which records a search looks at. */
export interface SearchFilter {
  readonly memoryType?: MemoryType;
  /** Whole name, in any case. */
  readonly speaker?: string;
  /** "session_3", or "3" alone. */
  readonly session?: string;
  /** ISO 8601, as exact as wanted ("2023", "2023-05", "2023-05-08T13:56"): said then or later. */
  readonly after?: string;
  /** The same: said then or earlier; a day is meant to its end. */
  readonly before?: string;
}

export const timePattern = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2})?)?)?)?$/;

/**
 * The filter as a test. A record that does not say when, who or where is left out by a filter that asks for it.
 * @throws {MemoryError} BAD_INPUT for a time that is none
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
    // ISO times sort as texts; a shorter one is the beginning of its span.
    return (
      (after === undefined || time >= after) &&
      (before === undefined || time.slice(0, before.length) <= before)
    );
  };
}

function checkTime(field: string, time: string | undefined): void {
  if (time === undefined || timePattern.test(time)) return;
  throw new MemoryError(
    "BAD_INPUT",
    `${field}: "${time}" is no time; write it as 2023-05-08 or 2023-05-08T13:56`,
  );
}

const sessionName = (session: string) =>
  session
    .trim()
    .toLowerCase()
    .replace(/^session[ _-]*/, "");

import type { MemoryRecord } from "./records/index.js";

/** What search reads of a record: its content, after its speaker where the content does not name them. */
export function searchText({ content, speaker }: MemoryRecord): string {
  return speaker === undefined || content.toLowerCase().includes(speaker.toLowerCase())
    ? content
    : `${speaker}: ${content}`;
}

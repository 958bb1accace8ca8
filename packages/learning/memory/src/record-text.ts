import type { MemoryRecord } from "./records/index.js";

/**
 * Returns the text that search reads of a record: its content, after its speaker when the content does not name them.
 */
export function searchText({ content, speaker }: MemoryRecord): string {
  return speaker === undefined || content.toLowerCase().includes(speaker.toLowerCase())
    ? content
    : `${speaker}: ${content}`;
}

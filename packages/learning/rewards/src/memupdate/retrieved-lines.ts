import type { MemoryStore } from "@palimpsest/memory";
import { withoutCutWord } from "@palimpsest/memory/text";
import type { MemoryRecord } from "@palimpsest/trajectories";
import { memoryLine } from "./memory-line.js";

const bytesPerToken = 4;
const lineTokens = (line: string) => Math.ceil(Buffer.byteLength(line) / bytesPerToken);

/** Tokens of one record in a store that has none from which to take a mean. */
const usualRecordTokens = 32;

/** Returns the tokens that five records of the store's mean length have, with their dates and speakers. */
export function fiveRecordsTokens(records: readonly MemoryRecord[]): number {
  if (records.length === 0) return 5 * usualRecordTokens;
  const sum = records.reduce((total, record) => total + lineTokens(memoryLine(record)), 0);
  return Math.ceil((5 * sum) / records.length);
}

/**
 * Returns the lines that a reader gets for a question: the records that the search retrieves, best first, until their
 * tokens (of 4 bytes) reach the limit. The last one is cut behind a whole word, so that a long record takes the place
 * of several short ones.
 */
export async function retrievedLines(
  store: MemoryStore,
  question: string,
  { mostTokens, denseWeight }: { readonly mostTokens: number; readonly denseWeight: number },
  signal?: AbortSignal,
): Promise<string[]> {
  const lines: string[] = [];
  let left = mostTokens;
  // Every record has a token at least.
  for (const { record } of await store.search(question, { topK: mostTokens, denseWeight }, signal)) {
    if (left <= 0) break;
    const line = memoryLine(record);
    const tokens = lineTokens(line);
    const fitting = tokens <= left ? line : cutLine(line, left * bytesPerToken);
    if (fitting !== "") lines.push(fitting);
    left -= tokens;
  }
  return lines;
}

/** Returns the whole words of a line that fit; a single word that is longer is left out. */
function cutLine(line: string, mostBytes: number): string {
  const bytes = Buffer.from(line);
  const start = bytes.subarray(0, mostBytes).toString();
  if (/^\s/.test(bytes.subarray(mostBytes).toString())) return start;
  return withoutCutWord(start);
}

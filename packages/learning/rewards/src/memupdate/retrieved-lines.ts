import type { MemoryStore } from "@palimpsest/memory";
import { withoutCutWord } from "@palimpsest/memory/text";
import type { MemoryRecord } from "@palimpsest/trajectories";
import { memoryLine } from "./memory-line.js";

const bytesPerToken = 4;
/** Returns the tokens of a text, of 4 bytes each. */
export const lineTokens = (line: string) => Math.ceil(Buffer.byteLength(line) / bytesPerToken);

/** Tokens of one record in a store that has none from which to take a mean. */
const usualRecordTokens = 32;

/** How much of a store a reader gets for one question, in tokens of 4 bytes. */
export interface RetrievalBudget {
  readonly mostTokens: number;
  /** The least that a record's date and speaker cost, so that leaving them out makes no room for more records. */
  readonly labelTokens: number;
}

/**
 * Returns the budget that a store at its beginning gives: as much as five records of its mean length have, with their
 * dates and speakers, and for every record the mean of what these two take.
 */
export function retrievalBudget(records: readonly MemoryRecord[]): RetrievalBudget {
  if (records.length === 0) return { mostTokens: 5 * usualRecordTokens, labelTokens: 0 };
  const meanOf = (tokens: (record: MemoryRecord) => number) =>
    records.reduce((total, record) => total + tokens(record), 0) / records.length;
  const whole = meanOf((record) => lineTokens(memoryLine(record)));
  const contents = meanOf(({ content }) => lineTokens(content));
  return { mostTokens: Math.ceil(5 * whole), labelTokens: whole - contents };
}

/** A record with what a reader gets of it. */
interface RetrievedRecord {
  readonly record: MemoryRecord;
  readonly line: string;
}

/**
 * Returns what a reader gets for a question: the records that the search retrieves, best first, until their tokens
 * reach the limit. The last one is cut behind a whole word, so that a long record takes the place of several short ones.
 */
export async function retrievedRecords(
  store: MemoryStore,
  question: string,
  { mostTokens, labelTokens, denseWeight }: RetrievalBudget & { readonly denseWeight: number },
  signal?: AbortSignal,
): Promise<RetrievedRecord[]> {
  const found: RetrievedRecord[] = [];
  let left = mostTokens;
  // Every record has a token at least.
  for (const { record } of await store.search(question, { topK: mostTokens, denseWeight }, signal)) {
    if (left <= 0) break;
    const line = memoryLine(record);
    const tokens = Math.max(lineTokens(line), lineTokens(record.content) + labelTokens);
    const room = Math.floor((left - tokens + lineTokens(line)) * bytesPerToken);
    const fitting = tokens <= left ? line : cutLine(line, Math.max(0, room));
    if (fitting !== "") found.push({ record, line: fitting });
    left -= tokens;
  }
  return found;
}

/** Returns the lines of the retrieved records alone. */
export async function retrievedLines(...asked: Parameters<typeof retrievedRecords>): Promise<string[]> {
  const found = await retrievedRecords(...asked);
  return found.map(({ line }) => line);
}

/** Returns the whole words of a line that fit; a single word that is longer is left out. */
function cutLine(line: string, mostBytes: number): string {
  const bytes = Buffer.from(line);
  const start = bytes.subarray(0, mostBytes).toString();
  if (/^\s/.test(bytes.subarray(mostBytes).toString())) return start;
  return withoutCutWord(start);
}

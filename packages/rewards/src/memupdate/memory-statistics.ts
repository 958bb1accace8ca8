import type { MemoryRecord, StoreDiff } from "@palimpsest/trajectories";
import { storeAfter } from "./store-states.js";

/** What became of a store, in numbers. */
export interface MemoryStatistics {
  readonly initialRecords: number;
  readonly finalRecords: number;
  /** Estimated: a token for every 4 bytes of UTF-8. */
  readonly initialTokens: number;
  readonly finalTokens: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

export function memoryStatistics(before: readonly MemoryRecord[], diff: StoreDiff): MemoryStatistics {
  const after = storeAfter(before, diff);
  return {
    initialRecords: before.length,
    finalRecords: after.length,
    initialTokens: estimatedTokens(before),
    finalTokens: estimatedTokens(after),
    created: diff.created.length,
    updated: diff.updated.length,
    deleted: diff.deleted.length,
  };
}

/** Tokens of all contents together, each at 4 bytes of UTF-8: no tokenizer is asked. */
export function estimatedTokens(records: readonly MemoryRecord[]): number {
  return records.reduce((sum, { content }) => sum + Math.ceil(Buffer.byteLength(content) / 4), 0);
}

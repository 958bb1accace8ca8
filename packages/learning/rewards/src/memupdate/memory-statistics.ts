import type { MemoryRecord, StoreDiff } from "@palimpsest/trajectories";
import { storeAfter } from "./store-states.js";

/** How a store changed, in numbers. */
export interface MemoryStatistics {
  readonly initialRecords: number;
  readonly finalRecords: number;
  /** Estimated: one token per 4 bytes of UTF-8. */
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

/** Estimates the tokens of all contents together at 4 bytes of UTF-8 each, without a tokenizer. */
export function estimatedTokens(records: readonly MemoryRecord[]): number {
  return records.reduce((sum, { content }) => sum + Math.ceil(Buffer.byteLength(content) / 4), 0);
}

import type { MemoryRecord, Probe } from "./memory-record.js";

/** One question about one document or one memory store. What data sets and generators produce and agents work on. */
export interface Task {
  /** Unique within its data set; stable between runs. */
  readonly id: string;
  readonly question: string;
  /** Any one of them counts as right; a multi-value task lists all that are wanted. At least one. */
  readonly answers: readonly string[];
  /** "" where the task is about a store alone. */
  readonly document: string;
  /** What evaluations group by and people look at: `kind`, `lengthTokens`, `numDocs`, `dataSource`. */
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The memory store that the episode begins with. */
  readonly records?: readonly MemoryRecord[];
  /** What the store is asked after the episode, shown or held out. */
  readonly probes?: readonly Probe[];
}

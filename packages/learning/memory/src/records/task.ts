import type { MemoryRecord, Probe } from "./memory-record.js";

/**
 * One question about one document or one memory store. Data sets and generators produce tasks, and agents work on them.
 */
export interface Task {
  /** Unique within its data set, and stable between runs. */
  readonly id: string;
  readonly question: string;
  /** At least one answer, any of which is right; a task with several values lists all that are wanted. */
  readonly answers: readonly string[];
  /** "" when the task is about a store alone. */
  readonly document: string;
  /**
   * Facts by which evaluations group tasks, and which people look at: `kind`, `lengthTokens`, `numDocs`, `dataSource`.
   */
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The records of the memory store at the beginning of the episode. */
  readonly records?: readonly MemoryRecord[];
  /** Questions that are asked of the store after the episode, shown or held out. */
  readonly probes?: readonly Probe[];
}

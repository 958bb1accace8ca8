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

/** A piece of text that a question needs. */
export interface NamedEvidence {
  /** Which piece it is, from 0. */
  readonly at: number;
  readonly text: string;
}

const ordinals = ["first", "second", "third", "fourth", "fifth"];

/** Returns the pieces of text that a task names in its metadata: `evidence`, `secondEvidence`, `evidence3`, … */
export function namedEvidence({
  metadata,
}: {
  readonly metadata?: Task["metadata"] | undefined;
}): NamedEvidence[] {
  return Object.entries(metadata ?? {}).flatMap(([key, text]): NamedEvidence[] => {
    const match = /^(first|second|third|fourth|fifth)?evidence(\d*)$/i.exec(key);
    if (match === null || typeof text !== "string" || text === "") return [];
    return [{ at: match[1] ? ordinals.indexOf(match[1].toLowerCase()) : Number(match[2] || 1) - 1, text }];
  });
}

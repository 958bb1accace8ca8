export const memoryTypes = ["episodic", "semantic", "procedural"] as const;
export type MemoryType = (typeof memoryTypes)[number];

/** One record of a memory store. */
export interface MemoryRecord {
  /** Unique within its store. */
  readonly id: string;
  readonly content: string;
  readonly memoryType: MemoryType;
  readonly speaker?: string;
  /** For example "session_3". */
  readonly session?: string;
  /** When it was said, as ISO 8601 without a time zone: "2023-05-08T13:56". */
  readonly dialogueTime?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** "observation", "dialogue", "event", "agent", … */
  readonly source?: string;
  /** Ids of the records or dialogue turns ("D1:3") that it is derived from. */
  readonly provenance: readonly string[];
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

/**
 * How a store changed from its first state to its last. A record that was created and deleted in between is in none of
 * the lists.
 */
export interface StoreDiff {
  readonly created: readonly MemoryRecord[];
  /** The updated records, as they are now. */
  readonly updated: readonly MemoryRecord[];
  /** Ids of deleted records that existed at first. */
  readonly deleted: readonly string[];
}

/** A question that is asked of the store after the episode. */
export interface Probe {
  readonly question: string;
  /** Any one of them is right. When empty, the store cannot contain the answer. */
  readonly answers: readonly string[];
  readonly category?: string;
  /** Ids of the dialogue turns that contain the answer. */
  readonly evidence?: readonly string[];
  /** True when the agent was not shown the question. */
  readonly heldOut: boolean;
}

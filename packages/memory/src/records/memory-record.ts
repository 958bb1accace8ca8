export const memoryTypes = ["episodic", "semantic", "procedural"] as const;
export type MemoryType = (typeof memoryTypes)[number];

/** One record of a memory store. */
export interface MemoryRecord {
  /** Unique within its store. */
  readonly id: string;
  readonly content: string;
  readonly memoryType: MemoryType;
  readonly speaker?: string;
  /** Such as "session_3". */
  readonly session?: string;
  /** When it was said: ISO 8601 without a zone, "2023-05-08T13:56". */
  readonly dialogueTime?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** "observation", "dialogue", "event", "agent", … */
  readonly source?: string;
  /** Ids of the records or dialogue turns ("D1:3") that it comes from. */
  readonly provenance: readonly string[];
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

/** What became of a store, from its first state to its last. A record that came and went is in none of them. */
export interface StoreDiff {
  readonly created: readonly MemoryRecord[];
  /** As they are now. */
  readonly updated: readonly MemoryRecord[];
  /** Ids of records that were there at first. */
  readonly deleted: readonly string[];
}

/** A question that is asked of the store after the episode. */
export interface Probe {
  readonly question: string;
  /** Any one of them counts as right; none: the store cannot know. */
  readonly answers: readonly string[];
  readonly category?: string;
  /** Ids of the dialogue turns that hold the answer. */
  readonly evidence?: readonly string[];
  /** The agent was not shown it. */
  readonly heldOut: boolean;
}

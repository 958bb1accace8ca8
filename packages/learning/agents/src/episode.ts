import type {
  Conversation,
  MemoryRecord,
  MemoryStep,
  StoreDiff,
  Trajectory,
} from "@palimpsest/memory/records";
import { lowBiasMix32 } from "@palimpsest/std/random";

/** A text that is read once, from its beginning: a string, or pieces if the whole text should not be in memory. */
export type DocumentText = string | Iterable<string> | AsyncIterable<string>;

/** What an agent works on: one question, with the document or the store that has the answer. */
export interface AgentTask {
  readonly question: string;
  /** The document for agents that read one; "" if the task is about a store alone. */
  readonly document: DocumentText;
  /** The initial records of the store, for agents that have one. */
  readonly records?: readonly MemoryRecord[];
}

/** The progress of an episode; it is reported after every sampled conversation. */
export interface AgentProgress {
  readonly conversation: Conversation;
  /** The memory after this conversation; absent for the final conversation. */
  readonly memoryStep?: MemoryStep;
  readonly conversationsDone: number;
  /** Absent if the number of chunks is not known in advance, as for a stream without a limit. */
  readonly conversationsTotal?: number;
  readonly documentTokensRead: number;
  /** The state from which a later run can resume; present after a memory update of an agent that reads. */
  readonly state?: EpisodeState;
}

/** The state of an episode between two sections, for `resumeFrom`. It is plain data, so it can be stored in a file. */
export interface EpisodeState {
  /** Name of the agent. */
  readonly agent: string;
  /** All document tokens before this position have been read or dropped. */
  readonly documentPosition: number;
  readonly documentTokensRead: number;
  readonly memoryTokenIds: readonly number[];
  /** Each head of the memory, and the step that wrote it if one did; absent for a memory without heads. */
  readonly heads?: readonly {
    readonly tokenIds: readonly number[];
    readonly step?: number | undefined;
    readonly relevance?: number | undefined;
  }[];
  /** True if the agent ended its reading here; absent if sections follow. */
  readonly exited?: boolean;
  /** The earlier memory that the next section is read with, for agents that recall memories. */
  readonly recalledTokenIds?: readonly number[];
  /** The earlier memories, oldest first, for agents that recall memories. */
  readonly history?: readonly EarlierMemory[];
  /** What the agent has counted so far, by name. */
  readonly counters?: Readonly<Record<string, number>>;
  readonly counts: SampleCounts;
  readonly policyVersionMin: number;
  readonly policyVersionMax: number;
}

/** A memory that was overwritten, and the step that wrote it. */
export interface EarlierMemory {
  readonly step: number;
  readonly text: string;
  readonly tokenIds: readonly number[];
}

/** Settings of one episode. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** The seed of every sampler call is derived from it and from the index of the call. Default 0. */
  readonly seed?: number;
  /** Overrides the agent's sampling setting, for example for greedy evaluation; so does `topP`. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly onProgress?: (progress: AgentProgress) => void;
  /**
   * "none" keeps no conversations and no memory steps, so that memory use does not grow with the length of the
   * document. Default "all".
   */
  readonly record?: "all" | "none";
  /**
   * Resumes another run of the same task, seed and settings: the sections before the state's position are not read
   * again. The result has the steps and conversations of this run, but the counts and answer of the whole episode.
   */
  readonly resumeFrom?: EpisodeState;
}

/** Counts over the conversations of one episode, in conversations and tokens. */
export interface SampleCounts {
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** Conversations that ended at their token limit. */
  readonly truncated: number;
  /** Replies without any content, and replies that hold no memory update where one is expected. */
  readonly emptyUpdates: number;
}

/** Everything that one episode produced. */
export interface EpisodeResult {
  /** The final reply as text, with its markup but without thinking and stop token. */
  readonly answer: string;
  /** The last memory as text; for an agent with a store, the changes to the store. */
  readonly memory: string;
  readonly steps: readonly MemoryStep[];
  readonly conversations: readonly Conversation[];
  readonly counts: SampleCounts;
  readonly documentTokens: number;
  readonly droppedDocumentTokens: number;
  readonly policyVersionMin: number;
  readonly policyVersionMax: number;
  /** Hash of the weights that sampled the last reply. */
  readonly weightsHash: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** How the store has changed, for agents that have one. */
  readonly storeDiff?: StoreDiff;
  /** The agent's own counters, by name: `num_turns`, `tool_call_counts.search_memory`, … */
  readonly counters?: Readonly<Record<string, number>>;
}

/**
 * A memory agent that is bound to a sampler: it reads a document, keeps a memory, and answers. Episodes may run
 * concurrently.
 */
export interface Agent {
  readonly name: string;
  run(task: AgentTask, options?: RunOptions): Promise<EpisodeResult>;
}

/** Returns the record that queues and learner transport, from an episode that ran with `record: "all"`. */
export function toTrajectory(
  agent: string,
  result: EpisodeResult,
  ids: {
    readonly trajectoryId: string;
    readonly groupId: string;
    readonly taskId: string;
    readonly episodeIndex: number;
    readonly actorId: string;
  },
): Trajectory {
  return {
    ...ids,
    agent,
    policyVersionMin: result.policyVersionMin,
    policyVersionMax: result.policyVersionMax,
    weightsHash: result.weightsHash,
    conversations: result.conversations,
    answer: result.answer,
    memorySteps: result.steps,
    startedAtMs: result.startedAtMs,
    endedAtMs: result.endedAtMs,
    droppedDocumentTokens: result.droppedDocumentTokens,
    ...(result.storeDiff ? { storeDiff: result.storeDiff } : {}),
    ...(result.counters ? { counters: result.counters } : {}),
  };
}

/**
 * Returns the seed of an episode's call with the index `place`: 31 bits, hashed, so that the seeds of neighboring
 * calls are unrelated.
 */
export function callSeed(episodeSeed: number, place: number): number {
  let hash = Math.imul((episodeSeed ^ 0x9e3779b9) | 0, 0x85ebca6b) ^ Math.imul((place + 1) | 0, 0xc2b2ae35);
  // The high half of a seed above 2^32 is mixed in too.
  hash ^= Math.imul(Math.floor(episodeSeed / 2 ** 32) | 0, 0x27d4eb2f);
  return lowBiasMix32(hash) >>> 1;
}

import type {
  Conversation,
  MemoryRecord,
  MemoryStep,
  StoreDiff,
  Trajectory,
} from "@palimpsest/memory/records";

/** Text that is read once, from its beginning: whole, or piece by piece where it should not be held. */
export type DocumentText = string | Iterable<string> | AsyncIterable<string>;

export interface AgentTask {
  readonly question: string;
  /** Read by agents that read; "" where the task is about a store alone. */
  readonly document: DocumentText;
  /** The store that an agent with one begins with. */
  readonly records?: readonly MemoryRecord[];
}

/** What happened so far; sent after every sampled conversation. */
export interface AgentProgress {
  readonly conversation: Conversation;
  /** The memory after this conversation; absent for the final one. */
  readonly memoryStep?: MemoryStep;
  readonly conversationsDone: number;
  /** Known where the document came whole. */
  readonly conversationsTotal?: number;
  readonly documentTokensRead: number;
  /** Where a later run can go on from, after a memory update of an agent that reads. */
  readonly state?: EpisodeState;
}

/** An episode between two sections, as plain data: what `resumeFrom` takes, also from a file. */
export interface EpisodeState {
  /** Name of the agent. */
  readonly agent: string;
  /** Document tokens before this place are read or dropped. */
  readonly documentPosition: number;
  readonly documentTokensRead: number;
  readonly memoryTokenIds: readonly number[];
  /** What the next section is read with besides the memory, of agents that recall. */
  readonly recalledTokenIds?: readonly number[];
  /** Earlier memories in order, of agents that recall. */
  readonly history?: readonly EarlierMemory[];
  /** Counted by the agent so far. */
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

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Every sampler call's seed is derived from it and from the place of the call. Default 0. */
  readonly seed?: number;
  /** Overrides of the agent's sampling settings, such as greedy evaluation. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly onProgress?: (progress: AgentProgress) => void;
  /** "none" keeps no conversations and no memory steps: memory stays flat over any length. Default "all". */
  readonly record?: "all" | "none";
  /**
   * Goes on where another run of the same task, seed and settings was: sections before that place are not read
   * again. Steps and conversations are those of this run, counts and answer those of the whole episode.
   */
  readonly resumeFrom?: EpisodeState;
}

export interface SampleCounts {
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** Conversations that ended at their token limit. */
  readonly truncated: number;
  /** Memory updates without any token. */
  readonly emptyUpdates: number;
}

/** Everything one episode produced. */
export interface EpisodeResult {
  /** The final conversation as text, markup included, stop token left out. */
  readonly answer: string;
  /** The last memory as text. */
  readonly memory: string;
  readonly steps: readonly MemoryStep[];
  readonly conversations: readonly Conversation[];
  readonly counts: SampleCounts;
  readonly documentTokens: number;
  readonly droppedDocumentTokens: number;
  readonly policyVersionMin: number;
  readonly policyVersionMax: number;
  /** Hash of the weights that sampled last. */
  readonly weightsHash: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** What became of the store, of agents that have one. */
  readonly storeDiff?: StoreDiff;
  /** What the agent counted besides, by name: `num_turns`, `tool_call_counts.search_memory`, … */
  readonly counters?: Readonly<Record<string, number>>;
}

/** A memory agent bound to a sampler: reads a document, keeps a memory, answers. Safe to run concurrently. */
export interface Agent {
  readonly name: string;
  run(task: AgentTask, options?: RunOptions): Promise<EpisodeResult>;
}

/** The record that queues and learner carry, from an episode run with `record: "all"`. */
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

/** Seed of the call at `place` of an episode: 31 bits, well mixed, so that neighbors do not resemble. */
export function callSeed(episodeSeed: number, place: number): number {
  let hash = Math.imul((episodeSeed ^ 0x9e3779b9) | 0, 0x85ebca6b) ^ Math.imul((place + 1) | 0, 0xc2b2ae35);
  // High halves of seeds above 2^32 count as well.
  hash ^= Math.imul(Math.floor(episodeSeed / 2 ** 32) | 0, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 1;
}

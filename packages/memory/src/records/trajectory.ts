import type { StoreDiff } from "./memory-record.js";

export type ConversationKind = "memory" | "final" | "tool";
export type StopReason = "stop" | "length" | "abort";

/** Numbers in a row. What was decoded from a payload holds typed arrays that are views of its bytes: they are read, never
 *  written. */
export type Column = ArrayLike<number> & Iterable<number>;

/** How tokens were drawn from the model's distribution: what a learner must know of it. */
export interface Sampling {
  /** Logits were divided by it, ≥ 0; 0 is greedy. */
  readonly temperature: number;
  /** Nucleus size in (0, 1]; 1 keeps all tokens. */
  readonly topP: number;
  /** The K likeliest tokens were kept; 0 keeps all. */
  readonly topK: number;
  /** Tokens at least this many times as likely as the likeliest were kept, in [0, 1]; 0 keeps all. */
  readonly minP: number;
}

/** Temperature 1 without truncation: the model's own distribution. */
export const plainSampling: Sampling = Object.freeze({ temperature: 1, topP: 1, topK: 0, minP: 0 });

/** Whether some tokens could not be drawn. */
export function isTruncated({ topP, topK, minP }: Sampling): boolean {
  return topP < 1 || topK > 0 || minP > 0;
}

/** Whether tokens were drawn from the model's own distribution. */
export function isPlain(sampling: Sampling): boolean {
  return sampling.temperature === 1 && !isTruncated(sampling);
}

/** One prompt and what the model sampled after it: the unit that becomes a training row. */
export interface Conversation {
  readonly kind: ConversationKind;
  /** Place within the trajectory, from 0. */
  readonly step: number;
  readonly promptTokenIds: Column;
  readonly sampledTokenIds: Column;
  /**
   * Nats, of the distribution before temperature and truncation; one a sampled token. NaN where the engine tells only
   * those after them, which `sampledLogprobs` then has.
   */
  readonly rolloutLogprobs: Column;
  /**
   * Nats, of the distribution that was drawn from, after temperature and truncation; one a sampled token. Absent where the
   * sampling is plain and these are the numbers before it, and where the engine cannot tell.
   */
  readonly sampledLogprobs?: Column;
  /** How its tokens were drawn. */
  readonly sampling: Sampling;
  /** 1 where the token is trained, one a sampled token; absent: all of them. */
  readonly lossMask?: Column;
  readonly stopReason: StopReason;
  /** The oldest that sampled a token of it. */
  readonly policyVersion: number;
  /** Which version sampled which tokens, in order, where weights changed between its turns; absent: one sampled all. */
  readonly versionRuns?: readonly VersionRun[];
}

/** Neighboring tokens that the same version sampled; what a tool wrote between them belongs to the turn before it. */
export interface VersionRun {
  readonly policyVersion: number;
  readonly tokens: number;
}

/** The memory after one step: for people, traces and step rewards. */
export interface MemoryStep {
  readonly step: number;
  /** Half-open range of document tokens that this step read. */
  readonly documentTokenStart: number;
  readonly documentTokenEnd: number;
  readonly memory: string;
  /** What was recalled for this step; empty when nothing. */
  readonly recalled: string;
  /** What this step asked to be recalled for the next one. */
  readonly recallQuery?: string;
  /** What `recallQuery` found: shown to the next step, or to the final one. */
  readonly found?: string;
  /** The text that the step read, where a reward needs it. */
  readonly section?: string;
  /** What the model wrote, markup included, where a reward needs it. */
  readonly reply?: string;
}

/** What an agent did with one task: every conversation of one episode. */
export interface Trajectory {
  readonly trajectoryId: string;
  readonly groupId: string;
  readonly taskId: string;
  /** Place within the group, 0 … groupSize-1. */
  readonly episodeIndex: number;
  /** Name of the agent, such as "memagent". */
  readonly agent: string;
  readonly policyVersionMin: number;
  readonly policyVersionMax: number;
  /** Hash of the weights that sampled last. */
  readonly weightsHash: string;
  readonly conversations: readonly Conversation[];
  /** The answer as text, with its markup. */
  readonly answer: string;
  readonly memorySteps: readonly MemoryStep[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly actorId: string;
  /** Document tokens that were not read, by the agent's overflow rule. */
  readonly droppedDocumentTokens: number;
  /** What became of the memory store, where the agent has one. */
  readonly storeDiff?: StoreDiff;
  /** What the agent counted, by name: `num_turns`, `tool_call_counts.search_memory`, … */
  readonly counters?: Readonly<Record<string, number>>;
  /** The span that sampled it, as W3C's traceparent, where somebody traces. */
  readonly traceparent?: string;
}

/** A column that was not read, of which the length is known. */
export interface ColumnLength {
  readonly length: number;
}

/** A conversation without its numbers: every `Conversation` is one. */
export interface ConversationHead
  extends Omit<
    Conversation,
    "promptTokenIds" | "sampledTokenIds" | "rolloutLogprobs" | "sampledLogprobs" | "lossMask"
  > {
  readonly promptTokenIds: ColumnLength;
  readonly sampledTokenIds: ColumnLength;
}

/** A trajectory without the numbers of its conversations: what most rewards read. Every `Trajectory` is one. */
export interface TrajectoryHead extends Omit<Trajectory, "conversations"> {
  readonly conversations: readonly ConversationHead[];
}

/** What a reward says about one trajectory. A failure to score is an error, never a zero. */
export interface Score {
  /** What the learner trains on. */
  readonly reward: number;
  /** Every part by name: `exactMatch`, `f1`, … */
  readonly components: Readonly<Record<string, number>>;
  /** One a conversation, where the reward speaks of steps. */
  readonly stepRewards?: readonly number[];
  /** The span that scored it, as W3C's traceparent, where somebody traces. */
  readonly traceparent?: string;
}

export interface ScoredTrajectory {
  readonly trajectory: Trajectory;
  readonly score: Score;
}

/** The scored episodes of one task, ready for training: failed ones have left it. */
export interface Group {
  readonly groupId: string;
  readonly taskId: string;
  /** Episodes dispatched; `members` may be fewer. */
  readonly groupSize: number;
  readonly members: readonly ScoredTrajectory[];
}

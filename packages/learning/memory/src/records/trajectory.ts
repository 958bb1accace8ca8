import type { StoreDiff } from "./memory-record.js";

export type ConversationKind = "memory" | "final" | "tool";
export type StopReason = "stop" | "length" | "abort";

/**
 * A sequence of numbers. Decoded payloads have typed arrays that are views of their bytes: read them, and never write
 * them.
 */
export type Column = ArrayLike<number> & Iterable<number>;

/** How tokens were sampled from the model's distribution, which a learner must know. */
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

/** Temperature 1 without truncation, which samples the model's own distribution. */
export const plainSampling: Sampling = Object.freeze({ temperature: 1, topP: 1, topK: 0, minP: 0 });

/** Returns whether truncation excluded some tokens. */
export function isTruncated({ topP, topK, minP }: Sampling): boolean {
  return topP < 1 || topK > 0 || minP > 0;
}

/** Returns whether tokens were sampled from the model's own distribution. */
export function isPlain(sampling: Sampling): boolean {
  return sampling.temperature === 1 && !isTruncated(sampling);
}

/** One prompt and what the model sampled after it, which becomes one training row. */
export interface Conversation {
  readonly kind: ConversationKind;
  /** Index within the trajectory, from 0. */
  readonly step: number;
  readonly promptTokenIds: Column;
  readonly sampledTokenIds: Column;
  /**
   * Log-probs in nats of the distribution before temperature and truncation, one per sampled token. NaN when the engine
   * reports only those after them, which are then in `sampledLogprobs`.
   */
  readonly rolloutLogprobs: Column;
  /**
   * Log-probs in nats of the distribution that was sampled from, after temperature and truncation, one per sampled
   * token. Absent when sampling is plain and equals the one before, or when the engine cannot report them.
   */
  readonly sampledLogprobs?: Column;
  /** How its tokens were sampled. */
  readonly sampling: Sampling;
  /** 1 where the token is trained on, one value per sampled token; absent: all of them. */
  readonly lossMask?: Column;
  readonly stopReason: StopReason;
  /** The oldest version that sampled a token of it. */
  readonly policyVersion: number;
  /**
   * Which version sampled which tokens, in order, when weights changed between its turns; absent when one version
   * sampled all.
   */
  readonly versionRuns?: readonly VersionRun[];
}

/** Adjacent tokens that the same version sampled. What a tool wrote between them belongs to the turn before it. */
export interface VersionRun {
  readonly policyVersion: number;
  readonly tokens: number;
}

/** The memory after one step, for people, traces and step rewards. */
export interface MemoryStep {
  readonly step: number;
  /** Half-open range of the document tokens that this step read. */
  readonly documentTokenStart: number;
  readonly documentTokenEnd: number;
  readonly memory: string;
  /** The head of the memory that this step has written, from 1; absent for a memory without heads. */
  readonly head?: number;
  /** Whether this step replaced the memory; absent without a write gate. */
  readonly written?: boolean;
  /** Whether this step ended the reading; absent without an exit gate. */
  readonly exit?: boolean;
  /** The text that was recalled for this step; empty when nothing was. */
  readonly recalled: string;
  /** What this step asked to be recalled for the next one. */
  readonly recallQuery?: string;
  /** What `recallQuery` found, which is shown to the next step, or to the final one. */
  readonly found?: string;
  /** The text that the step read, when a reward needs it. */
  readonly section?: string;
  /** What the model wrote, including markup, when a reward needs it. */
  readonly reply?: string;
}

/** What an agent did with one task: every conversation of one episode. */
export interface Trajectory {
  readonly trajectoryId: string;
  readonly groupId: string;
  readonly taskId: string;
  /** Index within the group, from 0 to groupSize − 1. */
  readonly episodeIndex: number;
  /** Name of the agent, such as "memagent". */
  readonly agent: string;
  readonly policyVersionMin: number;
  readonly policyVersionMax: number;
  /** Hash of the weights that sampled last. */
  readonly weightsHash: string;
  readonly conversations: readonly Conversation[];
  /** The answer as text, including its markup. */
  readonly answer: string;
  readonly memorySteps: readonly MemoryStep[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly actorId: string;
  /** Number of document tokens that were not read, by the agent's overflow rule. */
  readonly droppedDocumentTokens: number;
  /** How the memory store changed, when the agent has one. */
  readonly storeDiff?: StoreDiff;
  /** What the agent counted, by name: `num_turns`, `tool_call_counts.search_memory`, … */
  readonly counters?: Readonly<Record<string, number>>;
  /** The span that sampled it, as a W3C traceparent; absent when tracing is off. */
  readonly traceparent?: string;
}

/** A column that was not read, of which only the length is known. */
export interface ColumnLength {
  readonly length: number;
}

/** A conversation without its numbers. Every `Conversation` is one. */
export interface ConversationHead
  extends Omit<
    Conversation,
    "promptTokenIds" | "sampledTokenIds" | "rolloutLogprobs" | "sampledLogprobs" | "lossMask"
  > {
  readonly promptTokenIds: ColumnLength;
  readonly sampledTokenIds: ColumnLength;
}

/**
 * A trajectory without the numbers of its conversations, which is what most rewards read. Every `Trajectory` is one.
 */
export interface TrajectoryHead extends Omit<Trajectory, "conversations"> {
  readonly conversations: readonly ConversationHead[];
}

/** The score of one trajectory. A failure to score is an error, and never a zero. */
export interface Score {
  /** The number that the learner trains on. */
  readonly reward: number;
  /** The parts of the reward by name: `exactMatch`, `f1`, … */
  readonly components: Readonly<Record<string, number>>;
  /** One value per conversation, when the reward scores steps. */
  readonly stepRewards?: readonly number[];
  /** The span that scored it, as a W3C traceparent; absent when tracing is off. */
  readonly traceparent?: string;
}

export interface ScoredTrajectory {
  readonly trajectory: Trajectory;
  readonly score: Score;
}

/** The scored episodes of one task, ready for training. Failed episodes have left it. */
export interface Group {
  readonly groupId: string;
  readonly taskId: string;
  /** Number of episodes that were dispatched; `members` may be fewer. */
  readonly groupSize: number;
  readonly members: readonly ScoredTrajectory[];
}

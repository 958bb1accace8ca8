import type { Tokenizer } from "@palimpsest/agents";
import type { Conversation, MemoryStep, Score, Task, Trajectory } from "@palimpsest/trajectories";
import { toolCallsOf } from "./tool-calls.js";
import { type Trace, type TraceConversation, type TraceMemoryStep, traceVersion } from "./trace-schema.js";

/** The parts of every conversation that a trace contains. */
export type TraceDetail =
  /** The trace contains only what the model wrote. */
  | "replies"
  /** The trace also contains the prompts. */
  | "text"
  /** The trace also contains token ids and log-probs. */
  | "tokens";

/** The part of a trajectory that says what happened, or of an episode's result with its steps as `memorySteps`. */
export type TracedEpisode = Pick<
  Trajectory,
  | "answer"
  | "memorySteps"
  | "conversations"
  | "droppedDocumentTokens"
  | "policyVersionMin"
  | "policyVersionMax"
  | "weightsHash"
  | "startedAtMs"
  | "endedAtMs"
  | "storeDiff"
  | "counters"
>;

/** What a trace tells about its episode besides the episode itself. */
export interface TraceOptions
  extends Pick<
    Trace,
    | "origin"
    | "trajectoryId"
    | "agent"
    | "model"
    | "run"
    | "trainingStep"
    | "groupId"
    | "episodeIndex"
    | "discarded"
  > {
  readonly tokenizer: Tokenizer;
  /** Absent when the episode was not scored. */
  readonly score?: Score;
  /** Default "replies". */
  readonly detail?: TraceDetail;
  /** Whether steps show the text that they read. Default true; without it traces are much smaller. */
  readonly sections?: boolean;
  /** Returns the seconds from the request to the complete reply, when they were measured. */
  readonly secondsOf?: (step: number) => number | undefined;
  /** Returns what an update did with the conversation at a step. */
  readonly trainedOf?: (step: number) => TracedUpdate | undefined;
}

/**
 * What an update did with a conversation. The arrays have one value per token, those of the prompt first; they are
 * empty when nothing is known about single tokens.
 */
interface TracedUpdate {
  readonly advantage: number;
  /** NaN where a token is not trained on. */
  readonly ratios: Float32Array;
  readonly clipped: Uint8Array;
}

/** Converts one episode to a line of a trace file. */
export function traceEpisode(
  task: Pick<Task, "id" | "question" | "answers" | "document"> & Partial<Pick<Task, "metadata">>,
  episode: TracedEpisode,
  options: TraceOptions,
): Trace {
  const { tokenizer, score, detail = "replies", sections = true, secondsOf, trainedOf, ...given } = options;
  const { conversations, memorySteps, storeDiff, counters } = episode;
  const document = sections && task.document !== "" ? tokenizer.encode(task.document) : [];
  const toolCalls = toolCallsOf(conversations, (tokenIds) => tokenizer.decode(tokenIds));
  const stepReward = (index: number) => score?.stepRewards?.[index];
  return {
    version: traceVersion,
    ...given,
    task: {
      id: task.id,
      question: task.question,
      answers: [...task.answers],
      ...(task.metadata ? { metadata: { ...task.metadata } } : {}),
    },
    answer: episode.answer,
    ...(score ? { reward: { total: score.reward, components: { ...score.components } } } : {}),
    ...(document.length > 0 ? { documentTokens: document.length } : {}),
    droppedDocumentTokens: episode.droppedDocumentTokens,
    conversations: conversations.map((conversation, index) =>
      traceConversation(conversation, detail, tokenizer, {
        reward: stepReward(index),
        seconds: secondsOf?.(conversation.step),
        trained: trainedOf?.(conversation.step),
      }),
    ),
    memorySteps: memorySteps.map((step) => traceStep(step, document, tokenizer)),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(storeDiff ? { storeDiff: structuredClone(storeDiff) as NonNullable<Trace["storeDiff"]> } : {}),
    ...(counters ? { counters: { ...counters } } : {}),
    policyVersionMin: finite(episode.policyVersionMin),
    policyVersionMax: finite(episode.policyVersionMax),
    weightsHash: episode.weightsHash,
    startedAtMs: episode.startedAtMs,
    endedAtMs: episode.endedAtMs,
  };
}

/** Returns 0 for the infinite versions of an episode that failed before it sampled. */
const finite = (version: number) => (Number.isFinite(version) ? version : 0);

function traceConversation(
  conversation: Conversation,
  detail: TraceDetail,
  tokenizer: Tokenizer,
  { reward, seconds, trained }: ConversationFacts,
): TraceConversation {
  const { kind, step, promptTokenIds, sampledTokenIds, rolloutLogprobs, stopReason, policyVersion } =
    conversation;
  return {
    kind,
    step,
    promptTokens: promptTokenIds.length,
    // In a conversation with tools, the tools' words are among the sampled tokens and masked.
    sampledTokens: trainedTokens(conversation),
    stopReason,
    policyVersion,
    ...(detail === "replies" ? {} : { prompt: tokenizer.decode([...promptTokenIds]) }),
    sampled: tokenizer.decode([...sampledTokenIds]),
    ...(detail === "tokens"
      ? {
          promptTokenIds: [...promptTokenIds],
          sampledTokenIds: [...sampledTokenIds],
          rolloutLogprobs: Array.from(rolloutLogprobs, (logprob) =>
            Number.isFinite(logprob) ? logprob : null,
          ),
          ...(conversation.lossMask ? { lossMask: [...conversation.lossMask] } : {}),
          ...tokensOf(trained, promptTokenIds.length),
        }
      : {}),
    ...(trained ? { advantage: trained.advantage } : {}),
    ...(reward === undefined ? {} : { reward }),
    ...(seconds === undefined ? {} : { seconds }),
  };
}

interface ConversationFacts {
  readonly reward: number | undefined;
  readonly seconds: number | undefined;
  readonly trained: TracedUpdate | undefined;
}

/** Ratios are rounded to four decimal places, because people do not read more. */
const digits = 1e4;

function tokensOf(
  trained: TracedUpdate | undefined,
  promptTokens: number,
): Pick<TraceConversation, "ratios" | "clipped"> {
  if (trained === undefined || trained.ratios.length === 0) return {};
  const ratios = Array.from(trained.ratios.subarray(promptTokens), (ratio) =>
    Number.isFinite(ratio) ? Math.round(ratio * digits) / digits : null,
  );
  const clipped = ratios.flatMap((_, at) => (trained.clipped[promptTokens + at] === 1 ? [at] : []));
  return { ratios, clipped };
}

/** Returns the trace of a failed episode of which only the reason for its failure is left. */
export function lostTrace(
  facts: Pick<Trace, "trajectoryId" | "agent" | "run" | "trainingStep" | "groupId" | "failure"> & {
    readonly task: Pick<Task, "id" | "question" | "answers">;
  },
): Trace {
  const { task, ...given } = facts;
  return {
    version: traceVersion,
    origin: "train",
    ...given,
    task: { id: task.id, question: task.question, answers: [...task.answers] },
    answer: "",
    droppedDocumentTokens: 0,
    conversations: [],
    memorySteps: [],
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "",
    startedAtMs: 0,
    endedAtMs: 0,
  };
}

/** Returns the number of sampled tokens that are trained on: all of them when there is no mask. */
function trainedTokens({ lossMask, sampledTokenIds }: Conversation): number {
  let sum = lossMask === undefined ? sampledTokenIds.length : 0;
  for (const mask of lossMask ?? []) sum += mask;
  return sum;
}

function traceStep(step: MemoryStep, document: readonly number[], tokenizer: Tokenizer): TraceMemoryStep {
  const { documentTokenStart, documentTokenEnd, memory, head, written, exit, recalled, recallQuery, found } =
    step;
  const ids = document.slice(documentTokenStart, documentTokenEnd);
  const section = step.section ?? (ids.length > 0 ? tokenizer.decode(ids) : undefined);
  return {
    step: step.step,
    documentTokenStart,
    documentTokenEnd,
    ...(section === undefined ? {} : { section }),
    memory,
    ...(head === undefined ? {} : { head }),
    ...(written === undefined ? {} : { written }),
    ...(exit === undefined ? {} : { exit }),
    recalled,
    ...(recallQuery ? { recallQuery } : {}),
    ...(found ? { found } : {}),
  };
}

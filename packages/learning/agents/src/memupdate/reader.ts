import { MemoryStore, type SearchHit } from "@palimpsest/memory";
import type { Conversation, MemoryRecord } from "@palimpsest/memory/records";
import { z } from "zod";
import { checkArgument, refuseMisspelt, samplerPart, tokenizerPart } from "../agent-parts.js";
import { aroundUserTurn, type ChatFormat } from "../chat-format.js";
import type { RunOptions } from "../episode.js";
import { EpisodeLog, sampledFields } from "../episode-log.js";
import { AgentError } from "../error.js";
import { chosenFormat } from "../prompts/prompt-texts.js";
import { compileTemplate, specialId } from "../prompts/template.js";
import { replyContent } from "../reply-content.js";
import type { Sampler, Tokenizer } from "../sampler.js";
import type { MemUpdateConfig } from "./config.js";
import { memUpdateConfig } from "./presets.js";

/** The settings that a reader shares with the agent: its prompt, special tokens, limits and sampling. */
export type ReaderConfig = Pick<
  MemUpdateConfig,
  | "prompt"
  | "answerPrompt"
  | "answerTokens"
  | "enableThinking"
  | "specialTokens"
  | "stopTokens"
  | "thinkingEnd"
  | "temperature"
  | "topP"
>;

/** An answer from the store, and the records that it was given from. */
export interface StoreAnswer {
  /** The answer's text, without thinking and stop token. */
  readonly answer: string;
  /** The records that the reader was shown, the best first. */
  readonly hits: readonly SearchHit[];
  readonly conversation: Conversation;
}

const answerSchema = z.looseObject({
  sampler: samplerPart,
  tokenizer: tokenizerPart,
  store: z.instanceof(MemoryStore, { error: "must be a MemoryStore" }),
  question: z.string().min(1),
  topK: z.int().min(1),
});

/**
 * Answers a question in one conversation from the records that a search for the question finds. This measures what a
 * store is worth to a reader who sees nothing else. The reader need not be the model that wrote the store.
 * @param options.config default: the preset `memupdate`
 * @param options.topK how many records are shown at most
 * @throws {AgentError} BAD_CONFIG, BAD_SAMPLE, SAMPLE_ABORTED; MemoryError if the search fails
 */
export async function answerFromStore(
  options: {
    readonly sampler: Sampler;
    readonly tokenizer: Tokenizer;
    /** The model's own chat format; absent if it has none. */
    readonly chat?: ChatFormat;
    readonly config?: ReaderConfig;
    readonly store: MemoryStore;
    readonly question: string;
    readonly topK: number;
  } & Pick<RunOptions, "signal" | "seed" | "temperature" | "topP">,
): Promise<StoreAnswer> {
  checkArgument(answerSchema, options, "options of answerFromStore()");
  refuseMisspelt(answerSchema, options, "options of answerFromStore()");
  const { sampler, tokenizer, chat, config = memUpdateConfig(), store, question, topK, ...run } = options;
  const prompt = readerPrompt(tokenizer, config, chat);
  const log = new EpisodeLog(sampler, config, prompt.stopTokenIds, run);
  return await answerWith(log, tokenizer, prompt, { store, question, topK, config, signal: run.signal });
}

/** Like `answerFromStore`, but as a part of an episode, which is recorded in its log. */
export async function answerWith(
  log: EpisodeLog,
  tokenizer: Tokenizer,
  prompt: ReaderPrompt,
  options: {
    readonly store: MemoryStore;
    readonly question: string;
    readonly topK: number;
    readonly config: Pick<ReaderConfig, "answerTokens">;
    readonly signal: AbortSignal | undefined;
  },
): Promise<StoreAnswer> {
  const { store, question, topK, config, signal } = options;
  const hits = await store.search(question, { topK }, signal);
  const memories = hits.map(({ record }) => memoryLine(record)).join("\n");
  const promptTokenIds = prompt.render(memories, question);
  const sampled = await log.sample(promptTokenIds, config.answerTokens);
  const conversation: Conversation = {
    kind: "final",
    step: 0,
    promptTokenIds,
    ...sampledFields(sampled, log.sampling),
  };
  return { answer: tokenizer.decode(prompt.content(sampled.tokenIds)), hits, conversation };
}

/** A reader's prompt and stop tokens as token ids. */
export interface ReaderPrompt {
  readonly stopTokenIds: readonly number[];
  render(memories: string, question: string): number[];
  content(sampled: readonly number[]): readonly number[];
}

/** Encodes a reader's prompt. @throws {AgentError} BAD_CONFIG */
export function readerPrompt(
  tokenizer: Tokenizer,
  config: ReaderConfig,
  chat: ChatFormat | undefined,
): ReaderPrompt {
  const { answerPrompt, enableThinking } = config;
  const format = chosenFormat(config, tokenizer, chat);
  const around = format && aroundUserTurn(format, { enableThinking });
  const text = around === undefined ? answerPrompt : `${around.before}${answerPrompt}${around.after}`;
  const stopTokens = config.stopTokens.length > 0 ? config.stopTokens : (format?.stopTokens ?? []);
  if (stopTokens.length === 0) {
    throw new AgentError(
      "BAD_CONFIG",
      "stopTokens: a plain prompt needs at least one special token that ends a reply; add one of the model's special tokens",
    );
  }
  const stopTokenIds = stopTokens.map((stop) => specialId(tokenizer, "stopTokens", stop));
  const template = compileTemplate(tokenizer, "answerPrompt", text, {
    textSlots: ["memories", "question"],
    idSlots: [],
    plain: format === undefined,
    specialTokens: [...new Set([...config.specialTokens, ...(format?.specialTokens ?? [])])].filter(
      (special) => text.includes(special),
    ),
  });
  return {
    stopTokenIds,
    render: (memories, question) => template.bind({ memories, question }).render({}),
    content: replyContent(tokenizer, stopTokenIds, config.thinkingEnd, [text]),
  };
}

/** Returns a record as a reader sees it: its date, its speaker unless the text names them, and its text. */
function memoryLine({ content, dialogueTime, speaker }: MemoryRecord): string {
  const date = dialogueTime === undefined ? "" : `[${dialogueTime.replace("T", " ")}] `;
  const named = speaker === undefined || content.toLowerCase().includes(speaker.toLowerCase());
  return `- ${date}${named ? "" : `${speaker}: `}${content}`;
}

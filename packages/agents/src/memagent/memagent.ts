/**
 * MemAgent: reads a document chunk by chunk, each in a fresh conversation that overwrites the memory, and
 * answers from the last memory. Does not sample (Sampler), score, or place episodes in groups.
 *
 * M1. A conversation's prompt is template ids, question, memory and section, spliced; no sampled token is
 *     ever decoded and encoded again.
 * M2. Nothing but the memory passes from one conversation to the next.
 * M3. Every document token is read exactly once, or is counted as dropped by the overflow rule.
 * M4. The same seed, sampler and task give the same episode.
 * M5. A text cut by its token limit, and an empty update, are counted.
 * M6. After an abort no further call is made and the reason is thrown.
 */
import type { Conversation, ConversationKind, MemoryStep } from "@palimpsest/trajectories";
import type { ChatFormat } from "../chat-format.js";
import { type Chunk, chunkDocument } from "../chunks.js";
import { type Agent, type AgentTask, callSeed, type EpisodeResult, type RunOptions } from "../episode.js";
import { AgentError } from "../error.js";
import type { GenerateResult, Sampler, Tokenizer } from "../sampler.js";
import { compileTemplate, plainIds, specialId } from "../template.js";
import type { MemAgentConfig } from "./config.js";
import { memAgentConfig } from "./presets.js";
import { promptTexts } from "./prompt-texts.js";

/** The prompts and marks of one configuration as token ids. */
export interface MemAgentPrompts {
  readonly initialMemory: readonly number[];
  readonly stopTokenIds: readonly number[];
  bind(question: string): {
    memory(memory: readonly number[], section: readonly number[]): number[];
    final(memory: readonly number[]): number[];
  };
  /** Sampled ids without thinking and without the stop token at their end. */
  content(sampled: readonly number[]): readonly number[];
}

/**
 * @param chat the model's own chat format, for configurations whose prompt is "chat" or "auto"
 * @throws {AgentError} BAD_CONFIG
 */
export function memAgentPrompts(
  tokenizer: Tokenizer,
  config: MemAgentConfig,
  chat?: ChatFormat,
): MemAgentPrompts {
  const texts = promptTexts(config, tokenizer, chat);
  const { specialTokens } = texts;
  const memory = compileTemplate(tokenizer, "memoryPrompt", texts.memoryPrompt, {
    textSlots: ["question"],
    idSlots: ["memory", "section"],
    specialTokens,
  });
  const final = compileTemplate(tokenizer, "finalPrompt", texts.finalPrompt, {
    textSlots: ["question"],
    idSlots: ["memory"],
    specialTokens,
  });
  const stopTokenIds = texts.stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));
  const thinkingEnd = config.thinkingEnd === null ? [] : markIds(tokenizer, config.thinkingEnd);
  return {
    initialMemory: plainIds(tokenizer, config.initialMemory),
    stopTokenIds,
    bind(question) {
      const boundMemory = memory.bind({ question });
      const boundFinal = final.bind({ question });
      return {
        memory: (memoryIds, section) => boundMemory.render({ memory: memoryIds, section }),
        final: (memoryIds) => boundFinal.render({ memory: memoryIds }),
      };
    },
    content(sampled) {
      const last = sampled.at(-1);
      const text = last !== undefined && stopTokenIds.includes(last) ? sampled.slice(0, -1) : sampled;
      return text.slice(endOfLast(text, thinkingEnd));
    },
  };
}

/**
 * @param options.config a full configuration; default: preset `memagent`
 * @param options.now clock in milliseconds, for the times in the result
 * @throws {AgentError} BAD_CONFIG
 */
export function memAgent(options: {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config?: MemAgentConfig;
  /** The model's own chat format; absent: it has none. */
  readonly chat?: ChatFormat;
  readonly now?: () => number;
}): Agent {
  const { sampler, tokenizer, config = memAgentConfig(), now = Date.now } = options;
  const prompts = memAgentPrompts(tokenizer, config, options.chat);
  return {
    name: "memagent",
    run: (task, runOptions = {}) => runEpisode(sampler, tokenizer, config, prompts, now, task, runOptions),
  };
}

async function runEpisode(
  sampler: Sampler,
  tokenizer: Tokenizer,
  config: MemAgentConfig,
  prompts: MemAgentPrompts,
  now: () => number,
  task: AgentTask,
  options: RunOptions,
): Promise<EpisodeResult> {
  const { signal, onProgress, record = "all", seed = 0 } = options;
  signal?.throwIfAborted();
  const startedAtMs = now();
  const bound = prompts.bind(task.question);
  const document = await chunkDocument(task.document, tokenizer, config, signal);
  const conversations: Conversation[] = [];
  const steps: MemoryStep[] = [];
  const counts = { conversations: 0, promptTokens: 0, sampledTokens: 0, truncated: 0, emptyUpdates: 0 };
  let policyVersionMin = Number.POSITIVE_INFINITY;
  let policyVersionMax = Number.NEGATIVE_INFINITY;
  let weightsHash = "";
  let documentTokensRead = 0;

  const converse = async (kind: ConversationKind, promptTokenIds: number[], maxTokens: number) => {
    signal?.throwIfAborted();
    const step = counts.conversations;
    const sampled = await sampler.generate(
      {
        promptTokenIds,
        maxTokens,
        temperature: options.temperature ?? config.temperature,
        topP: options.topP ?? config.topP,
        stopTokenIds: prompts.stopTokenIds,
        seed: callSeed(seed, step),
      },
      signal,
    );
    signal?.throwIfAborted();
    checkSample(sampled, maxTokens);
    counts.conversations += 1;
    counts.promptTokens += promptTokenIds.length;
    counts.sampledTokens += sampled.tokenIds.length;
    if (sampled.stopReason === "length") counts.truncated += 1;
    policyVersionMin = Math.min(policyVersionMin, sampled.policyVersion);
    policyVersionMax = Math.max(policyVersionMax, sampled.policyVersion);
    weightsHash = sampled.weightsHash;
    const conversation: Conversation = {
      kind,
      step,
      promptTokenIds,
      sampledTokenIds: sampled.tokenIds,
      rolloutLogprobs: sampled.rolloutLogprobs,
      stopReason: sampled.stopReason,
      policyVersion: sampled.policyVersion,
    };
    if (record === "all") conversations.push(conversation);
    return conversation;
  };
  const report = (conversation: Conversation, memoryStep?: MemoryStep) =>
    onProgress?.({
      conversation,
      ...(memoryStep ? { memoryStep } : {}),
      conversationsDone: counts.conversations,
      ...(document.total === undefined ? {} : { conversationsTotal: document.total + 1 }),
      documentTokensRead,
    });
  const observed = record === "all" || onProgress !== undefined;

  let memory = prompts.initialMemory;
  for await (const chunk of document.chunks) {
    const conversation = await converse("memory", bound.memory(memory, chunk.tokenIds), config.memoryTokens);
    memory = prompts.content(conversation.sampledTokenIds);
    if (memory.length === 0) counts.emptyUpdates += 1;
    documentTokensRead += chunk.tokenIds.length;
    if (!observed) continue;
    const memoryStep = memoryStepOf(conversation.step, chunk, tokenizer.decode(memory));
    if (record === "all") steps.push(memoryStep);
    report(conversation, memoryStep);
  }
  const final = await converse("final", bound.final(memory), config.finalTokens);
  report(final);

  return {
    answer: tokenizer.decode(prompts.content(final.sampledTokenIds)),
    memory: tokenizer.decode(memory),
    steps,
    conversations,
    counts,
    documentTokens: documentTokensRead + document.droppedTokens,
    droppedDocumentTokens: document.droppedTokens,
    policyVersionMin,
    policyVersionMax,
    weightsHash,
    startedAtMs,
    endedAtMs: now(),
  };
}

const memoryStepOf = (step: number, chunk: Chunk, memory: string): MemoryStep => ({
  step,
  documentTokenStart: chunk.start,
  documentTokenEnd: chunk.end,
  memory,
  recalled: "",
});

function checkSample(sampled: GenerateResult, maxTokens: number): void {
  if (sampled.stopReason === "abort") {
    throw new AgentError(
      "SAMPLE_ABORTED",
      "sampler: ended a generation that nobody aborted; run the episode again",
    );
  }
  const { length } = sampled.tokenIds;
  if (length > maxTokens) {
    throw new AgentError(
      "BAD_SAMPLE",
      `sampler: gave ${length} tokens where maxTokens is ${maxTokens}; mend the sampler`,
    );
  }
  if (sampled.rolloutLogprobs.length !== length) {
    throw new AgentError(
      "BAD_SAMPLE",
      `sampler: gave ${sampled.rolloutLogprobs.length} rolloutLogprobs for ${length} tokens; it must give one a token`,
    );
  }
}

const markIds = (tokenizer: Tokenizer, text: string): readonly number[] => {
  const id = tokenizer.specialTokenId(text);
  return id === undefined ? tokenizer.encode(text) : [id];
};

/** Index after the last occurrence of `mark`, 0 where there is none. */
function endOfLast(tokenIds: readonly number[], mark: readonly number[]): number {
  if (mark.length === 0) return 0;
  for (let at = tokenIds.length - mark.length; at >= 0; at--) {
    if (mark.every((id, i) => tokenIds[at + i] === id)) return at + mark.length;
  }
  return 0;
}

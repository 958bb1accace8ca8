/**
 * Responsibility: MemAgent, which reads a document chunk by chunk, each in a new conversation that overwrites the
 * memory, and answers from the last memory.
 * Not responsible for: sampling (Sampler), scoring, placing episodes in groups.
 *
 * Invariants:
 * MEMAGENT-1. A conversation's prompt is spliced from the ids of template, question, memory and section. No sampled
 *     token is ever decoded and encoded again, except in a memory from which names of the examples are removed
 *     (LEAKS-1), and where a token crosses the end of a head's name. A quote is encoded from the section's text (QUOTES-1).
 * MEMAGENT-2. Nothing but the memory passes from one conversation to the next. A document of at most `wholeTokens` has one
 *     conversation, that of the answer, which reads it in place of a memory.
 * MEMAGENT-3. Every document token is read exactly once, is counted as dropped by the overflow rule, or lies behind an
 *     exit (GATES-3).
 * MEMAGENT-4. The same seed, sampler and task give the same episode.
 * MEMAGENT-5. Texts that are cut at their token limit, and empty updates, are counted. An empty update erases the
 *     memory, as in the original, unless the model is on a server: then the memory stays, and an empty answer is an error.
 * MEMAGENT-6. After an abort no further call is made and the reason is thrown.
 * MEMAGENT-7. A run that resumes from a state gives the answer that the run of that state would have given.
 */
import type { MemoryStep } from "@palimpsest/memory/records";
import { checkParts, checkRun } from "../agent-parts.js";
import type { ChatFormat } from "../chat-format.js";
import { chunkDocument, unreadChunks } from "../chunks.js";
import type { Agent, AgentTask, EpisodeResult, RunOptions } from "../episode.js";
import { EpisodeLog } from "../episode-log.js";
import { Gates } from "../gates.js";
import { type HeadLayout, headLayout, MemoryHeads } from "../memory-heads.js";
import { ExampleLeaks } from "../prompts/example-leaks.js";
import { promptTexts } from "../prompts/prompt-texts.js";
import { compileTemplate, plainIds, specialId } from "../prompts/template.js";
import { replyContent } from "../reply-content.js";
import type { Sampler, Tokenizer } from "../sampler.js";
import { idsWithin } from "../whole-characters.js";
import { type MemAgentConfig, memAgentConfigSchema } from "./config.js";
import { memAgentConfig } from "./presets.js";

/** The prompts and stop tokens of one configuration as token ids. */
export interface MemAgentPrompts {
  readonly initialMemory: readonly number[];
  readonly stopTokenIds: readonly number[];
  bind(question: string): {
    memory(memory: readonly number[], section: readonly number[]): number[];
    final(memory: readonly number[]): number[];
  };
  /** Returns the sampled ids without thinking and without the stop token at their end. */
  content(sampled: readonly number[]): readonly number[];
}

/**
 * Encodes the prompts of a configuration.
 * @param chat the model's own chat format, for configurations whose prompt is "chat" or "auto"
 * @throws {AgentError} BAD_CONFIG
 */
export function memAgentPrompts(
  tokenizer: Tokenizer,
  config: MemAgentConfig,
  chat?: ChatFormat,
): MemAgentPrompts {
  const texts = promptTexts(config, tokenizer, chat);
  const { specialTokens, plain } = texts;
  const memory = compileTemplate(tokenizer, "memoryPrompt", texts.memoryPrompt, {
    textSlots: ["question"],
    idSlots: ["memory", "section"],
    specialTokens,
    plain,
  });
  const final = compileTemplate(tokenizer, "finalPrompt", texts.finalPrompt, {
    textSlots: ["question"],
    idSlots: ["memory"],
    specialTokens,
    plain,
  });
  const stopTokenIds = texts.stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));
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
    content: replyContent(tokenizer, stopTokenIds, config.thinkingEnd, [
      texts.memoryPrompt,
      texts.finalPrompt,
    ]),
  };
}

/**
 * Creates a MemAgent.
 * @param options.config a complete configuration; default: the preset `memagent`
 * @param options.now clock in milliseconds, for the times in the result
 * @throws {AgentError} BAD_CONFIG
 */
export function memAgent(options: {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config?: MemAgentConfig;
  /** The model's own chat format; absent if it has none. */
  readonly chat?: ChatFormat;
  readonly now?: () => number;
}): Agent {
  checkParts(options, "memAgent()", memAgentConfigSchema);
  const { sampler, tokenizer, config = memAgentConfig(), now = Date.now } = options;
  const prompts = memAgentPrompts(tokenizer, config, options.chat);
  const layout = headLayout(tokenizer, config);
  return {
    name: "memagent",
    run: (task, runOptions = {}) =>
      runEpisode(sampler, tokenizer, config, prompts, layout, now, task, runOptions),
  };
}

async function runEpisode(
  sampler: Sampler,
  tokenizer: Tokenizer,
  config: MemAgentConfig,
  prompts: MemAgentPrompts,
  layout: HeadLayout,
  now: () => number,
  task: AgentTask,
  options: RunOptions,
): Promise<EpisodeResult> {
  checkRun("memagent", task, options);
  const { signal, resumeFrom } = options;
  signal?.throwIfAborted();
  const startedAtMs = now();
  const bound = prompts.bind(task.question);
  const whole = wholeText(tokenizer, config, task);
  const document = await chunkDocument(whole === undefined ? task.document : "", tokenizer, config, signal);
  const log = new EpisodeLog(sampler, config, prompts.stopTokenIds, options);
  const conversationsTotal = document.total === undefined ? {} : { conversationsTotal: document.total + 1 };
  const leaks = new ExampleLeaks(config, resumeFrom?.counters);

  const heads = new MemoryHeads(tokenizer, layout, prompts.initialMemory, resumeFrom);
  const gates = new Gates(tokenizer, config.gates, resumeFrom);
  const replyTokens = layout.headTokens + layout.nameTokens;
  // Absent if there is nothing to count.
  const counters = (savings = {}) => {
    const counts = { ...leaks.counts, ...heads.counts, ...gates.counts, ...savings };
    return Object.keys(counts).length > 0 ? { counters: counts } : {};
  };
  let documentTokensRead = resumeFrom?.documentTokensRead ?? 0;
  for await (const chunk of unreadChunks(document.chunks, "memagent", resumeFrom)) {
    const prompt = bound.memory(heads.forUpdate, chunk.tokenIds);
    const conversation = await log.converse("memory", prompt, replyTokens + gates.stopTokens);
    const gated = gates.read(prompts.content([...conversation.sampledTokenIds]), replyTokens);
    const source = { question: task.question, section: chunk.tokenIds };
    const update = gated.keeps ? undefined : heads.accept(gated.tokenIds, source);
    const isEmpty =
      update !== undefined &&
      (update.tokenIds.length === 0 || (sampler.served === true && isBlank(tokenizer, update.tokenIds)));
    if (isEmpty) log.countEmptyUpdate();
    // Null if the memory before stays.
    const stays = update === undefined || (isEmpty && (sampler.served === true || layout.quotes));
    let written = stays ? null : update.tokenIds;
    if (leaks.watches && written !== null) {
      const shown = [task.question, heads.text, tokenizer.decode(chunk.tokenIds)];
      const kept = leaks.kept(tokenizer.decode(written), shown);
      // If nothing of the reply remains, it has added nothing.
      if (kept !== undefined) written = kept === "" ? null : idsWithin(tokenizer, kept, layout.headTokens);
    }
    if (update !== undefined && written !== null)
      heads.write({ ...update, tokenIds: written }, conversation.step);
    documentTokensRead += chunk.tokenIds.length;
    if (log.observed) {
      const memoryStep: MemoryStep = {
        step: conversation.step,
        documentTokenStart: chunk.start,
        documentTokenEnd: chunk.end,
        memory: heads.text,
        recalled: "",
        ...(update === undefined ? {} : heads.recordOf(update)),
        ...gates.recordOf(gated),
        // A reward of gates looks for the evidence in it.
        ...(config.gates === undefined ? {} : { section: tokenizer.decode(chunk.tokenIds) }),
      };
      const state = {
        agent: "memagent",
        documentPosition: chunk.end,
        documentTokensRead,
        ...heads.state,
        ...(gated.stops ? { exited: true } : {}),
        ...counters(),
      };
      log.report(conversation, { memoryStep, documentTokensRead, state, ...conversationsTotal });
    }
    if (gated.stops) break;
  }
  const savings = gates.savings(log.counts, document.total, replyTokens);
  documentTokensRead += whole?.length ?? 0;
  const final = await log.converse("final", bound.final(whole ?? heads.tokenIds), config.finalTokens);
  log.report(final, { documentTokensRead, ...conversationsTotal });
  const answer = tokenizer.decode(prompts.content([...final.sampledTokenIds]));
  const lastMemory = whole === undefined ? heads.text : "";
  leaks.answer(answer, [task.question, whole === undefined ? lastMemory : tokenizer.decode([...whole])]);

  return log.answered({
    ...log.result(),
    answer,
    memory: lastMemory,
    ...counters(savings),
    documentTokens: documentTokensRead + document.droppedTokens,
    droppedDocumentTokens: document.droppedTokens,
    startedAtMs,
    endedAtMs: now(),
  });
}

/** Returns the ids of a document that is short enough to be read without a memory. */
function wholeText(
  tokenizer: Tokenizer,
  { wholeTokens = 0 }: MemAgentConfig,
  { document }: AgentTask,
): readonly number[] | undefined {
  // A token has a character or more of most texts, so a book is not encoded only to be found too long.
  if (wholeTokens === 0 || typeof document !== "string" || document.length > 16 * wholeTokens)
    return undefined;
  const ids = plainIds(tokenizer, document);
  return ids.length <= wholeTokens ? ids : undefined;
}

const isBlank = (tokenizer: Tokenizer, tokenIds: readonly number[]) =>
  tokenizer.decode(tokenIds).trim() === "";

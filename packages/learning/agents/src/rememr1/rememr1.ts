/**
 * Responsibility: ReMemR1, which reads a document chunk by chunk like MemAgent, and may ask for an earlier, overwritten
 * memory, which is shown beside the next chunk or the final question.
 * Not responsible for: sampling (Sampler), scoring, placing episodes in groups.
 *
 * Invariants:
 * REMEMR-1. A conversation's prompt is spliced from the ids of template, question, recalled memory, memory and section.
 * REMEMR-2. What passes from one conversation to the next is the memory, the history of memories, and a recalled
 *     memory, which only the very next conversation is shown.
 * REMEMR-3. A query is answered from the memories of this episode that were overwritten, of every head, in their
 *     order, never with a current one.
 * REMEMR-4. Every document token is read exactly once, is counted as dropped by the overflow rule, or lies behind an
 *     exit (GATES-3).
 * REMEMR-5. The same seed, sampler and task give the same episode, and so does resuming from one of its states.
 * REMEMR-6. Texts that are cut at their token limit, and replies without an update, are counted. Without an update the
 *     memory stays as it is; a model on a server that says nothing, or nothing but blanks, has given none.
 * REMEMR-7. After an abort no further call is made and the reason is thrown.
 */
import type { MemoryStep } from "@palimpsest/memory/records";
import { checkParts, checkRun } from "../agent-parts.js";
import type { ChatFormat } from "../chat-format.js";
import { type Chunk, chunkDocument, unreadChunks } from "../chunks.js";
import type { Agent, AgentTask, EarlierMemory, EpisodeResult, RunOptions } from "../episode.js";
import { EpisodeLog } from "../episode-log.js";
import { ExampleLeaks } from "../example-leaks.js";
import { type GatedReply, Gates } from "../gates.js";
import {
  type HeadLayout,
  type HeadSource,
  type HeadWrite,
  headLayout,
  MemoryHeads,
} from "../memory-heads.js";
import type { Sampler, Tokenizer } from "../sampler.js";
import { idsWithin } from "../whole-characters.js";
import { type ReMemR1Config, rememr1ConfigSchema } from "./config.js";
import { rememr1Config } from "./presets.js";
import { type ReMemR1Prompts, rememr1Prompts } from "./prompts.js";
import { type ReadReply, readReply } from "./reply.js";
import { retrieveMemory, tokenTerms } from "./retriever.js";

/**
 * Creates a ReMemR1 agent.
 * @param options.config a complete configuration; default: the preset `rememr1`
 * @param options.now clock in milliseconds, for the times in the result
 * @throws {AgentError} BAD_CONFIG
 */
export function rememr1(options: {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config?: ReMemR1Config;
  /** The model's own chat format; absent if it has none. */
  readonly chat?: ChatFormat;
  readonly now?: () => number;
}): Agent {
  checkParts(options, "rememr1()", rememr1ConfigSchema);
  const { sampler, tokenizer, config = rememr1Config(), now = Date.now, chat } = options;
  const prompts = rememr1Prompts(tokenizer, config, chat);
  const layout = headLayout(tokenizer, config);
  return {
    name: "rememr1",
    async run(task, runOptions = {}) {
      checkRun("rememr1", task, runOptions);
      return await new Episode({ sampler, tokenizer, config, prompts, layout, now }, runOptions).run(task);
    },
  };
}

interface Setting {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config: ReMemR1Config;
  readonly prompts: ReMemR1Prompts;
  readonly layout: HeadLayout;
  readonly now: () => number;
}

interface Memory {
  readonly text: string;
  readonly tokenIds: readonly number[];
}

/** A new memory of a head. */
interface Update extends HeadWrite {
  readonly text: string;
}

class Episode {
  readonly #setting: Setting;
  readonly #options: RunOptions;
  readonly #log: EpisodeLog;
  readonly #terms: (text: string) => readonly string[];
  readonly #history: EarlierMemory[];
  readonly #counters: Record<string, number>;
  readonly #leaks: ExampleLeaks;
  readonly #heads: MemoryHeads;
  readonly #gates: Gates;
  /** The recalled memory that the next conversation is shown; null if there is none. */
  #recalled: Memory | null;

  constructor(setting: Setting, options: RunOptions) {
    const { sampler, tokenizer, config, prompts, layout } = setting;
    const from = options.resumeFrom;
    const remembered = (tokenIds: readonly number[]) => ({ text: tokenizer.decode(tokenIds), tokenIds });
    this.#setting = setting;
    this.#options = options;
    this.#log = new EpisodeLog(sampler, config, prompts.stopTokenIds, options);
    this.#terms = tokenTerms(tokenizer);
    this.#history = [...(from?.history ?? [])];
    this.#leaks = new ExampleLeaks(config, from?.counters);
    this.#counters = { recall_queries: 0, recalled_memories: 0, missing_updates: 0, ...from?.counters };
    this.#heads = new MemoryHeads(tokenizer, layout, prompts.initialMemory, from);
    this.#gates = new Gates(tokenizer, config.gates, from);
    this.#recalled = from?.recalledTokenIds ? remembered(from.recalledTokenIds) : null;
  }

  async run(task: AgentTask): Promise<EpisodeResult> {
    const { tokenizer, config, prompts, now } = this.#setting;
    const { signal, resumeFrom } = this.#options;
    signal?.throwIfAborted();
    const log = this.#log;
    const startedAtMs = now();
    const bound = prompts.bind(task.question);
    const document = await chunkDocument(task.document, tokenizer, config, signal);
    const conversationsTotal = document.total === undefined ? {} : { conversationsTotal: document.total + 1 };

    let documentTokensRead = resumeFrom?.documentTokensRead ?? 0;
    for await (const chunk of unreadChunks(document.chunks, "rememr1", resumeFrom)) {
      const prompt = bound.memory(this.#shown(), this.#heads.forUpdate, chunk.tokenIds);
      const conversation = await log.converse("memory", prompt, config.memoryTokens + this.#gates.stopTokens);
      documentTokensRead += chunk.tokenIds.length;
      const recalled = this.#recalled?.text ?? "";
      const content = prompts.content([...conversation.sampledTokenIds]);
      const gated = this.#gates.read(content, config.memoryTokens);
      const reply = readReply(tokenizer, config, gated, this.#setting.sampler.served === true);
      const source = { question: task.question, section: chunk.tokenIds };
      const update = reply.memory && this.#accept(reply.memory, source);
      const shown = () => [task.question, this.#heads.text, recalled, tokenizer.decode(chunk.tokenIds)];
      if (reply.memory === null && !gated.keeps) this.#countMissing();
      this.#take(conversation.step, reply, update && this.#withoutLeaks(update, shown));
      if (log.observed) {
        const memoryStep = this.#stepOf(conversation.step, chunk, recalled, reply, update);
        log.report(conversation, {
          memoryStep: { ...memoryStep, ...this.#gates.recordOf(gated) },
          documentTokensRead,
          state: this.#state(chunk.end, documentTokensRead, gated),
          ...conversationsTotal,
        });
      }
      if (gated.stops) break;
    }
    const savings = this.#gates.savings(log.counts, document.total, config.memoryTokens);
    const finalPrompt = bound.final(this.#shown(), this.#heads.tokenIds);
    const final = await log.converse("final", finalPrompt, config.finalTokens);
    log.report(final, { documentTokensRead, ...conversationsTotal });
    const answer = tokenizer.decode(prompts.content([...final.sampledTokenIds]));
    this.#leaks.answer(answer, [task.question, this.#heads.text, this.#recalled?.text ?? ""]);

    return log.answered({
      ...log.result(),
      answer,
      memory: this.#heads.text,
      documentTokens: documentTokensRead + document.droppedTokens,
      droppedDocumentTokens: document.droppedTokens,
      counters: { ...this.#counted, ...savings },
      startedAtMs,
      endedAtMs: now(),
    });
  }

  #shown(): readonly number[] {
    return this.#recalled?.tokenIds ?? this.#setting.prompts.nothingRecalled;
  }

  /** Returns which head an update is for, and what of it fits there. */
  #accept(memory: Memory, source: HeadSource): Update {
    const write = this.#heads.accept(memory.tokenIds, source);
    const whole = write.tokenIds === memory.tokenIds;
    return { ...write, text: whole ? memory.text : this.#setting.tokenizer.decode(write.tokenIds) };
  }

  /** Removes leaked names from a memory; null if nothing of it remains, so that the memory before stays. */
  #withoutLeaks(update: Update, shown: () => readonly string[]): Update | null {
    if (!this.#leaks.watches) return update;
    const kept = this.#leaks.kept(update.text, shown());
    if (kept === undefined) return update;
    if (kept === "") return null;
    const { tokenizer, layout } = this.#setting;
    const tokenIds = idsWithin(tokenizer, kept, layout.headTokens);
    return { ...update, text: tokenizer.decode(tokenIds), tokenIds };
  }

  /** Replaces the memory by the reply's, and searches the history for the reply's query. */
  #take(step: number, reply: ReadReply, memory: Update | null): void {
    const { query } = reply;
    if (memory !== null) this.#heads.write(memory, step, memory.text);
    const find = () => {
      this.#recalled = query === null ? null : this.#find(query);
    };
    const isBefore = this.#setting.config.recallOrder === "before";
    if (isBefore) find();
    // A memory that stays is already in the history, or it is the initial memory, which contains nothing.
    if (memory !== null && !this.#history.some(({ text }) => text === memory.text))
      this.#history.push({ step, text: memory.text, tokenIds: memory.tokenIds });
    if (!isBefore) find();
  }

  #find(query: string): Memory | null {
    const { recall, recallOrder, similarityFloor, memoryOf } = this.#setting.config;
    this.#count("recall_queries");
    if (!recall) return null;
    const present = this.#heads.texts;
    // The original's code searches all memories from before this reply, even if one equals the reply.
    const earlier =
      memoryOf === "reply" || recallOrder === "after"
        ? this.#history
        : this.#history.filter(({ text }) => !present.includes(text));
    const texts = earlier.map(({ text }) => text);
    const { index } = retrieveMemory(texts, query, { tokens: this.#terms, floor: similarityFloor });
    if (index === null) return null;
    this.#count("recalled_memories");
    return earlier[index] as EarlierMemory;
  }

  #countMissing(): void {
    this.#log.countEmptyUpdate();
    this.#count("missing_updates");
  }

  get #counted() {
    return { ...this.#counters, ...this.#heads.counts, ...this.#leaks.counts, ...this.#gates.counts };
  }

  #count(name: string): void {
    this.#counters[name] = (this.#counters[name] ?? 0) + 1;
  }

  #stepOf(
    step: number,
    chunk: Chunk,
    recalled: string,
    { text, query }: ReadReply,
    update: Update | null,
  ): MemoryStep {
    return {
      step,
      documentTokenStart: chunk.start,
      documentTokenEnd: chunk.end,
      memory: this.#heads.text,
      ...(update === null ? {} : this.#heads.recordOf(update)),
      recalled,
      ...(query === null ? {} : { recallQuery: query }),
      ...(this.#recalled === null ? {} : { found: this.#recalled.text }),
      section: this.#setting.tokenizer.decode(chunk.tokenIds),
      reply: text,
    };
  }

  #state(documentPosition: number, documentTokensRead: number, { stops }: GatedReply) {
    return {
      agent: "rememr1",
      documentPosition,
      documentTokensRead,
      ...this.#heads.state,
      ...(this.#recalled === null ? {} : { recalledTokenIds: this.#recalled.tokenIds }),
      history: [...this.#history],
      ...(stops ? { exited: true } : {}),
      counters: this.#counted,
    };
  }
}

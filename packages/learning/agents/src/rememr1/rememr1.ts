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
 *     order, never with a current one; with `lookBack` from the sections that were read (RECALL-1).
 * REMEMR-4. Every document token is read exactly once, is counted as dropped by the overflow rule, or lies behind an
 *     exit (GATES-3).
 * REMEMR-5. The same seed, sampler and task give the same episode, and so does resuming from one of its states.
 * REMEMR-6. Texts that are cut at their token limit, and replies without an update, are counted. Without an update the
 *     memory stays as it is; a model on a server that says nothing, or nothing but blanks, has given none.
 * REMEMR-7. After an abort no further call is made and the reason is thrown.
 */
import type { Conversation, MemoryStep } from "@palimpsest/memory/records";
import { checkParts, checkRun } from "../agent-parts.js";
import type { ChatFormat } from "../chat-format.js";
import { type Chunk, chunkDocument, unreadChunks } from "../chunks.js";
import type { Agent, AgentTask, EpisodeResult, RunOptions, SampleCounts } from "../episode.js";
import { EpisodeLog } from "../episode-log.js";
import { type GatedReply, Gates } from "../gates.js";
import {
  type HeadLayout,
  type HeadSource,
  type HeadWrite,
  headLayout,
  MemoryHeads,
} from "../memory-heads.js";
import { ExampleLeaks } from "../prompts/example-leaks.js";
import type { Sampler, Tokenizer } from "../sampler.js";
import { idsWithin } from "../whole-characters.js";
import { type ReMemR1Config, rememr1ConfigSchema } from "./config.js";
import { rememr1Config } from "./presets.js";
import { type ReMemR1Prompts, rememr1Prompts } from "./prompts.js";
import { type Memory, type RecallSource, recallSource } from "./recall-source.js";
import { type ReadReply, readReply } from "./reply.js";

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

/** A new memory of a head. */
interface Update extends HeadWrite {
  readonly text: string;
}

class Episode {
  readonly #setting: Setting;
  readonly #options: RunOptions;
  readonly #log: EpisodeLog;
  readonly #source: RecallSource;
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
    this.#source = recallSource(tokenizer, config, from);
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
    const skipped = (chunk: Chunk) => this.#source.read(chunk);
    for await (const chunk of unreadChunks(document.chunks, "rememr1", resumeFrom, skipped)) {
      this.#source.read(chunk);
      documentTokensRead += chunk.tokenIds.length;
      const { conversation, memoryStep, gated } = await this.#read(bound, task.question, chunk);
      if (log.observed)
        log.report(conversation, {
          memoryStep: memoryStep(),
          documentTokensRead,
          state: this.#state(chunk.end, documentTokensRead, gated),
          ...conversationsTotal,
        });
      if (gated.stops) break;
    }
    // Answers are no part of what is read and written.
    const answers = { conversations: 0, sampledTokens: 0 };
    const ask = async () => {
      const prompt = bound.final(this.#shown(), this.#heads.tokenIds);
      const conversation = await log.converse("final", prompt, config.finalTokens);
      log.report(conversation, { documentTokensRead, ...conversationsTotal });
      answers.conversations += 1;
      answers.sampledTokens += conversation.sampledTokenIds.length;
      return conversation;
    };
    let final = await ask();
    for (let left = config.lookBack?.rereads ?? 0; left > 0; left--) {
      const { query } = this.#replyOf(final, config.finalTokens);
      if (query === null) break;
      if (config.lookBack?.reread === "passages") {
        this.#recalled = this.#find(query);
        if (this.#recalled === null) break;
      } else {
        const section = this.#source.section(query);
        if (section === null) break;
        const reading = await this.#read(prompts.bind(query), query, section);
        if (log.observed)
          log.report(reading.conversation, { memoryStep: reading.memoryStep(), documentTokensRead });
      }
      this.#count("rereads");
      final = await ask();
    }
    const savings = this.#savings(document.total, answers);
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

  /** Reads one section for a question, and takes what the reply says. */
  async #read(bound: ReturnType<ReMemR1Prompts["bind"]>, question: string, chunk: Chunk) {
    const { tokenizer, config } = this.#setting;
    const prompt = bound.memory(this.#shown(), this.#heads.forUpdate, chunk.tokenIds);
    const { replyTokens = config.memoryTokens } = config;
    const conversation = await this.#log.converse("memory", prompt, replyTokens + this.#gates.stopTokens);
    const recalled = this.#recalled?.text ?? "";
    const { gated, ...reply } = this.#replyOf(conversation, replyTokens);
    // What was looked up may be quoted as what was read now: else nothing that a recall finds could reach the memory.
    const looked = this.#recalled ? [...tokenizer.encode("\n"), ...this.#recalled.tokenIds] : [];
    const section = [...chunk.tokenIds, ...looked];
    const update = reply.memory && this.#accept(reply.memory, { question, section });
    const shown = () => [question, this.#heads.text, recalled, tokenizer.decode(chunk.tokenIds)];
    if (reply.memory === null && !gated.keeps) this.#countMissing();
    this.#take(conversation.step, reply, update && this.#withoutLeaks(update, shown));
    const memoryStep = () => ({
      ...this.#stepOf(conversation.step, chunk, recalled, reply, update),
      ...this.#gates.recordOf(gated),
    });
    return { conversation, memoryStep, gated };
  }

  #replyOf(
    { sampledTokenIds }: Conversation,
    mostTokens: number,
  ): ReadReply & { readonly gated: GatedReply } {
    const { tokenizer, config, prompts, sampler } = this.#setting;
    const gated = this.#gates.read(prompts.content([...sampledTokenIds]), mostTokens);
    return { ...readReply(tokenizer, config, gated, sampler.served === true), gated };
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

  /** Replaces the memory by the reply's, and searches for the reply's query. */
  #take(step: number, reply: ReadReply, memory: Update | null): void {
    const { query } = reply;
    if (memory !== null) this.#heads.write(memory, step, memory.text);
    const find = () => {
      this.#recalled = query === null ? null : this.#find(query);
    };
    const isBefore = this.#setting.config.recallOrder === "before";
    if (isBefore) find();
    if (memory !== null) this.#source.wrote({ step, text: memory.text, tokenIds: memory.tokenIds });
    if (!isBefore) find();
  }

  #find(query: string): Memory | null {
    this.#count("recall_queries");
    const found = this.#setting.config.recall ? this.#source.find(query, this.#heads.texts) : null;
    if (found !== null) this.#count("recalled_memories");
    return found;
  }

  /** Returns which shares of the document, of replies and of recalls were saved, where they can be and its length is known. */
  #savings(
    sections: number | undefined,
    answers: Pick<SampleCounts, "conversations" | "sampledTokens">,
  ): Readonly<Record<string, number>> {
    const { memoryTokens, replyTokens = memoryTokens } = this.#setting.config;
    const { conversations, sampledTokens } = this.#log.counts;
    const read = {
      conversations: conversations - answers.conversations,
      sampledTokens: sampledTokens - answers.sampledTokens,
    };
    const { recalled_tokens: recalled } = this.#source.counts;
    const share =
      recalled === undefined || !sections
        ? {}
        : { unrecalled_share: Math.max(0, 1 - recalled / (sections * memoryTokens)) };
    return { ...this.#gates.savings(read, sections, replyTokens), ...share };
  }

  #countMissing(): void {
    this.#log.countEmptyUpdate();
    this.#count("missing_updates");
  }

  get #counted() {
    return {
      ...this.#counters,
      ...this.#heads.counts,
      ...this.#leaks.counts,
      ...this.#gates.counts,
      ...this.#source.counts,
    };
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
      ...this.#source.state,
      ...(stops ? { exited: true } : {}),
      counters: this.#counted,
    };
  }
}

/**
 * Responsibility: the parallel reader, which reads all sections of a document at once beside one shared memory, merges
 * their notes into the next memory, and answers after the last pass.
 * Not responsible for: sampling (Sampler), scoring, placing episodes in groups.
 *
 * Invariants:
 * PARALLEL-1. In a pass every section is read once, beside the same memory. Nothing but the memory passes from one pass to the
 *     next.
 * PARALLEL-2. Notes stand in a memory, and in a merge, in the order of their sections, whichever was sampled first. The
 *     same seed, sampler and task give the same episode.
 * PARALLEL-3. A memory has at most `memoryTokens` tokens. Notes that fit are joined without a call; others are merged in
 *     groups, and groups of groups, so that no merge reads more than `mergeTokens` tokens or two notes.
 * PARALLEL-4. A pass without a new note is the last, and the memory stays as it was.
 * PARALLEL-5. After an abort no further call is made and the reason is thrown.
 */
import type { Conversation } from "@palimpsest/memory/records";
import { inLanes } from "@palimpsest/std";
import { checkParts, checkRun } from "../agent-parts.js";
import type { ChatFormat } from "../chat-format.js";
import { type Chunk, chunkDocument } from "../chunks.js";
import type { Agent, AgentTask, EpisodeResult, RunOptions } from "../episode.js";
import { EpisodeLog } from "../episode-log.js";
import { AgentError } from "../error.js";
import { promptTexts } from "../prompts/prompt-texts.js";
import { compileTemplate, plainIds, specialId } from "../prompts/template.js";
import { type ReplyContent, replyContent } from "../reply-content.js";
import type { Sampler, Tokenizer } from "../sampler.js";
import { characterEnd } from "../whole-characters.js";
import { type ParallelConfig, parallelConfigSchema } from "./config.js";
import { parallelConfig } from "./presets.js";
import { saysOnly } from "./says-only.js";

type Ids = readonly number[];

interface Prompts {
  readonly initialMemory: Ids;
  readonly stopTokenIds: Ids;
  readonly newline: Ids;
  bind(question: string): {
    note(memory: Ids, section: Ids): number[];
    merge(notes: Ids): number[];
    final(memory: Ids): number[];
  };
  readonly content: ReplyContent;
}

function promptsOf(tokenizer: Tokenizer, config: ParallelConfig, chat: ChatFormat | undefined): Prompts {
  const texts = promptTexts(config, tokenizer, chat);
  // A merge has no examples: they would show notes of other questions.
  const merging = promptTexts(
    { ...config, memoryPrompt: config.mergePrompt, memoryExamples: [] },
    tokenizer,
    chat,
  );
  const compile = (name: string, text: string, idSlots: string[]) =>
    compileTemplate(tokenizer, name, text, {
      textSlots: ["question"],
      idSlots,
      specialTokens: [...new Set([...texts.specialTokens, ...merging.specialTokens])],
      plain: texts.plain,
    });
  const note = compile("memoryPrompt", texts.memoryPrompt, ["memory", "section"]);
  const merge = compile("mergePrompt", merging.memoryPrompt, ["notes"]);
  const final = compile("finalPrompt", texts.finalPrompt, ["memory"]);
  const stopTokenIds = texts.stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));
  return {
    initialMemory: plainIds(tokenizer, config.initialMemory),
    stopTokenIds,
    newline: plainIds(tokenizer, "\n"),
    bind(question) {
      const bound = {
        note: note.bind({ question }),
        merge: merge.bind({ question }),
        final: final.bind({ question }),
      };
      return {
        note: (memory, section) => bound.note.render({ memory, section }),
        merge: (notes) => bound.merge.render({ notes }),
        final: (memory) => bound.final.render({ memory }),
      };
    },
    content: replyContent(tokenizer, stopTokenIds, config.thinkingEnd, [
      texts.memoryPrompt,
      merging.memoryPrompt,
      texts.finalPrompt,
    ]),
  };
}

/**
 * Creates a parallel reader.
 * @param options.config a complete configuration; default: the preset `parallel`
 * @param options.now clock in milliseconds, for the times in the result
 * @throws {AgentError} BAD_CONFIG
 */
export function parallelReader(options: {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config?: ParallelConfig;
  /** The model's own chat format; absent if it has none. */
  readonly chat?: ChatFormat;
  readonly now?: () => number;
}): Agent {
  checkParts(options, "parallelReader()", parallelConfigSchema);
  const { sampler, tokenizer, config = parallelConfig(), now = Date.now } = options;
  const prompts = promptsOf(tokenizer, config, options.chat);
  return {
    name: "parallel",
    run: async (task, runOptions = {}) => {
      checkRun("parallel", task, runOptions);
      if (runOptions.resumeFrom !== undefined)
        throw new AgentError(
          "BAD_STATE",
          "resumeFrom: a parallel reader has no state between sections; run the episode from its start",
        );
      return await new Episode({ sampler, tokenizer, config, prompts, task, options: runOptions }).run(now);
    },
  };
}

interface EpisodeParts {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config: ParallelConfig;
  readonly prompts: Prompts;
  readonly task: AgentTask;
  readonly options: RunOptions;
}

/** One run of the reader. */
class Episode {
  readonly #parts: EpisodeParts;
  readonly #log: EpisodeLog;
  readonly #bound: ReturnType<Prompts["bind"]>;
  #documentTokensRead = 0;

  constructor(parts: EpisodeParts) {
    const { sampler, config, prompts, task, options } = parts;
    this.#parts = parts;
    this.#log = new EpisodeLog(sampler, config, prompts.stopTokenIds, options);
    this.#bound = prompts.bind(task.question);
  }

  async run(now: () => number): Promise<EpisodeResult> {
    const { config, tokenizer, prompts, task, options } = this.#parts;
    options.signal?.throwIfAborted();
    const startedAtMs = now();
    const document = await chunkDocument(task.document, tokenizer, config, options.signal);
    const chunks: Chunk[] = [];
    for await (const chunk of document.chunks) chunks.push(chunk);
    let memory = prompts.initialMemory;
    let isEmpty = true;
    let passes = 0;
    let notesTaken = 0;
    while (passes < config.passes) {
      const notes = (await this.#read(chunks, memory)).filter((note) => note.length > 0);
      passes += 1;
      notesTaken += notes.length;
      if (notes.length === 0) break;
      memory = await this.#merged(isEmpty ? notes : [memory, ...notes]);
      isEmpty = false;
    }
    const final = await this.#log.converse("final", this.#bound.final(memory), config.finalTokens);
    this.#log.report(final, { documentTokensRead: this.#documentTokensRead });
    const tokens = chunks.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
    return this.#log.answered({
      ...this.#log.result(),
      answer: tokenizer.decode(prompts.content([...final.sampledTokenIds])),
      memory: tokenizer.decode(memory),
      counters: {
        passes,
        notes: notesTaken,
        // What a reward may pay for: the share of the passes that were not needed.
        unused_passes: (config.passes - passes) / config.passes,
      },
      documentTokens: tokens + document.droppedTokens,
      droppedDocumentTokens: document.droppedTokens,
      startedAtMs,
      endedAtMs: now(),
    });
  }

  /** Reads all sections beside one memory, and returns their notes in order; an empty one where nothing is new. */
  async #read(chunks: readonly Chunk[], memory: Ids): Promise<Ids[]> {
    const { config, tokenizer } = this.#parts;
    const prompts = chunks.map(({ tokenIds }) => this.#bound.note(memory, tokenIds));
    const conversations = await this.#converseAll(prompts, config.noteTokens);
    return conversations.map((conversation, at) => {
      const { start = 0, end = 0 } = chunks[at] ?? {};
      const note = this.#contentOf(conversation, config.noteTokens);
      const text = tokenizer.decode(note).trim();
      const isNew = text !== "" && !saysOnly(text, config.nothing);
      if (text === "") this.#log.countEmptyUpdate();
      // Another pass reads nothing that was not read.
      this.#documentTokensRead = Math.max(this.#documentTokensRead, end);
      this.#log.report(conversation, {
        documentTokensRead: this.#documentTokensRead,
        memoryStep: {
          step: conversation.step,
          documentTokenStart: start,
          documentTokenEnd: end,
          memory: isNew ? text : "",
          recalled: "",
        },
      });
      return isNew ? note : [];
    });
  }

  /** Joins notes to one memory, by the model where they are too long (PARALLEL-3). */
  async #merged(notes: readonly Ids[]): Promise<Ids> {
    const { config, tokenizer } = this.#parts;
    const joined = this.#joined(notes);
    if (joined.length <= config.memoryTokens) return joined;
    if (notes.length === 1) return joined.slice(0, characterEnd(tokenizer, joined, config.memoryTokens));
    const groups = groupsWithin(notes, config.mergeTokens, this.#parts.prompts.newline.length);
    const conversations = await this.#converseAll(
      groups.map((group) => this.#bound.merge(this.#joined(group))),
      config.memoryTokens,
    );
    const merged = conversations.map((conversation, at) => {
      this.#log.report(conversation, { documentTokensRead: this.#documentTokensRead });
      const content = this.#contentOf(conversation, config.memoryTokens);
      if (tokenizer.decode(content).trim() !== "") return content;
      // A merge that wrote nothing keeps what fits of its notes.
      this.#log.countEmptyUpdate();
      const whole = this.#joined(groups[at] ?? []);
      return whole.slice(0, characterEnd(tokenizer, whole, config.memoryTokens));
    });
    return await this.#merged(merged);
  }

  /** Samples replies at once, and keeps their conversations in the order of the prompts. */
  async #converseAll(prompts: readonly number[][], maxTokens: number): Promise<Conversation[]> {
    const { config, options } = this.#parts;
    const sampled: Conversation[] = [];
    await inLanes(
      prompts.entries(),
      { lanes: config.concurrency, signal: options.signal },
      async ([at, prompt]) => {
        sampled[at] = await this.#log.converse("memory", prompt, maxTokens);
      },
    );
    this.#log.conversations.sort((a, b) => a.step - b.step);
    return sampled;
  }

  #contentOf({ sampledTokenIds }: Conversation, most: number): Ids {
    return this.#parts.prompts.content([...sampledTokenIds]).slice(0, most);
  }

  #joined(notes: readonly Ids[]): number[] {
    const { newline } = this.#parts.prompts;
    return notes.flatMap((note, at) => (at === 0 ? [...note] : [...newline, ...note]));
  }
}

/** Groups neighbors so that each group has at most `most` tokens, and at least two notes but for a last one. */
function groupsWithin(notes: readonly Ids[], most: number, separator: number): Ids[][] {
  const groups: Ids[][] = [];
  let tokens = 0;
  for (const note of notes) {
    const group = groups.at(-1);
    const added = note.length + separator;
    if (group !== undefined && (group.length < 2 || tokens + added <= most)) {
      group.push(note);
      tokens += added;
    } else {
      groups.push([note]);
      tokens = added;
    }
  }
  return groups;
}

/**
 * Responsibility: MemUpdate, which searches and changes a store of memories by calling tools, turn after turn, in one
 * growing conversation.
 * Not responsible for: sampling (Sampler), keeping stores (@palimpsest/memory), scoring, placing episodes in groups.
 *
 * Invariants:
 * MEMUPDATE-1. The conversation is one sequence of token ids: its prompt, then sampled turns and tool results
 *     alternately. Nothing that was sampled is ever encoded again.
 * MEMUPDATE-2. Sampled tokens have loss mask 1; every other token after the prompt has loss mask 0 and log-prob 0.
 * MEMUPDATE-3. The prompt says nothing about the content of the store, which the model reads through tools alone.
 * MEMUPDATE-4. Each episode changes a namespace of its own; episodes with equal initial records share their base.
 * MEMUPDATE-5. The same seed, sampler and task give the same conversation and the same store.
 * MEMUPDATE-6. Every call is answered, including malformed ones unless the configuration says to ignore them.
 * MEMUPDATE-7. After an abort nothing further is called and the reason is thrown.
 */
import {
  createEmbedder,
  type Embedder,
  MemoryStore,
  type MemoryToolContext,
  memoryTools,
  StoreBases,
  type ToolSet,
} from "@palimpsest/memory";
import type { Conversation, MemoryStep, StoreDiff } from "@palimpsest/memory/records";
import { createRandom } from "@palimpsest/std/random";
import { checkParts, checkRun } from "../agent-parts.js";
import type { ChatFormat } from "../chat-format.js";
import { type Agent, type AgentTask, callSeed, type EpisodeResult, type RunOptions } from "../episode.js";
import { EpisodeLog } from "../episode-log.js";
import { AgentError } from "../error.js";
import type { Sampler, Tokenizer } from "../sampler.js";
import { CallCounts } from "../tools/calls.js";
import type { LineForm } from "../tools/line-calls.js";
import { type ToolEnding, toolEndings, toolLoop } from "../tools/tool-loop.js";
import { type ToolPrompts, toolPrompts } from "../tools/tool-prompts.js";
import { Transcript } from "../tools/transcript.js";
import { type MemUpdateConfig, memUpdateConfigSchema } from "./config.js";
import { memoryLineForms } from "./line-forms.js";
import { memUpdateConfig } from "./presets.js";
import { answerWith, type ReaderPrompt, readerPrompt } from "./reader.js";

/** Why an episode ended. */
export type MemUpdateEnding = ToolEnding;

interface Parts {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config: MemUpdateConfig;
  readonly prompts: ToolPrompts;
  readonly reader: ReaderPrompt;
  readonly tools: ToolSet<MemoryToolContext>;
  /** The search whose results the prompt shows. */
  readonly search: ToolSet<MemoryToolContext>;
  readonly lineForms: readonly LineForm[];
  readonly bases: StoreBases;
  readonly contextTokens: number;
  readonly now: () => number;
}

/**
 * Creates a MemUpdate agent.
 * @param options.config a complete configuration; default: the preset `memupdate`
 * @param options.embedder replaces the configuration's embedder
 * @param options.now clock in milliseconds, for the times in records and result
 * @throws {AgentError} BAD_CONFIG
 */
export function memUpdate(options: {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  readonly config?: MemUpdateConfig;
  /** The model's own chat format; absent if it has none. */
  readonly chat?: ChatFormat;
  /** The model's context length in tokens; it bounds prompt and turns together, beside `episodeTokens`. */
  readonly contextTokens?: number;
  readonly embedder?: Embedder;
  readonly now?: () => number;
}): Agent {
  checkParts(options, "memUpdate()", memUpdateConfigSchema);
  const { sampler, tokenizer, config = memUpdateConfig(), chat, now = Date.now } = options;
  const { contextTokens = Number.POSITIVE_INFINITY } = options;
  const tools = memoryTools(config.tools);
  const lineForms = memoryLineForms(config.lineTopK);
  const listed = { definitions: tools.definitions, lineForms, example: "search_memory" };
  const parts: Parts = {
    sampler,
    tokenizer,
    config,
    tools,
    search: memoryTools(["search_memory"]),
    lineForms,
    now,
    contextTokens,
    prompts: toolPrompts(
      tokenizer,
      config,
      listed,
      chat,
      config.shownRecords > 0 ? ["question", "memories"] : ["question"],
    ),
    reader: readerPrompt(tokenizer, config, chat),
    bases: new StoreBases(options.embedder ?? createEmbedder(config.embedder)),
  };
  return { name: "memupdate", run: (task, runOptions = {}) => runEpisode(parts, task, runOptions) };
}

async function runEpisode(parts: Parts, task: AgentTask, options: RunOptions): Promise<EpisodeResult> {
  const { sampler, tokenizer, config, prompts, reader, bases, now } = parts;
  checkRun("memupdate", task, options);
  const { signal, seed = 0 } = options;
  signal?.throwIfAborted();
  if (options.resumeFrom !== undefined) {
    throw new AgentError(
      "BAD_STATE",
      `resumeFrom: is a state of agent "${options.resumeFrom.agent}", but memupdate has no states to resume from; run the episode from the beginning`,
    );
  }
  const startedAtMs = now();
  const store = new MemoryStore(await bases.baseOf(task.records ?? [], signal), {
    now,
    idPrefix: config.idPrefix,
    denseWeight: config.denseWeight,
  });
  const initial = store.size;
  const log = new EpisodeLog(sampler, config, prompts.stopTokenIds, options);
  const calls = new CallCounts(config.tools);
  const context: MemoryToolContext = {
    store,
    random: createRandom(callSeed(seed, -1)).float,
    style: config.resultStyle,
    keepFormer: config.streamTurns !== null,
    ...(signal ? { signal } : {}),
  };
  let turns = 0;
  let conversations = 0;
  let documentTokens = 0;
  const endings = Object.fromEntries(toolEndings.map((name) => [`ended.${name}`, 0]));
  for await (const told of toldTexts(task, config.streamTurns)) {
    const step = conversations++;
    if (config.streamTurns !== null) documentTokens += tokenizer.encode(told).length;
    const transcript = new Transcript(prompts.prompt(told, await shownFor(told)), log.sampling);
    const conversation = (): Conversation => ({ ...transcript.conversation(), step });
    const before = turns;
    const { ending } = await toolLoop({
      tokenizer,
      settings: config,
      prompts,
      lineForms: parts.lineForms,
      call: (name, args) => parts.tools.run(name, args, context),
      contextTokens: parts.contextTokens,
      field: "userPrompt",
      log,
      calls,
      transcript,
      onTurn(turn, results) {
        turns = before + turn;
        if (!log.observed) return;
        const memoryStep = stepOf(turns - 1, store, results);
        log.report(conversation(), { memoryStep, documentTokensRead: documentTokens });
      },
    });
    endings[`ended.${ending}`] = (endings[`ended.${ending}`] ?? 0) + 1;
    log.keep(conversation());
  }
  const answer = await answerTask(task.question);
  const result: EpisodeResult = {
    ...log.result(),
    answer,
    memory: changeLines(store.diff()),
    documentTokens,
    droppedDocumentTokens: 0,
    startedAtMs,
    endedAtMs: now(),
    storeDiff: store.diff(),
    counters: {
      num_turns: turns,
      ...calls.counters,
      initial_memory_count: initial,
      final_memory_count: store.size,
      ...endings,
    },
  };
  return config.answerTopK === 0 ? result : log.answered(result);

  /** Returns the nearest records in the form in which searches return them. */
  async function shownFor(query: string): Promise<string> {
    if (config.shownRecords === 0) return "";
    const { text } = await parts.search.run("search_memory", { query, top_k: config.shownRecords }, context);
    return text;
  }

  async function answerTask(question: string): Promise<string> {
    const topK = config.answerTopK;
    if (topK === 0) return "";
    const read = await answerWith(log, tokenizer, reader, { store, question, topK, config, signal });
    const final: Conversation = { ...read.conversation, step: conversations };
    log.keep(final);
    log.report(final, { documentTokensRead: documentTokens });
    return read.answer;
  }
}

/**
 * Yields what each conversation is told: the question, or so many lines of the document.
 * @throws {AgentError} BAD_CONFIG for a document without lines
 */
async function* toldTexts(
  { question, document }: AgentTask,
  streamTurns: number | null,
): AsyncGenerator<string> {
  if (streamTurns === null) {
    yield question;
    return;
  }
  let told: string[] = [];
  let some = false;
  for await (const line of linesOf(document)) {
    some = true;
    told.push(line);
    if (told.length < streamTurns) continue;
    yield told.join("\n");
    told = [];
  }
  if (told.length > 0) yield told.join("\n");
  if (some) return;
  throw new AgentError(
    "BAD_CONFIG",
    "document: has no turns to write down; give one turn per line, or set streamTurns to null",
  );
}

/** Yields the lines that are not blank; a document in pieces is never in memory as a whole. */
async function* linesOf(document: AgentTask["document"]): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of typeof document === "string" ? [document] : document) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield line.trim();
  }
  if (rest.trim() !== "") yield rest.trim();
}

/** Describes a turn for traces: the results of its calls, and how the store differs from its initial state. */
const stepOf = (step: number, store: MemoryStore, results: readonly string[]): MemoryStep => ({
  step,
  documentTokenStart: 0,
  documentTokenEnd: 0,
  memory: changeLines(store.diff()),
  recalled: results.join("\n"),
});

/** Lists the changes to the store, one per line: + for a new record, ~ for an updated one, - for a deleted one. */
function changeLines({ created, updated, deleted }: StoreDiff): string {
  return [
    ...created.map(({ id, content }) => `+ [${id}] ${content}`),
    ...updated.map(({ id, content }) => `~ [${id}] ${content}`),
    ...deleted.map((id) => `- [${id}]`),
  ].join("\n");
}

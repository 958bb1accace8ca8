/**
 * Asks the same questions in contexts of growing length: the reading agent of a recipe with trained adapters and without them, and baselines
 * of the same model, which answer from the best passages by BM25, or from what remains of a text whose middle is left out.
 * All questions of a length are read side by side, section by section, greedily. Each cell is a line of JSON, and what a
 * file has already is not asked again. From the pace so far it is said when the questions of a cell will not be done in
 * time, and fewer are asked; the first n of the file in every cell, or n from a place on, so that cells can be paired question by question.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/by-length.ts --recipe FILE --model FILE --questions FILE
 *   [--pool FILE]... --json FILE --cells "trained:50:200 base:50:200 ..." (system:documents:questions[:from]; systems: trained, base,
 *   bm25, bm25-trained, truncated, full)
 *   [--order forward|reverse] (of the evidence; a question that none of 8 seeds places so is left out, as is one with a single paragraph of it)
 *   [--context-tokens N] (full: of the whole text in a context of N tokens, where the agent has those of its recipe) [--adapters RUN_CHECKPOINT_OR_PEFT] [--rows 128] [--precision bfloat16] [--limit-seconds 500]
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Agent, createAgent, type Tokenizer } from "../../packages/learning/agents/src/index.js";
import { readQuestionSource } from "../../packages/learning/datasets/src/index.js";
import {
  agentSystem,
  createReader,
  type EvalItem,
  longQaItems,
  qaScorer,
  readerConfigSchema,
  retrievalSystem,
  runSuite,
  type System,
  summarizeSuite,
  truncatedContext,
} from "../../packages/learning/evals/src/index.js";
import { entry } from "../../packages/learning/jit/src/index.js";
import { readRecipe } from "../../packages/learning/trainer/src/index.js";
import { benchFlags } from "../flags.js";
import { openPolicySampler } from "./policy-sampler.js";

const flags = benchFlags({
  recipe: "",
  model: "",
  questions: [],
  pool: [],
  json: "",
  cells: "",
  adapters: undefined,
  rows: "128",
  precision: undefined,
  "context-tokens": undefined,
  "limit-seconds": "500",
  order: undefined,
});

interface Cell {
  readonly system: string;
  readonly documents: number;
  readonly chunkTokens: number;
  /** The first question's place in the file. */
  readonly from: number;
  /** Of the evidence; absent: as it comes. */
  readonly order?: string;
}

const startedMs = performance.now() - process.uptime() * 1000;
const since = (): number => Number(((performance.now() - startedMs) / 1000).toFixed(1));
const secondsLeft = (): number => Number(flags["limit-seconds"]) - since();
const say = (result: object): void => console.log(JSON.stringify({ atSeconds: since(), ...result }));

const { recipe: ofFile } = readRecipe(flags.recipe);
const ownContext = flags["context-tokens"];
const recipe =
  ownContext === undefined
    ? ofFile
    : { ...ofFile, rollout: { ...ofFile.rollout, maxTokens: Number(ownContext) } };
if (recipe.agent.kind !== "memagent" && recipe.agent.kind !== "rememr1")
  throw new Error(`the agent of ${flags.recipe} reads no documents`);
const { chunkTokens } = recipe.agent.config;
const { sampler, tokenizer, chat, policyVersion, usePolicy } = await openPolicySampler({
  recipe,
  model: flags.model,
  adapters: flags.adapters,
  rows: Number(flags.rows),
  precision: flags.precision,
});
say({ sampler: "made", precision: sampler.precision, adapters: flags.adapters, policyVersion });
/**
 * Encodes long documents paragraph by paragraph, each once: contexts are made of the same paragraphs, and encoding them takes longer than
 * a GPU takes to read them. A paragraph begins behind a line break, where no token goes across.
 */
const encoded = new Map<string, readonly number[]>();
function encode(text: string, options?: { readonly specialTokens?: "ids" | "text" }): number[] {
  if (text.length < 2000) return tokenizer.encode(text, options);
  const tokenIds: number[] = [];
  for (const piece of text.split(/(?<=Document \d+:\n)|(?<=\n\n)(?=Document \d+:\n)/)) {
    const known = encoded.get(piece) ?? tokenizer.encode(piece, options);
    encoded.set(piece, known);
    for (const id of known) tokenIds.push(id);
  }
  return tokenIds;
}

const { beginTokenIds } = tokenizer;
const paragraphs: Tokenizer = {
  beginTokenIds,
  encode,
  decode: (tokenIds) => tokenizer.decode(tokenIds),
  specialTokenId: (text) => tokenizer.specialTokenId(text),
};
const contextTokens = recipe.rollout.maxTokens;
const model = { sampler, tokenizer: paragraphs, contextTokens, ...(chat ? { chat } : {}) };
const memoryAgent = createAgent(recipe.agent, model);
/** The last memory of each question and how often it recalled, by its text: the suite keeps only answers. */
const memories = new Map<string, { readonly memory: string; readonly recalls: number | undefined }>();
const agent: Agent = {
  name: memoryAgent.name,
  run: async (task, options) => {
    const episode = await memoryAgent.run(task, options);
    const recalls = episode.counters?.["recall_queries"];
    memories.set(task.question, { memory: episode.memory.slice(0, 4000), recalls });
    return episode;
  },
};
/** Reads as much as a section and the notes of the agent have room for. */
const reader = createReader(
  model,
  readerConfigSchema.parse({
    documentPrompt: "Text:\n{document}\n\nQuestion: {question}\nAnswer with a few words.",
    answerTokens: recipe.agent.config.finalTokens,
    contextTokens,
    prompt: recipe.agent.config.prompt,
    passages: 16,
  }),
);

function systemOf(name: string): System {
  if (name.startsWith("bm25")) return retrievalSystem({ name, reader, model: {}, retrieval: { by: "bm25" } });
  if (name === "truncated" || name === "full") return truncatedContext({ name, reader, model: {} });
  return agentSystem({ name, agent, settings: {}, model: {}, temperature: 0 });
}

const source = await readQuestionSource({
  inputs: flags.questions,
  ...(flags.pool.length > 0 ? { pool: flags.pool } : {}),
  dataSource: "hotpotqa",
});
const scorer = qaScorer({ form: "reply", primary: "f1" });

const done: (Cell & { readonly n: number })[] = existsSync(flags.json)
  ? (JSON.parse(readFileSync(flags.json, "utf8")) as typeof done)
  : [];
/** Document tokens per second of the slowest cell so far that was not small. */
let pace: number | undefined;

function itemsOf(documents: number, limit: number): EvalItem[] {
  const { order } = flags;
  if (order === undefined) return longQaItems({ source, seed: 0, lengths: [documents], limit });
  if (order !== "forward" && order !== "reverse") throw new Error("--order: forward or reverse");
  // Each question with the first seed that places its evidence so.
  const seeds = Array.from({ length: 8 }, (_, seed) =>
    longQaItems({ source, seed, lengths: [documents], order }),
  );
  const byQuestion = new Map(
    seeds
      .reverse()
      .flat()
      .map((item) => [item.questionKey, item]),
  );
  return source.questions.flatMap(({ id }) => byQuestion.get(id) ?? []).slice(0, limit);
}

async function ask(cell: Cell, items: readonly EvalItem[]): Promise<void> {
  const { system } = cell;
  const before = sampler.stats;
  const began = performance.now();
  const looking = setInterval(() => {
    const { prefillTokens, sampledTokens } = sampler.stats;
    say({
      ...cell,
      n: items.length,
      readTokens: prefillTokens - before.prefillTokens,
      sampledTokens: sampledTokens - before.sampledTokens,
    });
  }, 20_000);
  const run = await runSuite({
    suite: "by-length",
    items,
    systems: [systemOf(system)],
    scorer,
    concurrency: items.length,
  }).finally(() => clearInterval(looking));
  const seconds = (performance.now() - began) / 1000;
  const outcomes = entry(run.systems, 0).outcomes;
  const summary = entry(entry(summarizeSuite(run).systems, 0).cells, 0);
  const documentTokens = outcomes.reduce((sum, { prediction }) => sum + (prediction?.documentTokens ?? 0), 0);
  if (documentTokens > 1_000_000) pace = Math.min(pace ?? Number.POSITIVE_INFINITY, documentTokens / seconds);
  const { metrics, failures, promptTokens, sampledTokens, conversations, truncatedShare, measures } = summary;
  const told = {
    ...cell,
    n: items.length,
    documentTokens: Math.round(documentTokens / items.length),
    seconds: Number(seconds.toFixed(1)),
    metrics,
    failures,
    promptTokens,
    sampledTokens,
    conversations,
    truncatedShare,
    measures,
  };
  say({ ...told, firstFailure: outcomes.find(({ failure }) => failure !== undefined)?.failure });
  const questions = outcomes.map(({ itemId, scores, prediction, failure }, place) => ({
    item: itemId,
    question: entry(items, place).question,
    answers: entry(items, place).answers,
    evidenceOrder: entry(items, place).metadata["evidenceOrder"],
    ...(system === "trained" || system === "base" ? memories.get(entry(items, place).question) : {}),
    f1: scores["f1"],
    exactMatch: scores["exactMatch"],
    subExactMatch: scores["subExactMatch"],
    answer: prediction?.text.slice(0, 200),
    ...(failure === undefined ? {} : { failure }),
  }));
  done.push({ ...told, ...{ questions } });
  // Whole, since the questions are what is paired.
  if (flags.json !== "") writeFileSync(flags.json, JSON.stringify(done));
}

for (const text of flags.cells.split(/\s+/).filter((one) => one !== "")) {
  const [system = "", documents, n, from = "0"] = text.split(":");
  const { order } = flags;
  const cell = {
    system,
    documents: Number(documents),
    chunkTokens,
    from: Number(from),
    ...(order ? { order } : {}),
  };
  const same = (one: Cell) =>
    one.order === order && Object.entries(cell).every(([name, value]) => one[name as keyof Cell] === value);
  if (done.some(same)) continue;
  const tokens = 142 * cell.documents;
  const most = pace === undefined ? Number(n) : Math.floor((0.9 * (secondsLeft() - 5) * pace) / tokens);
  const count = Math.min(Number(n), most);
  if (count < Math.min(16, Number(n))) {
    say({ ...cell, skipped: `${Math.round(secondsLeft())} s are left for ${n} × ${tokens} tokens` });
    continue;
  }
  if (count < Number(n))
    say({ ...cell, fewer: `${count} of ${n} questions fit into ${Math.round(secondsLeft())} s` });
  await usePolicy(system.endsWith("trained"));
  await ask(cell, itemsOf(cell.documents, cell.from + count).slice(cell.from));
}
say({ functions: sampler.functionStats });
await sampler.close();
process.exit(0);

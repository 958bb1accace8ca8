import { numberedFacts } from "@palimpsest/datasets";
import { Bm25Index, DenseIndex, type Embedder, type Hit } from "@palimpsest/memory";
import { EvaluationError } from "../error.js";
import { documentText, type EvalItem } from "../suite/item.js";
import type { System } from "../suite/system.js";
import type { BaselineOptions } from "./direct.js";
import { evidenceRecall } from "./evidence-recall.js";
import { type Passage, splitPassages } from "./passages.js";

/**
 * The method that finds passages for a question. max-serial: of the numbered facts that BM25 finds to match about as well
 * as the best one, the one with the greatest number, which needs no memory where the order is printed.
 */
export type Retrieval =
  | { readonly by: "bm25" | "max-serial" }
  | { readonly by: "embedding"; readonly embedder: Embedder };

/**
 * Least part of the best score with which a fact counts as one that says the same: facts that differ in their last words
 * alone differ in length, by which BM25 divides.
 */
const sameFactShare = 0.8;

/**
 * Creates a baseline of retrieval and one answer: it shows the best passages of the document, or of the item's records,
 * in their own order, as many as are requested and fit into one prompt.
 */
export function retrievalSystem(options: BaselineOptions & { readonly retrieval: Retrieval }): System {
  const { name, reader, model, retrieval } = options;
  const { config } = reader;
  const embedder = retrieval.by === "embedding" ? retrieval.embedder.name : undefined;
  const countTokens = (text: string) => reader.encode(text).length;
  /** The index of the last text or store: many questions about one text follow each other. */
  let last: { readonly of: string | EvalItem["records"]; readonly searched: Promise<Searched> } | undefined;
  const searchedOf = async (item: EvalItem, signal: AbortSignal): Promise<Searched> => {
    const of = item.records ?? (await documentText(item));
    if (last?.of === of) return await last.searched;
    const passages =
      retrieval.by === "max-serial" ? factsOf(item, of) : passagesOf(of, countTokens, config.passageTokens);
    const own = { of, searched: indexed(retrieval, passages, signal) };
    last = own;
    try {
      return await own.searched;
    } catch (error) {
      // The next question tries again.
      if (last === own) last = undefined;
      throw error;
    }
  };
  return {
    name,
    settings: { kind: "retrieval", by: retrieval.by, embedder: embedder ?? null, reader: config, model },
    async answer(item, answering) {
      const { passages, search } = await searchedOf(item, answering.signal);
      const query = item.searchQuery ?? item.question;
      const hits = await search(query, config.passages, answering.signal);
      const found = hits.flatMap(({ index }) => passages[index] ?? []);
      const { ids, shown } = fill(found, reader.room(item.question, config.contextTokens), reader.encode);
      const answered = await reader.answer(item.question, ids, answering);
      const retrieved = found.slice(0, shown).map(({ sources }) => [...sources]);
      return {
        ...answered,
        retrieved,
        measures: {
          passages: shown,
          ...evidenceRecall(retrieved, item.evidence, config.passages),
        },
      };
    },
  };
}

function passagesOf(
  of: string | NonNullable<EvalItem["records"]>,
  countTokens: (text: string) => number,
  maxTokens: number,
): Passage[] {
  if (typeof of === "string") return splitPassages(of, { maxTokens, countTokens });
  return of.map(({ id, content, dialogueTime, speaker, provenance }, place) => ({
    place,
    text: [dialogueTime, speaker, content].filter((part) => part !== undefined).join(" · "),
    sources: [id, ...provenance],
  }));
}

/** Passages that can be searched. */
interface Searched {
  readonly passages: readonly Passage[];
  search(question: string, topK: number, signal: AbortSignal): Promise<readonly Hit[]>;
}

async function indexed(
  retrieval: Retrieval,
  passages: readonly Passage[],
  signal: AbortSignal,
): Promise<Searched> {
  const texts = passages.map(({ text }) => text);
  if (retrieval.by === "embedding") {
    const index = await DenseIndex.of(texts, retrieval.embedder, signal);
    return { passages, search: (question, topK, own) => index.search(question, topK, own) };
  }
  const index = Bm25Index.of(texts);
  return {
    passages,
    search: (question, topK) => {
      const hits = index.search(question, topK);
      return Promise.resolve(retrieval.by === "bm25" ? hits : newestOf(hits));
    },
  };
}

/** @throws {EvaluationError} BAD_CONFIG if the document has no numbered facts */
function factsOf(item: EvalItem, of: string | NonNullable<EvalItem["records"]>): Passage[] {
  const facts = numberedFacts(typeof of === "string" ? of : "").sort((a, b) => a.serial - b.serial);
  if (facts.length > 0)
    return facts.map(({ serial, text }, place) => ({ place, text: `${serial}. ${text}`, sources: [] }));
  throw new EvaluationError(
    "BAD_CONFIG",
    `item ${item.id}: has no numbered facts, from which max-serial chooses; evaluate it on MemoryAgentBench's factconsolidation`,
  );
}

/** Returns the newest of the facts that match about as well as the best. */
function newestOf(hits: readonly Hit[]): Hit[] {
  const least = (hits[0]?.score ?? 0) * sameFactShare;
  return hits
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.index - a.index)
    .slice(0, 1);
}

/** Returns the best passages that fit, in the order of the document, separated by blank lines. */
function fill(
  found: readonly Passage[],
  room: number,
  encode: (text: string) => number[],
): { ids: number[]; shown: number } {
  let tokens = 0;
  let shown = 0;
  const kept: { place: number; ids: number[] }[] = [];
  for (const { place, text } of found) {
    const ids = encode(`${text}\n\n`);
    if (tokens + ids.length > room) break;
    tokens += ids.length;
    shown += 1;
    kept.push({ place, ids });
  }
  kept.sort((a, b) => a.place - b.place);
  return { ids: kept.flatMap(({ ids }) => ids), shown };
}

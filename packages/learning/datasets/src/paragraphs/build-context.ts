import { createRandom } from "@palimpsest/std/random";
import { DatasetError } from "../error.js";
import type { SourceQuestion } from "../questions/source-question.js";
import { type ParagraphPool, paragraphText } from "./paragraph-pool.js";

export interface ContextSettings {
  /** Number of documents of the context; absent: the question's own paragraphs. */
  readonly docs: number | undefined;
  readonly seed: number | string;
  /** Whether distractors that contain an answer are excluded. */
  readonly answerFree: boolean;
  /** Whether documents may be drawn more than once if the pool is too small. */
  readonly repeat: boolean;
}

/** The documents of a question's context, in order. */
export interface BuiltContext {
  readonly texts: readonly string[];
  /** Numbers of the gold documents, counted from 1 as in "Document 1:", in the order of the evidence. */
  readonly goldDocuments: readonly number[];
  /** How many documents of the context repeat another one. */
  readonly repeatedDocs: number;
}

/** Renders documents as the memory agents' data sets do: numbered blocks with a blank line between them. */
export function renderDocuments(texts: readonly string[]): string {
  return texts.map((text, at) => `Document ${at + 1}:\n${text}`).join("\n\n");
}

/**
 * Builds a context from a question's own paragraphs and random others of the pool. Each question has its own
 * permutation, so that neither the positions of the gold paragraphs nor the distractors of one item give away
 * another's. Under the same seed the distractors of a longer context begin with those of a shorter one, so that
 * contexts of different lengths differ in nothing else.
 *
 * @throws {DatasetError} BAD_CONFIG if the pool is too small, or if fewer documents are requested than contain the
 *   evidence
 */
export function buildContext(
  question: SourceQuestion,
  pool: ParagraphPool,
  settings: ContextSettings,
): BuiltContext {
  const { docs, seed } = settings;
  const count = docs ?? question.paragraphs.length;
  const gold = question.gold.map((place) =>
    paragraphText(question.paragraphs[place] as (typeof question.paragraphs)[number]),
  );
  if (count < gold.length) {
    throw new DatasetError(
      "BAD_CONFIG",
      `docs: question "${question.id}" has ${gold.length} paragraphs of evidence, which do not fit into ${count} documents; set docs to ${gold.length} or more`,
      { docs: count },
    );
  }
  const own = question.paragraphs.filter((_, place) => !question.gold.includes(place)).map(paragraphText);
  const drawn = createRandom(`${seed}/distractors/${question.id}`);
  const distractors = drawn
    .shuffle([...new Set(own)].filter((text) => !gold.includes(text)))
    .slice(0, count - gold.length);
  const missing = count - gold.length - distractors.length;
  let repeatedDocs = 0;
  if (missing > 0 && docs !== undefined) {
    const others = drawOthers(question, pool, { ...settings, count: missing }, drawn.below);
    repeatedDocs = others.repeated;
    for (const place of others.places) distractors.push(pool.texts[place] as string);
  }
  const items = [
    ...gold.map((text, hop) => ({ text, hop })),
    ...distractors.map((text) => ({ text, hop: -1 })),
  ];
  const order = createRandom(`${seed}/order/${question.id}/${items.length}`).shuffle(items);
  const goldDocuments = new Array<number>(gold.length).fill(0);
  for (const [at, { hop }] of order.entries()) if (hop >= 0) goldDocuments[hop] = at + 1;
  return { texts: order.map(({ text }) => text), goldDocuments, repeatedDocs };
}

/**
 * Draws indices of the pool without replacement. Where repetition is allowed, a new round begins when all have been
 * drawn.
 */
function drawOthers(
  question: SourceQuestion,
  pool: ParagraphPool,
  { count, docs, answerFree, repeat }: ContextSettings & { readonly count: number },
  below: (bound: number) => number,
): { readonly places: readonly number[]; readonly repeated: number } {
  const kin = pool.kin(question.paragraphs);
  const telling = answerFree ? pool.holding(question.answers) : new Set<number>();
  const free = pool.texts.length - union(kin, telling);
  if (free < count && (!repeat || free === 0)) {
    const short = answerFree ? "that are not its own and contain no answer" : "that are not its own";
    throw new DatasetError(
      "BAD_CONFIG",
      `docs: question "${question.id}" needs ${count} other paragraphs for ${docs} documents, and the pool has ${free} ${short}; add files to pool, lower docs, or set repeat so that a document may occur twice`,
      { docs, free },
    );
  }
  const places: number[] = [];
  while (places.length < count) {
    // This is a Fisher-Yates shuffle that stops when enough are drawn; it keeps only the indices that were swapped.
    const swapped = new Map<number, number>();
    for (let at = 0; at < pool.texts.length && places.length < count; at++) {
      const pick = at + below(pool.texts.length - at);
      const place = swapped.get(pick) ?? pick;
      swapped.set(pick, swapped.get(at) ?? at);
      if (!kin.has(place) && !telling.has(place)) places.push(place);
    }
  }
  return { places, repeated: Math.max(0, places.length - free) };
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let both = a.size;
  for (const one of b) if (!a.has(one)) both += 1;
  return both;
}

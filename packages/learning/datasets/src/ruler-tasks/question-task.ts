import { DatasetError } from "../error.js";
import type { Draft, DraftInput } from "./draft.js";
import { noDocument } from "./draft-error.js";
import { createPermutation } from "./permutation.js";
import { largestFit } from "./token-counter.js";

/**
 * Creates a question about numbered documents: those that contain the answer, then related ones, then others of the
 * pool, as many as fit, in an order that is drawn for each task. A pool that is too small is repeated, without the
 * question's own documents.
 */
export function questionTask(input: DraftInput): Draft {
  const { name, random, counter, budgetTokens, questions: source, index } = input;
  if (source === undefined || source.questions.length === 0) {
    const flag = name === "qa_1" ? "squad" : "hotpotqa";
    throw new DatasetError(
      "BAD_CONFIG",
      `${flag}: is missing, but ${name} needs a file of questions; give its path`,
    );
  }
  const order = createPermutation(`${input.config.seed}/${name}/questions`, source.questions.length);
  const asked = source.questions[order(index % source.questions.length)] as (typeof source.questions)[number];
  const own = new Set([...asked.gold, ...asked.related]);
  const others = source.documents.map((_, document) => document).filter((document) => !own.has(document));
  const shuffled = random.shuffle(others);
  /** Returns the n-th document besides those that contain the answer. */
  const besides = (n: number): number | undefined =>
    n < asked.related.length
      ? asked.related[n]
      : shuffled[(n - asked.related.length) % Math.max(1, shuffled.length)];

  const documentTokens = (document: number) => counter.count(`${source.documents[document]}\n\n`);
  const question = `Answer with a short phrase from the documents. ${asked.question}`;
  const budget = budgetTokens - counter.count(question);
  const goldTokens = asked.gold.reduce((sum, document) => sum + documentTokens(document), 0);
  const sums = [goldTokens];
  const headings = [0];
  const tokensOf = (count: number) => {
    for (let n = sums.length - 1; n < count; n++) {
      sums.push((sums[n] as number) + documentTokens(besides(n) as number));
    }
    const documents = asked.gold.length + count;
    for (let n = headings.length; n <= documents; n++) {
      headings.push((headings[n - 1] as number) + counter.count(heading(n)));
    }
    return (sums[count] as number) + (headings[documents] as number);
  };
  const most = shuffled.length === 0 ? asked.related.length : Math.max(0, budget);
  const count = largestFit(tokensOf, budget, 0, most);
  if (count < 0) throw noDocument(input);

  const listed = [...asked.gold, ...Array.from({ length: count }, (_, n) => besides(n) as number)];
  const places = random.shuffle(listed.map((_, i) => i));
  const positions = places.flatMap((from, place) => (from < asked.gold.length ? [place] : []));
  const last = Math.max(1, listed.length - 1);
  return {
    question,
    answers: asked.answers,
    depthPercents: positions.map((place) => Math.round((100 * place) / last)),
    metadata: { questionSource: source.name, sourceId: asked.id, numDocs: listed.length },
    *pieces() {
      for (const [place, from] of places.entries()) {
        yield heading(place + 1);
        const end = place + 1 === places.length ? "" : "\n\n";
        yield `${source.documents[listed[from] as number]}${end}`;
      }
    },
  };
}

const heading = (number: number): string => `Document ${number}:\n`;

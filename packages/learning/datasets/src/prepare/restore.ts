import { createRandom } from "@palimpsest/std/random";
import { z } from "zod";
import { type Gap, gapsOf } from "../restore/gaps.js";
import { type Sentence, sentencesOf } from "../restore/sentences.js";
import { readRow } from "../row-problem.js";
import { definePreparer, type PrepareContext, type PreparedTask } from "./preparer.js";

const optionsSchema = z.strictObject({
  words: z.int().min(20).default(2_000).describe("words of a document, which is cut out of the text"),
  perDocument: z.int().min(1).max(100).default(4).describe("most questions about one document"),
  minDistance: z
    .int()
    .min(0)
    .default(100)
    .describe("least number of words between a sentence and the other one that has what is missing in it"),
  leastWords: z
    .int()
    .min(2)
    .default(8)
    .describe(
      "least number of words of a sentence that is asked; shorter ones say too little of what is missing",
    ),
  question: z
    .string()
    .includes("{sentence}", { error: "must have the slot {sentence}" })
    .default(
      'What is missing in this sentence, which was taken out of the text? "{sentence}" Answer with the missing words alone.',
    )
    .describe("the question, with the slot {sentence}; a short one for models that follow few words"),
  blank: z.string().min(1).default("____").describe("stands for what is missing"),
  unlike: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe(
      "share of questions whose sentence has no word in common with the other one, as far as there are any",
    ),
  maskAll: z
    .boolean()
    .default(false)
    .describe("leaves what is missing out of the whole document, so that it asks for knowledge of the world"),
  textField: z.string().min(1).default("text").describe("field with the text, of files of rows"),
});

type Options = z.output<typeof optionsSchema>;

/**
 * Questions about plain text that nobody has labeled: a sentence is taken out of a document, and a name, number or rare word that
 * another sentence has, too, is missing in it.
 */
export const restore = definePreparer({
  name: "restore",
  summary: "any text (.txt, .md, or rows with one): sentences with a gap, which the rest of the text fills",
  inputs: "required",
  options: optionsSchema,
  async *prepare(options, context) {
    const counts = { like: 0, unlike: 0 };
    let document = 0;
    for await (const sentences of documentsOf(options, context)) {
      document++;
      const gaps = gapsOf(sentences, { ...options, leftOut: context.leftOut });
      if (gaps.length === 0) context.leftOut("document without a gap that the rest of it fills");
      for (const gap of chosen(gaps, options, counts, `${context.seed}/${document}`)) {
        if (gap.sharedWords === 0) context.remark("sentences without a word of their evidence");
        yield taskOf(sentences, gap, document, options);
      }
    }
  },
});

/** Yields the documents: as many whole sentences as their number of words allows. */
async function* documentsOf(options: Options, context: PrepareContext): AsyncIterable<readonly Sentence[]> {
  for (const path of context.inputs) {
    let sentences: Sentence[] = [];
    let words = 0;
    for await (const text of textsOf(path, options, context)) {
      for (const sentence of sentencesOf(text)) {
        context.signal?.throwIfAborted();
        if (words + sentence.words > options.words && sentences.length > 0) {
          yield sentences;
          [sentences, words] = [[], 0];
        }
        sentences.push(sentence);
        words += sentence.words;
      }
      const last = sentences.pop();
      if (last !== undefined) sentences.push({ ...last, gap: "\n\n" });
    }
    if (sentences.length > 0) yield sentences;
  }
}

async function* textsOf(
  path: string,
  { textField }: Options,
  context: PrepareContext,
): AsyncIterable<string> {
  if (/\.(?:txt|md|text)$/i.test(path)) {
    yield await context.text(path);
    return;
  }
  const schema = z.object({ [textField]: z.string().trim().min(1) });
  for await (const { source, row, value } of context.rows(path)) {
    const read = readRow(schema, value);
    if ("reason" in read) context.badRow({ source, row, ...read });
    else yield read.data[textField] ?? "";
  }
}

/** Draws one gap for a sentence and an answer at most, of the kind that is behind its share first. */
function chosen(
  gaps: readonly Gap[],
  { perDocument, unlike }: Options,
  counts: { like: number; unlike: number },
  seed: string,
): readonly Gap[] {
  const left = createRandom(seed).shuffle(gaps);
  const taken: Gap[] = [];
  const isFree = (gap: Gap) => taken.every(({ at, answer }) => at !== gap.at && answer !== gap.answer);
  while (taken.length < perDocument) {
    const isUnlikeNext = counts.unlike < unlike * (counts.like + counts.unlike + 1);
    const free = left.filter(isFree);
    const next = free.find(({ sharedWords }) => (sharedWords === 0) === isUnlikeNext) ?? free[0];
    if (next === undefined) break;
    taken.push(next);
    counts[next.sharedWords === 0 ? "unlike" : "like"]++;
  }
  return taken.sort((one, other) => one.at - other.at);
}

function taskOf(
  sentences: readonly Sentence[],
  { at, answer, kind, distanceWords, sharedWords }: Gap,
  document: number,
  { maskAll, question, blank }: Options,
): PreparedTask {
  const asked = sentences[at]?.text.replace(answer, () => blank) ?? "";
  const rest = sentences
    // The end of its line stays.
    .map(({ text, gap }, position) => (position === at ? gap.replaceAll(" ", "") : `${text}${gap}`))
    .join("")
    .trim();
  return {
    id: `restore-${document}-${at}`,
    question: question.replace("{sentence}", () => asked),
    answers: [answer],
    document: maskAll ? rest.replaceAll(answer, () => blank) : rest,
    metadata: { dataSource: "restore", kind, distanceWords, sharedWords },
  };
}

import { parseJson, reasonText } from "@palimpsest/std/input";
import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { readRow } from "../row-problem.js";
import {
  idOfQuestion,
  joinSentences,
  type Paragraph,
  placesOfTitles,
  type QuestionProblem,
  type SourceQuestion,
} from "./source-question.js";

const text = z.string().trim().min(1);

/** The format of HotpotQA's and 2WikiMultiHopQA's publishers: [title, sentences] and [title, sentence number]. */
const pairs = {
  context: z.array(z.tuple([z.string(), z.array(z.string())])),
  facts: z.array(z.tuple([z.string(), z.int()])),
};
/** The format of the Hugging Face hub: a column of titles beside a column of the other values. */
const columns = {
  context: z
    .object({ title: z.array(z.string()), sentences: z.array(z.array(z.string())) })
    .refine(
      ({ title, sentences }) => title.length === sentences.length,
      "title and sentences must have the same length",
    )
    .transform(({ title, sentences }) =>
      title.map((name, at): [string, string[]] => [name, sentences[at] ?? []]),
    ),
  facts: z
    .object({ title: z.array(z.string()), sent_id: z.array(z.int()) })
    .transform(({ title, sent_id }) => title.map((name, at): [string, number] => [name, sent_id[at] ?? 0])),
};

/** The format of tables of newer versions of `datasets`: a list of structures. */
const structures = {
  context: z
    .array(z.object({ title: z.string(), sentences: z.array(z.string()) }))
    .transform((list) => list.map(({ title, sentences }): [string, string[]] => [title, sentences])),
  facts: z
    .array(z.object({ title: z.string(), sent_id: z.int() }))
    .transform((list) => list.map(({ title, sent_id }): [string, number] => [title, sent_id])),
};

/** Accepts JSON text in place of a value, because some copies contain nested values as JSON text. */
const maybeText = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value !== "string") return value;
    try {
      return parseJson(value);
    } catch (error) {
      context.issues.push({
        code: "custom",
        message: `is a string that is not JSON: ${reasonText(error)}`,
        input: value,
      });
      return value;
    }
  }, schema);

const rowSchema = z.object({
  _id: text.optional(),
  id: text.optional(),
  question: text,
  answer: answerTextSchema,
  answer_id: z.string().nullish(),
  context: maybeText(z.union([pairs.context, columns.context, structures.context])),
  supporting_facts: maybeText(z.union([pairs.facts, columns.facts, structures.facts])),
  type: z.string().optional(),
  level: z.string().optional(),
});

/** Reads a row of HotpotQA or 2WikiMultiHopQA, in the schema of its publishers or of the hub. */
export function hotpotQuestion(value: unknown): SourceQuestion | QuestionProblem {
  const row = readRow(rowSchema, value);
  if ("reason" in row) return row;
  const { data } = row;
  const paragraphs = data.context.map(
    ([title, sentences]): Paragraph => ({ title, text: joinSentences(sentences) }),
  );
  if (paragraphs.length === 0) return { reason: "no-context", detail: "context: contains no paragraph" };
  const gold = placesOfTitles(
    data.supporting_facts.map(([title]) => title),
    paragraphs,
  );
  if ("reason" in gold) return gold;
  return {
    id: data._id ?? data.id ?? idOfQuestion(data.question),
    question: data.question,
    answers: [data.answer],
    ...(data.answer_id ? { answerId: data.answer_id } : {}),
    paragraphs,
    gold,
    facts: {
      ...(data.type === undefined ? {} : { type: data.type }),
      ...(data.level === undefined ? {} : { level: data.level }),
    },
  };
}

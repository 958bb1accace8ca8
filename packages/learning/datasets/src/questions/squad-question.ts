import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { readRow } from "../row-problem.js";
import {
  idOfQuestion,
  type Paragraph,
  type QuestionProblem,
  type SourceQuestion,
} from "./source-question.js";

const text = z.union([z.literal(""), answerTextSchema]);
const answersSchema = z.union([
  z.array(z.object({ text })),
  z.object({ text: z.array(text) }).transform(({ text }) => text.map((one) => ({ text: one }))),
]);
const questionSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  question: z.string().trim().min(1),
  answers: answersSchema.default([]),
  is_impossible: z.boolean().default(false),
});
/** A row of the hub's copy, which has one question. */
const flatSchema = questionSchema.extend({
  context: z.string().trim().min(1),
  title: z.string().default(""),
});
const fileSchema = z.object({
  data: z.array(
    z.object({
      title: z.string().default(""),
      paragraphs: z.array(z.object({ context: z.string().trim().min(1), qas: z.array(z.unknown()) })),
    }),
  ),
});

/**
 * Reads the questions of a SQuAD file (v1.1, v2, XQuAD), or the single question of a row of the hub's copy. A bad
 * question is returned as its problem.
 */
export function squadQuestions(value: unknown): readonly (SourceQuestion | QuestionProblem)[] {
  if (typeof value !== "object" || value === null || !("data" in value)) {
    const row = readRow(flatSchema, value);
    return ["reason" in row ? row : questionOf(row.data, { title: row.data.title, text: row.data.context })];
  }
  const file = readRow(fileSchema, value);
  if ("reason" in file) return [file];
  return file.data.data.flatMap(({ title, paragraphs }) =>
    paragraphs.flatMap(({ context, qas }) =>
      qas.map((qa) => {
        const row = readRow(questionSchema, qa);
        return "reason" in row
          ? row
          : questionOf(row.data, { title: title.replaceAll("_", " "), text: context });
      }),
    ),
  );
}

function questionOf(
  row: z.output<typeof questionSchema>,
  paragraph: Paragraph,
): SourceQuestion | QuestionProblem {
  if (row.is_impossible)
    return {
      reason: "no-answer",
      detail: `question "${row.question}": is marked is_impossible, so it has no answer`,
    };
  const answers = [...new Set(row.answers.map(({ text }) => text.trim()).filter(Boolean))];
  if (answers.length === 0)
    return { reason: "no-answer", detail: `question "${row.question}": answers is empty` };
  return {
    id: row.id === undefined ? idOfQuestion(row.question) : String(row.id),
    question: row.question,
    answers,
    paragraphs: [paragraph],
    gold: [0],
    facts: {},
  };
}

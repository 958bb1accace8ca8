import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { readRow } from "../row-problem.js";
import { idOfQuestion, type QuestionProblem, type SourceQuestion } from "./source-question.js";

const rowSchema = z.object({
  id: z.string().min(1).optional(),
  question: z.string().trim().min(1),
  answer: answerTextSchema,
  answer_aliases: z.array(z.union([z.literal(""), answerTextSchema])).default([]),
  answerable: z.boolean().default(true),
  paragraphs: z.array(
    z.object({
      title: z.string(),
      paragraph_text: z.string(),
      is_supporting: z.boolean(),
      idx: z.int().optional(),
    }),
  ),
  question_decomposition: z.array(z.object({ paragraph_support_idx: z.int().nullable() })).default([]),
});

/** Reads a row of MuSiQue. The evidence is in the order of the hops of the question's decomposition. */
export function musiqueQuestion(value: unknown): SourceQuestion | QuestionProblem {
  const row = readRow(rowSchema, value);
  if ("reason" in row) return row;
  const { data } = row;
  if (!data.answerable) {
    return {
      reason: "no-answer",
      detail: "answerable: is false, because the paragraphs do not contain the answer",
    };
  }
  if (data.paragraphs.length === 0) return { reason: "no-context", detail: "paragraphs: is empty" };
  const placeOf = new Map(data.paragraphs.map(({ idx }, place) => [idx ?? place, place]));
  const hops = data.question_decomposition.map((hop) => hop.paragraph_support_idx ?? -1);
  const lost = hops.find((idx) => idx >= 0 && !placeOf.has(idx));
  if (lost !== undefined) {
    return {
      reason: "evidence-not-in-context",
      detail: `question_decomposition: no paragraph has idx ${lost}`,
    };
  }
  const inHops = hops.flatMap((idx) => placeOf.get(idx) ?? []);
  const marked = data.paragraphs.flatMap(({ is_supporting }, place) => (is_supporting ? [place] : []));
  const gold = [...new Set([...inHops, ...marked])];
  if (gold.length === 0) return { reason: "no-evidence", detail: "paragraphs: none has is_supporting set" };
  return {
    id: data.id ?? idOfQuestion(data.question),
    question: data.question,
    answers: [...new Set([data.answer, ...data.answer_aliases.map((alias) => alias.trim()).filter(Boolean)])],
    paragraphs: data.paragraphs.map(({ title, paragraph_text }) => ({ title, text: paragraph_text.trim() })),
    gold,
    facts: { hops: Math.max(1, hops.length) },
  };
}

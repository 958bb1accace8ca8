import {
  afterThinking,
  boxedAnswer,
  boxedExactMatch,
  lastCharacters,
  normalizeAnswer,
  phraseAnswer,
  qaMetrics,
} from "@palimpsest/rewards";
import { z } from "zod";
import { goldenList } from "./golden-case.js";

/** Checks MemAgent's training reward. */
export const boxedRewards = goldenList({
  name: "cases",
  schema: z.object({
    response: z.string(),
    ground_truths: z.array(z.string()),
    expected: z.number().nullable(),
    extracted: z.string().nullable().optional(),
  }),
  compare: ({ response, ground_truths, expected, extracted = null }) => [
    {
      name: "extracted",
      expected: extracted,
      actual: boxedAnswer(lastCharacters(response, 300).toLowerCase()),
    },
    { name: "reward", expected, actual: boxedExactMatch(response, ground_truths).reward },
  ],
  choice: ({ ground_truths }, { kind }) => {
    if (ground_truths.length === 0)
      return "an error, as in the reference: a task without a right answer has no score";
    if (kind === "fbox")
      return "as the reference: \\fbox is no box, and no box before it counts; the answer scores 0";
    return "as the reference: an empty box equals an empty right answer; data sets refuse empty answers";
  },
});

const number = z.number();

/** Checks exact match, F1 and containment. */
export const qaCases = goldenList({
  name: "cases",
  schema: z.object({
    prediction: z.string().nullable(),
    gold: z.string(),
    em: number,
    f1: number,
    sub_em: number,
    precision: number,
    recall: number,
    normalized_prediction: z.string(),
    normalized_gold: z.string(),
  }),
  compare: (row) => {
    const ours = qaMetrics(row.prediction, row.gold);
    return [
      {
        name: "normalized_prediction",
        expected: row.normalized_prediction,
        actual: normalizeAnswer(row.prediction ?? ""),
      },
      { name: "normalized_gold", expected: row.normalized_gold, actual: normalizeAnswer(row.gold) },
      { name: "em", expected: row.em, actual: ours.exactMatch },
      { name: "f1", expected: row.f1, actual: ours.f1 },
      { name: "sub_em", expected: row.sub_em, actual: ours.subExactMatch },
      { name: "precision", expected: row.precision, actual: ours.precision },
      { name: "recall", expected: row.recall, actual: ours.recall },
    ];
  },
  choice: ({ normalized_prediction, normalized_gold }, { kind }) => {
    if (normalized_gold === "")
      return "a gold of articles or punctuation alone is compared with them, so that it can be answered";
    if (normalized_prediction === "")
      return "every metric is 0: a prediction without a word agrees with no gold that has one";
    if (kind.includes("article")) {
      return "as the reference: a, an and the go even where they are content, as in all published scores";
    }
    return "as the reference: containment counts in both directions; exact match and F1 stand beside it";
  },
});

const text = z.string().nullable();

/** Checks the extraction of the answer from a reply. */
export const extractionCases = goldenList({
  name: "cases",
  schema: z.object({
    text: z.string(),
    boxed_answer: text,
    phrase_answer: text,
    solution: z.string(),
    after_think: z.object({ boxed_answer: text, phrase_answer: text }),
  }),
  compare: (row) => {
    const solution = afterThinking(row.text);
    return [
      { name: "boxed_answer", expected: row.boxed_answer, actual: boxedAnswer(row.text) },
      { name: "phrase_answer", expected: row.phrase_answer, actual: phraseAnswer(row.text) },
      { name: "solution", expected: row.solution, actual: solution },
      {
        name: "after_think.boxed_answer",
        expected: row.after_think.boxed_answer,
        actual: boxedAnswer(solution),
      },
      {
        name: "after_think.phrase_answer",
        expected: row.after_think.phrase_answer,
        actual: phraseAnswer(solution),
      },
    ];
  },
  choice: () => "no answer: what the reference's extractor stops at with an assertion is no box",
});

/** Checks the whole way from a reply to its metrics, as in MemAgent's evaluation. */
export const pipelineCases = goldenList({
  name: "pipeline",
  schema: z.object({
    api: z.enum(["recurrent", "recurrent-boxed"]),
    response: z.string(),
    gold: z.string(),
    skipped: z.boolean(),
    pred: z.string().nullish(),
    f1: number.optional(),
    em: number.optional(),
    sub_em: number.optional(),
  }),
  compare: ({ api, response, gold, skipped, pred, f1, em, sub_em }) => {
    const solution = afterThinking(response);
    const prediction = api === "recurrent" ? phraseAnswer(solution) : boxedAnswer(solution);
    const metrics = qaMetrics(prediction, gold);
    return [
      { name: "skipped", expected: skipped, actual: false },
      { name: "pred", expected: pred ?? null, actual: prediction },
      { name: "f1", expected: f1, actual: roundedToHundredths(metrics.f1) },
      { name: "em", expected: em, actual: metrics.exactMatch },
      { name: "sub_em", expected: sub_em, actual: metrics.subExactMatch },
    ];
  },
  choice: ({ response }, { kind }) => {
    if (response.trim() === "") return "an empty reply is a wrong answer and stays in the denominator";
    if (kind === "think") return "no answer: thinking is never searched, even where nothing follows it";
    if (kind === "assertion") return "no answer, which is wrong; the evaluation goes on";
    return "every metric is 0: a prediction without a word in it agrees with nothing";
  },
});

/** Rounds like Python's round(value, 2): exact ties, which only odd eighths are, go to the even digit. */
export function roundedToHundredths(value: number): number {
  const eighths = value * 8;
  if (!Number.isInteger(eighths) || eighths % 2 === 0) return Number(value.toFixed(2));
  const below = Math.floor(value * 100);
  return (below % 2 === 0 ? below : below + 1) / 100;
}

import { chosenOption, evidenceRecall, locomoF1, porterStem } from "@palimpsest/rewards";
import { z } from "zod";
import { goldenList } from "./golden-case.js";

/** Checks the official LoCoMo score of one answer. */
export const locomoCases = goldenList({
  name: "cases",
  schema: z.object({
    category: z.number(),
    prediction: z.string().nullable(),
    gold: z.union([z.string(), z.number()]).nullable(),
    expected: z.number().nullable(),
  }),
  compare: ({ category, prediction, gold, expected }) => [
    { name: "score", expected, actual: locomoF1(category, prediction, gold) },
  ],
  choice: ({ category, prediction, gold }) => {
    if (prediction === null) return "0: no prediction is a wrong answer, not the end of the evaluation";
    if (category === 5) {
      return `${locomoF1(category, prediction, gold)}: the score needs no gold, only whether the answer abstains`;
    }
    if (category < 1 || category > 5) return "an error, as in the reference: there is no such category";
    return "0, as the reference: where nothing is left to compare nothing is known";
  },
});

const ids = z.array(z.string());
const neverContested = () => "as computed";

/** Checks the share of the evidence that was retrieved. */
export const evidenceCases = goldenList({
  name: "evidence_recall",
  schema: z.object({ context_ids: ids, evidence: ids, expected: z.number() }),
  compare: ({ context_ids, evidence, expected }) => [
    { name: "recall", expected, actual: evidenceRecall(context_ids, evidence) },
  ],
  choice: neverContested,
});

/** Checks which of two options a reply chose. */
export const choiceCases = goldenList({
  name: "choice",
  schema: z.object({
    reply: z.string(),
    options: z.object({ a: z.string(), b: z.string() }),
    expected: z.string(),
  }),
  compare: ({ reply, options, expected }) => [
    { name: "choice", expected, actual: chosenOption(reply, options) },
  ],
  choice: neverContested,
});

/** Checks Porter stems. */
export const stemCases = goldenList({
  name: "stems",
  schema: z.object({ word: z.string(), stem: z.string() }),
  compare: ({ word, stem }) => [{ name: "stem", expected: stem, actual: porterStem(word) }],
  choice: neverContested,
});

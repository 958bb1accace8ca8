import { bleuOne, chosenOption, type Judge, locomoCategory, locomoF1 } from "@palimpsest/rewards";
import { type AnswerForm, answerIn } from "../suite/qa-scorer.js";
import type { Scorer } from "../suite/scorer.js";

/**
 * Scores with LoCoMo's official F1 by category, BLEU-1, and the judge's verdict if there is a judge. It takes items of
 * `locomoItems`.
 * @param options.judge the judge and the name of its model; the name is part of the key of cached scores
 */
export function locomoScorer(
  options: {
    readonly form?: AnswerForm;
    readonly judge?: { readonly name: string; readonly judge: Judge };
  } = {},
): Scorer {
  const { form = "auto", judge } = options;
  return {
    name: `locomo/${form}${judge ? `/${judge.name}` : ""}`,
    metrics: [
      { name: "f1", label: "F1", kind: "mean" },
      { name: "bleu1", label: "BLEU-1", kind: "mean" },
      ...(judge ? ([{ name: "judge", label: "judge", kind: "share" }] as const) : []),
    ],
    async score({ question, answers, metadata }, { text }, signal) {
      const category = locomoCategory(String(metadata["category"]));
      const reply = answerIn(text, form) ?? "";
      const { a, b } = metadata;
      const answer = typeof a === "string" && typeof b === "string" ? chosenOption(reply, { a, b }) : reply;
      const [gold = ""] = answers;
      const f1 = locomoF1(category, answer, gold);
      const bleu1 = category === "adversarial" ? f1 : bleuOne(answer, gold);
      if (!judge) return { f1, bleu1 };
      const verdict = await judge.judge.judge({ question, answers, prediction: answer }, signal);
      return { f1, bleu1, judge: verdict ? 1 : 0 };
    },
  };
}

import { afterThinking, bestQaMetrics, boxedText, phraseAnswer } from "@palimpsest/rewards";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { EvaluationError } from "../error.js";
import type { EvalItem } from "./item.js";
import { refuses } from "./refusal.js";
import type { Scorer } from "./scorer.js";

/**
 * Where the answer is in a reply. boxed: in its last box, without commands such as \text; phrase: after its last "the answer is"; reply: all of it;
 * auto: the first of these that exists.
 */
export const answerForms = ["auto", "boxed", "phrase", "reply"] as const;
/** The forms in which a reply is scored. */
export type AnswerForm = (typeof answerForms)[number];

/** Returns null when the reply has no answer in this form. */
export function answerIn(reply: string, form: AnswerForm): string | null {
  const text = afterThinking(reply);
  if (form === "boxed") return boxedText(text);
  if (form === "phrase") return phraseAnswer(text);
  if (form === "reply") return text.trim();
  return boxedText(text) ?? phraseAnswer(text) ?? text.trim();
}

/**
 * Returns the score of an answer for which only refusing counts: of a question without an answer (metadata `abstention`)
 * 1 for a refusal and 0 for anything else, and 0 for a refusal of a question that has an answer, so that "not mentioned"
 * behind every answer wins nothing. Undefined if the answer's words decide.
 */
function refusalScore({ answers, metadata }: EvalItem, answer: string): number | undefined {
  const { abstention } = metadata;
  if (abstention === true) return refuses(answer) ? 1 : 0;
  return abstention === false && refuses(answer) && !answers.some(refuses) ? 0 : undefined;
}

const scorerOptions = z.strictObject({
  form: z.enum(answerForms).optional(),
  golds: z.enum(["any", "first"]).optional(),
  primary: z.enum(["exactMatch", "f1", "subExactMatch"]).optional(),
});

/**
 * Scores exact match, F1 and containment of question answering, with the best of the right answers. Where the items'
 * metadata say whether there is an answer (`abstention`), a refusal is right exactly if there is none.
 * @param options.golds "first": only the first right answer counts, as in the official RULER-HQA evaluation
 */
export function qaScorer(options: {
  readonly form?: AnswerForm;
  readonly golds?: "any" | "first";
  /** The metric that comes first. Default exactMatch. */
  readonly primary?: "exactMatch" | "f1" | "subExactMatch" | undefined;
}): Scorer {
  parseInput(
    scorerOptions,
    options,
    (problem) => new EvaluationError("BAD_CONFIG", `qaScorer(): ${problem}`),
  );
  const { form = "auto", golds = "any", primary = "exactMatch" } = options;
  const metrics = [
    { name: "exactMatch", label: "EM", kind: "share" },
    { name: "f1", label: "F1", kind: "mean" },
    { name: "subExactMatch", label: "sub-EM", kind: "share" },
  ] as const;
  return {
    name: `qa/${form}/${golds}`,
    metrics: [...metrics].sort((a, b) => Number(b.name === primary) - Number(a.name === primary)),
    score(item, { text }) {
      const answer = answerIn(text, form);
      const right = golds === "first" ? item.answers.slice(0, 1) : item.answers;
      const refused = refusalScore(item, answer ?? "");
      if (refused !== undefined) return { exactMatch: refused, f1: refused, subExactMatch: refused };
      const { exactMatch, f1, subExactMatch } = bestQaMetrics(answer, right);
      return { exactMatch, f1, subExactMatch };
    },
  };
}

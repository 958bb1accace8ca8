import { afterThinking, rulerRuleOf, rulerScores } from "@palimpsest/rewards";
import type { Scorer } from "../suite/scorer.js";

/**
 * Computes RULER's score of the whole reply by the rule of the item's task (metadata `task`), and whether the reply is
 * complete. Text up to `</think>` is ignored.
 */
export const rulerScorer: Scorer = {
  name: "ruler/1",
  metrics: [
    { name: "ruler", label: "RULER", kind: "mean" },
    { name: "complete", label: "complete", kind: "share" },
  ],
  score({ answers, metadata }, { text }) {
    const scores = rulerScores(afterThinking(text), answers);
    const ruler = scores[rulerRuleOf(String(metadata["task"]))];
    return { ruler, complete: ruler === 1 ? 1 : 0 };
  },
};

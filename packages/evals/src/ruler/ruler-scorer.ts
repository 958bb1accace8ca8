import { afterThinking, rulerRuleOf, rulerScores } from "@palimpsest/rewards";
import type { Scorer } from "../suite/scorer.js";

/**
 * RULER's score of the whole reply by the rule of the item's task (metadata `task`), and whether nothing is missing
 * from it. Text up to `</think>` does not count.
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

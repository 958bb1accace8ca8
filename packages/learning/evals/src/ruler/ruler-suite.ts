import { type RulerTaskSources, type RulerTasksInput, rulerTaskSet } from "@palimpsest/datasets";
import { afterThinking, rulerRuleOf, rulerScores } from "@palimpsest/rewards";
import { fingerprint } from "../suite/fingerprint.js";
import type { EvalItem } from "../suite/item.js";
import type { Scorer } from "../suite/scorer.js";

/**
 * Returns RULER's tasks as items, grouped by nominal length. Documents are built in pieces when they are read, so that
 * an item of a million tokens is kept only as the settings that generate it.
 * @throws {DatasetError} BAD_CONFIG
 */
export function rulerItems(config: RulerTasksInput, sources: RulerTaskSources = {}): EvalItem[] {
  return [...rulerTaskSet(config, sources)].map(({ pieces, metadata, ...task }): EvalItem => {
    const { length } = metadata;
    return {
      ...task,
      group: typeof length === "number" ? length : "all",
      document: {
        fingerprint: fingerprint({ ...task, metadata, seed: config.seed ?? 0 }),
        open: () => pieces(),
      },
      metadata,
    };
  });
}

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

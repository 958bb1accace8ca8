import { splitWords } from "./white-space.js";

/**
 * Question-answering metrics as in SQuAD and HotpotQA: exact match, F1 over tokens, containment. Source:
 * BytedTsinghua-SIA/MemAgent, taskutils/memory_eval/utils. Departs in one point: when prediction or gold is empty after
 * normalization, every metric is 0 (in the reference the empty text is contained in everything and equal to itself).
 * Kept although disputable: containment counts in both directions, so a fragment of the gold counts for
 * `subExactMatch`; a, an and the are removed even where they are content.
 */
export interface QaMetrics {
  readonly exactMatch: number;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly subExactMatch: number;
}

const nothing: QaMetrics = { exactMatch: 0, f1: 0, precision: 0, recall: 0, subExactMatch: 0 };

const asciiPunctuation = /[!-/:-@[-`{-~]/g;
// This is Python's \w: letters, decimal and other numbers, and the underscore. Marks are not part of a word.
const article = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** Lower-cases, removes ASCII punctuation and articles, and collapses spaces. There is no Unicode normalization. */
export function normalizeAnswer(text: string): string {
  return splitWords(text.toLowerCase().replace(asciiPunctuation, "").replace(article, " ")).join(" ");
}

/** Computes the metrics of one prediction against one gold answer; null (no prediction) scores 0. */
export function qaMetrics(prediction: string | null, gold: string): QaMetrics {
  const left = normalizeAnswer(prediction ?? "");
  const right = normalizeAnswer(gold);
  if (left === "" || right === "") return nothing;
  return {
    exactMatch: left === right ? 1 : 0,
    subExactMatch: left.includes(right) || right.includes(left) ? 1 : 0,
    ...tokenF1(left, right),
  };
}

function tokenF1(left: string, right: string): Pick<QaMetrics, "f1" | "precision" | "recall"> {
  const none = { f1: 0, precision: 0, recall: 0 };
  // A yes, no or noanswer matches only itself.
  const closed = ["yes", "no", "noanswer"];
  if ((closed.includes(left) || closed.includes(right)) && left !== right) return none;
  const predicted = left.split(" ");
  const wanted = right.split(" ");
  const counts = new Map<string, number>();
  for (const token of wanted) counts.set(token, (counts.get(token) ?? 0) + 1);
  let same = 0;
  for (const token of predicted) {
    const left = counts.get(token) ?? 0;
    if (left > 0) same += 1;
    counts.set(token, left - 1);
  }
  if (same === 0) return none;
  const precision = same / predicted.length;
  const recall = same / wanted.length;
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

/** Returns the best value of each metric over several gold answers. */
export function bestQaMetrics(prediction: string | null, answers: readonly string[]): QaMetrics {
  return answers
    .map((gold) => qaMetrics(prediction, gold))
    .reduce(
      (best, metrics) => ({
        exactMatch: Math.max(best.exactMatch, metrics.exactMatch),
        f1: Math.max(best.f1, metrics.f1),
        precision: Math.max(best.precision, metrics.precision),
        recall: Math.max(best.recall, metrics.recall),
        subExactMatch: Math.max(best.subExactMatch, metrics.subExactMatch),
      }),
      nothing,
    );
}

/**
 * Returns the fraction of the wanted answers that the prediction contains, which is the reward of tasks with several
 * values.
 */
export function containedFraction(prediction: string | null, answers: readonly string[]): number {
  if (answers.length === 0) return 0;
  const text = normalizeAnswer(prediction ?? "");
  const contained = answers.map(normalizeAnswer).filter((gold) => gold !== "" && text.includes(gold));
  return contained.length / answers.length;
}

import { splitWords } from "./white-space.js";

/**
 * Question-answering metrics as in SQuAD and HotpotQA: exact match, F1 over tokens, containment. Source:
 * BytedTsinghua-SIA/MemAgent, taskutils/memory_eval/utils. Departs in two points. A prediction of which normalization
 * leaves nothing scores 0 in every metric (in the reference the empty text is contained in everything and equal to
 * itself). A gold of which it leaves nothing, such as "A", "The" or "+", is compared in the first of the forms that
 * keeps something of it: with articles, then with punctuation as well; it is contained only as whole words.
 * Kept although disputable: containment counts in both directions, so a fragment of the gold counts for
 * `subExactMatch`; a, an and the are removed where something else is left.
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

const withArticles = (text: string) => splitWords(text.toLowerCase().replace(asciiPunctuation, "")).join(" ");
const asWritten = (text: string) => splitWords(text.toLowerCase()).join(" ");

/** Returns the form in which texts are compared with a gold: the first that leaves something of it. */
function comparedForm(gold: string): (text: string) => string {
  return [normalizeAnswer, withArticles].find((form) => form(gold) !== "") ?? asWritten;
}

/** Returns whether a text in the gold's form contains the gold in that form. */
function contains(text: string, gold: string, form: (text: string) => string): boolean {
  if (gold === "") return false;
  // "a" and "+" are letters and signs of many other words.
  return form === normalizeAnswer ? text.includes(gold) : ` ${text} `.includes(` ${gold} `);
}

/** Computes the metrics of one prediction against one gold answer; null (no prediction) scores 0. */
export function qaMetrics(prediction: string | null, gold: string): QaMetrics {
  const form = comparedForm(gold);
  const left = form(prediction ?? "");
  const right = form(gold);
  if (left === "" || right === "") return nothing;
  return {
    exactMatch: left === right ? 1 : 0,
    subExactMatch: contains(left, right, form) || contains(right, left, form) ? 1 : 0,
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
  const contained = answers.filter((gold) => {
    const form = comparedForm(gold);
    return contains(form(prediction ?? ""), form(gold), form);
  });
  return contained.length / answers.length;
}

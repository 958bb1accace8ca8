import { type LocomoCategory, locomoCategories } from "@palimpsest/trajectories/records";
import { RewardError } from "../error.js";
import { splitWords, stripWhiteSpace } from "../white-space.js";
import { porterStem } from "./porter-stem.js";

/**
 * Returns the category's name from its number in the data, 1 to 5, or from its name.
 * @throws {RewardError} UNKNOWN_CATEGORY
 */
export function locomoCategory(category: string | number): LocomoCategory {
  const found = locomoCategories.find((name, i) => name === category || i + 1 === category);
  if (found === undefined) {
    throw new RewardError(
      "UNKNOWN_CATEGORY",
      `category: ${JSON.stringify(category)} is not a LoCoMo category; use 1 to 5 or ${locomoCategories.join(", ")}`,
    );
  }
  return found;
}

const asciiPunctuation = /[!-/:-@[-`{-~]/g;
// These are a word's characters as Python's `regex` module defines them, including marks and joiners, which its `re`
// leaves out.
const word = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d]";
const article = new RegExp(`(?<!${word})(?:a|an|the|and)(?!${word})`, "gu");

/** Returns the stems of the words of a text. */
export type StemsOf = (text: string) => string[];

/**
 * Returns the stems of a text's words: in lower case, without ASCII punctuation (including commas), a, an, the and
 * "and".
 */
export function locomoStems(text: string): string[] {
  const plain = text.toLowerCase().replace(asciiPunctuation, "").replace(article, " ");
  return splitWords(plain).map(porterStem);
}

const stemsWithArticles: StemsOf = (text) =>
  splitWords(text.toLowerCase().replace(asciiPunctuation, "")).map(porterStem);
const stemsAsWritten: StemsOf = (text) => splitWords(text.toLowerCase()).map(porterStem);

/** Returns F1 over two multisets of stems; 0 when nothing is shared, including when both are empty. */
export function stemF1(predicted: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const stem of wanted) left.set(stem, (left.get(stem) ?? 0) + 1);
  let same = 0;
  for (const stem of predicted) {
    const count = left.get(stem) ?? 0;
    if (count === 0) continue;
    same += 1;
    left.set(stem, count - 1);
  }
  if (same === 0) return 0;
  const precision = same / predicted.length;
  const recall = same / wanted.length;
  return (2 * precision * recall) / (precision + recall);
}

/** A part of a gold answer, and how texts are read that are compared with it. */
export interface WantedPart {
  readonly stems: readonly string[];
  readonly stemsOf: StemsOf;
}

/** Reads a part as LoCoMo does, unless that leaves nothing of it ("A", "And", "+"): then with more of its signs. */
function wantedPart(text: string): WantedPart {
  const stemsOf =
    [locomoStems, stemsWithArticles].find((read) => read(text).length > 0) ??
    (text.trim() === "" ? locomoStems : stemsAsWritten);
  return { stems: stemsOf(text), stemsOf };
}

/**
 * Returns the parts that its category compares: a multi-hop gold is split at commas, of an open-domain gold only the
 * part before the first `;` counts, and others are compared whole.
 */
export function locomoParts(category: Exclude<LocomoCategory, "adversarial">, gold: string): WantedPart[] {
  const parts =
    category === "multi-hop" ? gold.split(",") : [category === "open-domain" ? openPart(gold) : gold];
  // A gold of separators alone has no parts.
  const texts = parts.every((part) => part.trim() === "") ? [gold] : parts;
  return texts.map((part) => wantedPart(stripWhiteSpace(part)));
}

const openPart = (gold: string) => gold.split(";", 1)[0] as string;

/** Returns whether an answer says that the conversation does not contain the information. */
export function abstains(prediction: string): boolean {
  const lower = prediction.toLowerCase();
  return lower.includes("no information available") || lower.includes("not mentioned");
}

/**
 * Returns LoCoMo's official score of one answer, in [0, 1]. Multi-hop: both sides are split at every comma (in "1,000"
 * too), and the score is the mean over the gold's parts of the best F1. Open-domain: only the gold before its first `;`
 * counts. Adversarial: 1 when the answer abstains. Others: F1 over stems. Source: snap-research/LoCoMo,
 * task_eval/evaluation.py. Departs: null (no prediction) scores 0, and adversarial questions need no gold (the
 * reference fails on both); a gold of articles or punctuation alone is compared with them (0 in the reference).
 * @throws {RewardError} UNKNOWN_CATEGORY, NO_GROUND_TRUTH
 */
export function locomoF1(
  category: LocomoCategory | number,
  prediction: string | null,
  gold: string | number | null,
): number {
  const name = locomoCategory(category);
  if (name === "adversarial") return prediction !== null && abstains(prediction) ? 1 : 0;
  if (gold === null) {
    throw new RewardError(
      "NO_GROUND_TRUTH",
      "answer: is missing; only adversarial questions have no right answer",
    );
  }
  if (prediction === null) return 0;
  const predicted = name === "multi-hop" ? prediction.split(",") : [prediction];
  const best = locomoParts(name, String(gold)).map(({ stems, stemsOf }) =>
    Math.max(...predicted.map((part) => stemF1(stemsOf(part), stems))),
  );
  return best.reduce((sum, value) => sum + value, 0) / best.length;
}

/**
 * Returns the same score where it is a reward: in a multi-hop answer with more parts than the gold each part counts for
 * less, because listing every name would otherwise hold every gold.
 */
export function pricedLocomoF1(category: LocomoCategory, prediction: string, gold: string): number {
  const score = locomoF1(category, prediction, gold);
  if (category !== "multi-hop") return score;
  const given = prediction.split(",").filter((part) => part.trim() !== "").length;
  return score * Math.min(1, locomoParts(category, gold).length / Math.max(1, given));
}

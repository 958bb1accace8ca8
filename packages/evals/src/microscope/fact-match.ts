/**
 * Responsibility: whether a text says a fact, in its words or in others. A fact is said in other words when one sentence
 * holds the words that set it apart, close enough together to speak of each other.
 * Not responsible for: what the fact means. A sentence that denies it holds its words too.
 */
import { meaningOf, sentencesOf, wordsOf } from "./words.js";

export type Said = "exact" | "rephrased" | "no";

/** Share of a fact's weight that a sentence must hold; more of it where nobody knows which words are rare. */
const enough = { known: 0.62, unknown: 0.7 } as const;
/** Meaningful words that may stand between those of the fact: with more, another thing is spoken of. */
const slack = 2;
/** Names and numbers set a fact apart more than other words that are as rare. */
const nameBonus = 1.5;

export interface FactPattern {
  readonly text: string;
  /** In the order of the fact. */
  readonly words: readonly string[];
  /** Rare words weigh more: they set the fact apart from others like it. */
  readonly weights: ReadonlyMap<string, number>;
  /** What must be there: the two that weigh most; where nobody knows which words are rare, the names. */
  readonly needed: readonly string[];
  readonly enough: number;
}

/**
 * How often the words of the facts stand in all texts of an episode. Found by their stems, in which endings are left out,
 * which costs a hundredth of what reading every word of every text would.
 */
export function countWords(facts: readonly string[], texts: Iterable<string>): Map<string, number> {
  const counts = new Map(facts.flatMap(wordsOf).map((word) => [word, 0]));
  for (const text of texts) {
    const lower = text.toLowerCase();
    for (const [word, count] of counts) {
      let found = 0;
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) found += 1;
      if (found > 0) counts.set(word, count + found);
    }
  }
  return counts;
}

/** @param counts of the documents that the fact stands in: what is frequent there sets nothing apart */
export function patternOf(
  text: string,
  counts: ReadonlyMap<string, number>,
  rarity: keyof typeof enough = "known",
): FactPattern {
  const words = meaningOf(text);
  const names = new Set((text.match(/(?<![\p{L}\p{N}])[\p{Lu}\p{N}][\p{L}\p{N}]*/gu) ?? []).flatMap(wordsOf));
  const weightOf = (word: string) =>
    (names.has(word) ? nameBonus : 1) / (1 + Math.log(1 + (counts.get(word) ?? 0)));
  const weights = new Map(words.map((word) => [word, weightOf(word)]));
  const byWeight = [...weights].sort(([, a], [, b]) => b - a);
  const heaviest = byWeight.slice(0, 2).map(([word]) => word);
  const named = words.filter((word) => names.has(word));
  const needed = rarity === "known" || named.length === 0 ? heaviest : named;
  return { text, words: wordsOf(text), weights, needed, enough: enough[rarity] };
}

/** Whether the text says the fact. */
export function saysFact(text: string, pattern: FactPattern): Said {
  if (pattern.words.length === 0 || text === "") return "no";
  const lower = text.toLowerCase();
  if (!pattern.needed.every((word) => lower.includes(word))) return "no";
  if (holdsWords(wordsOf(text), pattern.words)) return "exact";
  for (const sentence of sentencesOf(text)) {
    if (isClose(meaningOf(sentence), pattern)) return "rephrased";
  }
  return "no";
}

function holdsWords(words: readonly string[], wanted: readonly string[]): boolean {
  const [first] = wanted;
  for (let at = words.indexOf(first ?? ""); at >= 0; at = words.indexOf(first ?? "", at + 1)) {
    if (wanted.every((word, index) => words[at + index] === word)) return true;
  }
  return false;
}

/** The smallest window that holds the needed words holds enough of the fact, and is no longer than the fact and a bit. */
function isClose(words: readonly string[], { weights, needed, enough: share }: FactPattern): boolean {
  if (!needed.every((word) => words.includes(word))) return false;
  const longest = weights.size + slack;
  let total = 0;
  for (const weight of weights.values()) total += weight;
  for (let from = 0; from < words.length; from++) {
    if (!weights.has(words[from] ?? "")) continue;
    const seen = new Set<string>();
    let held = 0;
    for (let at = from; at < Math.min(words.length, from + longest); at++) {
      const word = words[at] ?? "";
      const weight = weights.get(word);
      if (weight === undefined || seen.has(word)) continue;
      seen.add(word);
      held += weight;
      if (held >= share * total && needed.every((one) => seen.has(one))) return true;
    }
  }
  return false;
}

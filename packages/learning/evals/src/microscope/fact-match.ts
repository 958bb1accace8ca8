/**
 * Responsibility: decides whether a text says a fact, literally or paraphrased. A fact is paraphrased when one sentence
 * contains the words that distinguish it, close enough together to refer to each other.
 * Not responsible for: what the fact means. A sentence that denies the fact contains its words too.
 */
import { foldText } from "@palimpsest/memory/text";
import { meaningOf, sentencesOf, wordsOf } from "./words.js";

/** Whether a text contains a fact, word by word or in other words. */
export type Said = "exact" | "rephrased" | "no";

/** Fraction of a fact's weight that a sentence must contain; it is higher when the words' frequencies are unknown. */
const enough = { known: 0.62, unknown: 0.7 } as const;
/**
 * Number of meaningful words that may be between those of the fact. With more, the sentence is about something else.
 */
const slack = 2;
/** Names and numbers distinguish a fact more than other words that are as rare. */
const nameBonus = 1.5;

/** Words of Chinese and Japanese count by their characters: most that are longer than one character are nouns. */
const lengthOf = (word: string) =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word) ? word.length : 1;

export interface FactPattern {
  readonly text: string;
  /** The words in the order of the fact. */
  readonly words: readonly string[];
  /** Rare words weigh more, because they distinguish the fact from similar ones. */
  readonly weights: ReadonlyMap<string, number>;
  /**
   * Words that must occur: the two that weigh most and are not parts of one name, or the names when the words' frequencies
   * are unknown.
   */
  readonly needed: readonly string[];
  readonly enough: number;
}

/**
 * Counts how often the words of the facts occur in all texts of an episode. It searches for their stems without
 * endings, which costs a hundredth of parsing every word of every text.
 */
export function countWords(facts: readonly string[], texts: Iterable<string>): Map<string, number> {
  const counts = new Map(facts.flatMap(wordsOf).map((word) => [word, 0]));
  for (const text of texts) {
    const lower = foldText(text);
    for (const [word, count] of counts) {
      let found = 0;
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) found += 1;
      if (found > 0) counts.set(word, count + found);
    }
  }
  return counts;
}

/**
 * Returns the pattern of a fact, with which `saysFact` searches texts.
 * @param counts word counts of the documents that contain the fact; words that are frequent there distinguish nothing
 */
export function patternOf(
  text: string,
  counts: ReadonlyMap<string, number>,
  rarity: keyof typeof enough = "known",
): FactPattern {
  const words = meaningOf(text);
  const names = new Set((text.match(/(?<![\p{L}\p{N}])[\p{Lu}\p{N}][\p{L}\p{N}]*/gu) ?? []).flatMap(wordsOf));
  const weightOf = (word: string) =>
    (names.has(word) ? nameBonus : lengthOf(word)) / (1 + Math.log(1 + (counts.get(word) ?? 0)));
  const weights = new Map(words.map((word) => [word, weightOf(word)]));
  const heaviest = heaviestWords(words, weights, counts);
  const named = words.filter((word) => names.has(word));
  const needed = rarity === "known" || named.length === 0 ? heaviest : named;
  return { text, words: wordsOf(text), weights, needed, enough: enough[rarity] };
}

/**
 * Returns the two words that weigh most. A dictionary splits compounds and names of scripts without spaces, and the parts
 * of one distinguish together what one of them does: only the heaviest of them is returned, and they weigh as a whole.
 */
function heaviestWords(
  words: readonly string[],
  weights: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
): string[] {
  const weightOf = (word = "") => weights.get(word) ?? 0;
  const compounds: string[][] = [];
  for (const word of weights.keys()) {
    const last = compounds.at(-1);
    const before = last?.at(-1) ?? "";
    const isNext = words[words.indexOf(before) + 1] === word;
    // Parts that occurred together once may have met by chance.
    const isTogether = (counts.get(word) ?? 0) > 1 && counts.get(word) === counts.get(before);
    if (last !== undefined && isNext && isTogether && isOfOneScript(before, word)) last.push(word);
    else compounds.push([word]);
  }
  const whole = compounds.map((parts) => {
    const sorted = parts.toSorted((a, b) => weightOf(b) - weightOf(a));
    const [first = ""] = sorted;
    const isCounted = lengthOf(first) > 1 || han.test(first);
    const weight = isCounted ? parts.reduce((sum, part) => sum + weightOf(part), 0) : weightOf(first);
    return { sorted, weight };
  });
  const [one, other] = whole.sort((a, b) => b.weight - a.weight).map(({ sorted }) => sorted);
  return [one?.[0], other?.[0] ?? one?.[1]].filter((word) => word !== undefined);
}

const han = /^\p{Script=Han}+$/u;
const scripts = [
  han,
  /^[\p{Script=Katakana}ー]+$/u,
  /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+$/u,
];
const isOfOneScript = (a: string, b: string) => scripts.some((script) => script.test(a) && script.test(b));

/** Returns whether the text says the fact. */
export function saysFact(text: string, pattern: FactPattern): Said {
  if (pattern.words.length === 0 || text === "") return "no";
  const lower = foldText(text);
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

/**
 * Returns whether the smallest window with the needed words contains enough of the fact and is not much longer than the
 * fact.
 */
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

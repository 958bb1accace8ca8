import { codedWords, type DistinctTexts } from "./distinct-words.js";
import type { Draft, DraftInput } from "./draft.js";
import { noDocument } from "./draft-error.js";
import { createPermutation } from "./permutation.js";
import { largestFit } from "./token-counter.js";

/**
 * A list of words with repetitions, in an order drawn from the seed. Its words are computed instead of kept in memory.
 */
interface WordList {
  readonly entries: number;
  /** Returns the word of an entry. Entries are numbered by the rank of their word, not in the list's order. */
  wordAt(entry: number): string;
}

function* entriesInOrder(seed: string, { entries, wordAt }: WordList): IterableIterator<string> {
  const permutation = createPermutation(`${seed}/order`, entries);
  for (let place = 0; place < entries; place++) yield wordAt(permutation(place));
}

/**
 * Creates a task of common words: a numbered list in which some words occur often and all others seldom. The answers
 * are the common words.
 */
export function commonWordsTask(input: DraftInput): Draft {
  const { seed, counter, budgetTokens } = input;
  const { common, commonRepeats, otherRepeats } = input.config.commonWords;
  const words = codedWords(seed);
  const question = `Which ${common} words stand most often in the numbered list? Name all ${common} of them.`;
  const commonEntries = common * commonRepeats;
  const entriesOf = (others: number) => commonEntries + others * otherRepeats;
  const wordAt = (entry: number) =>
    words.at(
      entry < commonEntries
        ? Math.floor(entry / commonRepeats)
        : common + Math.floor((entry - commonEntries) / otherRepeats),
    );

  const others = othersThatFit(words, budgetTokens - counter.count(question), input);
  if (others < 1) throw noDocument(input);

  const list = { entries: entriesOf(others), wordAt };
  return {
    question,
    answers: Array.from({ length: common }, (_, i) => words.at(i)),
    metadata: { words: list.entries, distinctWords: common + others },
    *pieces() {
      let number = 0;
      for (const word of entriesInOrder(seed, list)) {
        number += 1;
        yield `${number === 1 ? "" : " "}${number}. ${word}`;
      }
    },
  };
}

/**
 * Returns how many words besides the common ones fit. This is a separate function so that its sums are not kept with
 * the task.
 */
function othersThatFit(words: DistinctTexts, budgetTokens: number, { config, counter }: DraftInput): number {
  const { common, commonRepeats, otherRepeats } = config.commonWords;
  let commonTokens = 0;
  for (let i = 0; i < common; i++) commonTokens += counter.count(` ${words.at(i)}`) * commonRepeats;
  const otherTokens = [0];
  const numberTokens = [0];
  const tokensOf = (others: number) => {
    for (let i = otherTokens.length - 1; i < others; i++) {
      otherTokens.push((otherTokens[i] as number) + counter.count(` ${words.at(common + i)}`) * otherRepeats);
    }
    const entries = common * commonRepeats + others * otherRepeats;
    for (let i = numberTokens.length - 1; i < entries; i++) {
      numberTokens.push((numberTokens[i] as number) + counter.count(` ${i + 1}.`));
    }
    return commonTokens + (otherTokens[others] as number) + (numberTokens[entries] as number);
  };
  return largestFit(tokensOf, budgetTokens, 1, words.size - common);
}

/**
 * Creates a task of frequent words: made-up words, of which the k-th has a share proportional to k^-alpha of the text
 * (Zipf). The first one stands for noise and is "..."; the answers are the next `asked` words, by default three.
 */
export function frequentWordsTask(input: DraftInput): Draft {
  const { seed, counter, budgetTokens } = input;
  const { alpha, vocabulary, asked } = input.config.frequentWords;
  const coded = codedWords(seed);
  const wordOf = (rank: number) => (rank === 0 ? "..." : coded.at(rank));
  const question = `The text is made of coded words; "..." stands for nothing and does not count. Which ${asked} coded words stand in it most often? Name all ${asked} of them.`;
  const zeta = zetaOf(alpha);
  const tokens = Array.from({ length: vocabulary }, (_, rank) => counter.count(` ${wordOf(rank)}`));
  const repeats = (length: number) =>
    Array.from({ length: vocabulary }, (_, rank) => Math.floor(length / (zeta * (rank + 1) ** alpha)));
  const tokensOf = (length: number) =>
    repeats(length).reduce((sum, count, rank) => sum + count * (tokens[rank] as number), 0);
  const budget = budgetTokens - counter.count(question);
  const length = largestFit(tokensOf, budget, 0, 2 * Math.max(1, budget));
  const counts = repeats(Math.max(0, length));
  // The last requested word must occur more often than the next one.
  if ((counts[asked] ?? 0) <= (counts[asked + 1] ?? 0)) throw noDocument(input);

  const ends = counts.map(
    (
      (sum) => (count) =>
        (sum += count)
    )(0),
  );
  const entries = ends.at(-1) as number;
  const wordAt = (entry: number) => wordOf(firstAbove(ends, entry));
  return {
    question,
    answers: Array.from({ length: asked }, (_, i) => wordOf(i + 1)),
    metadata: { words: entries, distinctWords: counts.filter((count) => count > 0).length, alpha },
    *pieces() {
      let first = true;
      for (const word of entriesInOrder(seed, { entries, wordAt })) {
        yield first ? word : ` ${word}`;
        first = false;
      }
    },
  };
}

/**
 * Computes Riemann's zeta function for s above 1: the sum of the first terms, and the integral with its first
 * correction for the rest.
 */
function zetaOf(s: number): number {
  let sum = 0;
  const terms = 1000;
  for (let k = 1; k < terms; k++) sum += k ** -s;
  return sum + terms ** (1 - s) / (s - 1) + terms ** -s / 2;
}

/** Returns the index of the first end that is above the entry. */
function firstAbove(ends: readonly number[], entry: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ends[middle] as number) > entry) high = middle;
    else low = middle + 1;
  }
  return low;
}

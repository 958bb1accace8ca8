import type { CountTokens } from "../tasks/count-tokens.js";

/** Counts the tokens of texts that repeat words many times, as generated documents do. */
export interface TokenCounter {
  /** Returns the number of tokens of a text, which must begin at the beginning of a word or a line. */
  count(text: string): number;
}

/**
 * Creates a counter that tokenizes each distinct word once. Texts are split only where the byte-level tokenizers of
 * today's models always split: before a space that a word follows, after a run of letters and digits and, with a
 * tokenizer that splits numbers into single digits, around each digit.
 *
 * @param mostKept maximum number of distinct words whose counts are cached; beyond it the cache is cleared
 */
export function tokenCounter(countTokens: CountTokens, mostKept = 300_000): TokenCounter {
  const known = new Map<string, number>();
  const countWord = (word: string): number => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= mostKept) known.clear();
    const tokens = countTokens(word);
    known.set(word, tokens);
    return tokens;
  };
  const digitByDigit = countTokens("1234567890") === 10 && countTokens("a2b3c4") === 6;
  const cuts = digitByDigit ? cutsAroundDigits : cutsBetweenWords;
  return {
    count(text) {
      let tokens = 0;
      for (const word of text.split(cuts)) tokens += countWord(word);
      return tokens;
    },
  };
}

const cutsBetweenWords = /(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\p{M}])|(?<=\S)(?= \S)/u;
const cutsAroundDigits =
  /(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\p{M}])|(?<=\S)(?= \S)|(?<=[0-9])(?=[\p{L}0-9])|(?<=\p{L})(?=[0-9])/u;

/**
 * Estimates tokens where no tokenizer is given. The estimate of a document is the sum over its words, each rounded up.
 */
export const estimateTokens =
  (charactersPerToken: number): CountTokens =>
  (text) =>
    Math.ceil(text.length / charactersPerToken);

/**
 * Returns the largest n in [least, most] for which `tokensOf(n)` is within the budget, or `least - 1` if there is none.
 * `tokensOf` must not decrease as n grows. The search begins by doubling its step, so that a short document never
 * causes a count near `most`.
 */
export function largestFit(
  tokensOf: (n: number) => number,
  budget: number,
  least: number,
  most: number,
): number {
  if (tokensOf(least) > budget) return least - 1;
  let fits = least;
  let step = 1;
  while (fits + step <= most && tokensOf(fits + step) <= budget) {
    fits += step;
    step *= 2;
  }
  let above = Math.min(fits + step, most + 1);
  while (above - fits > 1) {
    const middle = Math.floor((fits + above) / 2);
    if (tokensOf(middle) <= budget) fits = middle;
    else above = middle;
  }
  return fits;
}

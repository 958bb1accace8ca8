import type { CountTokens } from "../tasks/count-tokens.js";

/** Counts tokens of texts that repeat words over and over, as generated documents do. */
export interface TokenCounter {
  /** Tokens of a text that begins where a word or a line begins. */
  count(text: string): number;
}

/**
 * Counts each word once. Texts are cut only where the byte-level tokenizers of today's models always cut: before a space
 * that a word follows, after a run of letters and digits and, with a tokenizer that takes digits one by one, around each.
 *
 * @param mostKept distinct words that are remembered; beyond it memory begins anew
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

/** For where no tokenizer is given. The estimate of a document is the sum over its words, each rounded up. */
export const estimateTokens =
  (charactersPerToken: number): CountTokens =>
  (text) =>
    Math.ceil(text.length / charactersPerToken);

/**
 * The largest n in [least, most] for which `tokensOf(n)`, which must not fall as n grows, is within the budget; `least - 1`
 * where none is. Doubles first, so that nothing near `most` is counted for a short document.
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

/*
 * Responsibility: guesses of what a request samples next, by prompt lookup: the text after the latest place in prompt and
 *   reply whose tokens equal the last ones. A memory agent copies from its old memory and its section, which are in the prompt.
 * Not responsible for: whether a guess is right, which one pass of the model decides (sampler-functions.ts), so that tokens
 *   and log-probs are those of sampling without guesses.
 */

/** Number of tokens that must match before a guess; the longest match is tried first. */
const [longestGram, shortestGram] = [4, 2];
/** Tokens without a guess after a wrong one; doubles with each further wrong guess. */
const leastPause = 4;
const longestPause = 64;

export class Guesses {
  readonly #prompt: readonly number[];
  #pausedUntil = 0;
  #pause = leastPause;

  constructor(prompt: readonly number[]) {
    this.#prompt = prompt;
  }

  /** Returns at most `count` tokens that may follow; none if the last tokens have no earlier match. */
  next(sampled: readonly number[], count: number): readonly number[] {
    if (count < 1 || sampled.length < this.#pausedUntil) return [];
    const tokens = [...this.#prompt, ...sampled];
    for (let gram = longestGram; gram >= shortestGram; gram--) {
      const end = latestEnd(tokens, gram);
      if (end !== undefined) return tokens.slice(end, end + count);
    }
    return [];
  }

  /** Records a check. @param right how many of the guessed tokens were sampled. @param sampled number of tokens so far */
  note(right: number, sampled: number): void {
    if (right > 0) {
      this.#pause = leastPause;
      return;
    }
    this.#pausedUntil = sampled + this.#pause;
    this.#pause = Math.min(longestPause, 2 * this.#pause);
  }
}

/** Returns the end of the latest earlier run that equals the last `gram` tokens; undefined if there is none. */
function latestEnd(tokens: readonly number[], gram: number): number | undefined {
  const from = tokens.length - gram;
  for (let start = from - 1; start >= 0; start--) {
    let same = 0;
    while (same < gram && tokens[start + same] === tokens[from + same]) same++;
    if (same === gram) return start + gram;
  }
  return undefined;
}

/*
 * Responsibility: what a request may sample next, guessed from what it has read and sampled: the text after the latest place that
 *   ends as the tokens do now. A memory agent copies its old memory and its section, so both are in the prompt.
 * Not responsible for: whether a guess is right, which one pass of the model says (sampler-functions.ts), so that tokens
 *   and log-probs are those of sampling without guesses.
 */

/** Tokens that have to agree before a guess; the longest agreement is looked for first. */
const [longestGram, shortestGram] = [4, 2];
/** A wrong guess is followed by so many tokens without one, twice as many after each further one. */
const leastPause = 4;
const longestPause = 64;

export class Guesses {
  readonly #prompt: readonly number[];
  #pausedUntil = 0;
  #pause = leastPause;

  constructor(prompt: readonly number[]) {
    this.#prompt = prompt;
  }

  /** At most `count` tokens that may follow what was sampled; none where nothing like it was read or sampled before. */
  next(sampled: readonly number[], count: number): readonly number[] {
    if (count < 1 || sampled.length < this.#pausedUntil) return [];
    const tokens = [...this.#prompt, ...sampled];
    for (let gram = longestGram; gram >= shortestGram; gram--) {
      const end = latestEnd(tokens, gram);
      if (end !== undefined) return tokens.slice(end, end + count);
    }
    return [];
  }

  /** @param right how many of the guessed tokens were sampled. @param sampled tokens so far */
  note(right: number, sampled: number): void {
    if (right > 0) {
      this.#pause = leastPause;
      return;
    }
    this.#pausedUntil = sampled + this.#pause;
    this.#pause = Math.min(longestPause, 2 * this.#pause);
  }
}

/** Where the latest earlier run that equals the last `gram` tokens ends; undefined where there is none. */
function latestEnd(tokens: readonly number[], gram: number): number | undefined {
  const from = tokens.length - gram;
  for (let start = from - 1; start >= 0; start--) {
    let same = 0;
    while (same < gram && tokens[start + same] === tokens[from + same]) same++;
    if (same === gram) return start + gram;
  }
  return undefined;
}

/*
 * Responsibility: guesses of what a request samples next, by prompt lookup: the text after the latest place in prompt and
 *   reply whose tokens equal the last ones. A memory agent copies from its old memory and its section, which are in the prompt.
 * Not responsible for: whether a guess is right, which one pass of the model decides (sampler-functions.ts), so that tokens
 *   and log-probs are those of sampling without guesses.
 */

/** Number of tokens that must match before a guess; the longest match is tried first. */
export const [longestGram, shortestGram] = [4, 2];
/** What the share of right guesses is taken to be at first, and how much each guess that is right or wrong moves it. */
const [firstRate, rateStep] = [0.5, 0.15];
/** Tokens without a guess after a wrong one; doubles with each further wrong guess. */
const leastPause = 4;
const longestPause = 64;

export class Guesses {
  readonly #prompt: readonly number[];
  /** The share of guessed tokens that were right, lately. */
  #rate = firstRate;
  /** The last guess, whether checked or not. */
  #last: { readonly at: number; readonly tokens: readonly number[] } | undefined;
  #pausedUntil = 0;
  #pause = leastPause;

  constructor(prompt: readonly number[]) {
    this.#prompt = prompt;
  }

  /** Returns at most `count` tokens that may follow; none if the last tokens have no earlier match, or during a pause. */
  next(sampled: readonly number[], count: number): readonly number[] {
    return sampled.length < this.#pausedUntil ? [] : this.#lookUp(sampled, count);
  }

  /**
   * Returns as many tokens as give the most sampled ones for the time of a pass. No pauses are needed, because what was not
   * checked is compared with what was sampled, too.
   * @param passCosts the time of a pass of one token, two tokens, …
   */
  worthwhile(sampled: readonly number[], count: number, passCosts: readonly number[]): readonly number[] {
    this.#learn(sampled);
    const tokens = this.#lookUp(sampled, Math.min(count, passCosts.length - 1));
    this.#last = { at: sampled.length, tokens };
    let [best, bestValue, expected, allRight] = [0, 1 / (passCosts[0] as number), 1, 1];
    for (let guesses = 1; guesses <= tokens.length; guesses++) {
      allRight *= this.#rate;
      expected += allRight;
      const value = expected / (passCosts[guesses] as number);
      if (value > bestValue) [best, bestValue] = [guesses, value];
    }
    return tokens.slice(0, best);
  }

  /** Compares the last guess with what was sampled, up to the first difference. */
  #learn(sampled: readonly number[]): void {
    const { at, tokens } = this.#last ?? { at: 0, tokens: [] };
    for (let i = 0; i < tokens.length && at + i < sampled.length; i++) {
      const isRight = tokens[i] === sampled[at + i];
      this.#rate += rateStep * ((isRight ? 1 : 0) - this.#rate);
      if (!isRight) return;
    }
  }

  #lookUp(sampled: readonly number[], count: number): readonly number[] {
    if (count < 1) return [];
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

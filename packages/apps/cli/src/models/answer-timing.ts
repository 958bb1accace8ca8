/** Measures how long an answer took: the time to its first token, and the speed of the tokens after it. */
export class AnswerTiming {
  readonly #now: () => number;
  readonly #startedAtMs: number;
  #firstAtMs: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAtMs = now();
  }

  /** Records the arrival of a piece. Call it for every piece of the answer. */
  piece(): void {
    this.#firstAtMs ??= this.#now();
  }

  /** @param sampledTokens undefined if the server does not report them */
  end(sampledTokens: number | undefined): AnswerTimes {
    const endedAtMs = this.#now();
    const firstAtMs = this.#firstAtMs;
    const seconds = (endedAtMs - this.#startedAtMs) / 1000;
    return {
      firstTokenSeconds: firstAtMs === undefined ? undefined : (firstAtMs - this.#startedAtMs) / 1000,
      seconds,
      sampledTokens,
      tokensPerSecond: sampledTokens === undefined || seconds === 0 ? undefined : sampledTokens / seconds,
    };
  }
}

export interface AnswerTimes {
  /** Undefined if the answer came whole. */
  readonly firstTokenSeconds: number | undefined;
  readonly seconds: number;
  readonly sampledTokens: number | undefined;
  /** All tokens over the total time, including the time to read the prompt. */
  readonly tokensPerSecond: number | undefined;
}

export function timesText({
  firstTokenSeconds,
  seconds,
  sampledTokens,
  tokensPerSecond,
}: AnswerTimes): string {
  const first =
    firstTokenSeconds === undefined ? [] : [`first token after ${firstTokenSeconds.toFixed(2)} s`];
  const count = sampledTokens === undefined ? "answered" : `${sampledTokens} tokens`;
  const speed = tokensPerSecond === undefined ? [] : [`${tokensPerSecond.toFixed(1)} tokens/s`];
  return [...first, `${count} in ${seconds.toFixed(2)} s`, ...speed].join(", ");
}

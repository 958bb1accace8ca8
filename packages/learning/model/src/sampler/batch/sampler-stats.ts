/** What a sampler has done since it was created. */
export interface SamplerStats {
  readonly sampledTokens: number;
  /** Prompt tokens that were read; tokens taken from the cache do not count. */
  readonly prefillTokens: number;
  /** Prompt tokens that other requests had read. */
  readonly cachedTokens: number;
  /** Requests that started with cached tokens. */
  readonly cacheHits: number;
  /** Requests that were admitted to the batch. */
  readonly startedRequests: number;
  /** Total time in seconds that the started requests had waited. */
  readonly queueSeconds: number;
  readonly deviceCalls: number;
  /** Tokens that were guessed and checked, and how many of them were right. */
  readonly guessedTokens: number;
  readonly rightGuesses: number;
  /** Seconds spent in device calls. */
  readonly secondsBusy: number;
  /** Those of them that read prompts. */
  readonly prefillSeconds: number;
  /** sampledTokens / secondsBusy. */
  readonly tokensPerSecond: number;
  /** Mean share of the largest call's rows that calls used, in [0, 1]. */
  readonly occupancy: number;
  /** Number of waiting requests. */
  readonly queueDepth: number;
  /** Number of requests in flight. */
  readonly running: number;
}

type Now = "queueDepth" | "running";
type Derived = "tokensPerSecond" | "occupancy";
type Counters = { -readonly [Name in Exclude<keyof SamplerStats, Now | Derived>]: number };

export class SamplerMeter {
  readonly #maxRows: number;
  readonly #counters: Counters = {
    sampledTokens: 0,
    prefillTokens: 0,
    cachedTokens: 0,
    cacheHits: 0,
    startedRequests: 0,
    queueSeconds: 0,
    deviceCalls: 0,
    guessedTokens: 0,
    rightGuesses: 0,
    secondsBusy: 0,
    prefillSeconds: 0,
  };
  #rows = 0;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  get secondsBusy(): number {
    return this.#counters.secondsBusy;
  }

  /** Runs one device call over `rows` requests. */
  time<T>(rows: number, promptTokens: number, call: () => T): T {
    const started = performance.now();
    try {
      return call();
    } finally {
      const seconds = (performance.now() - started) / 1000;
      this.#counters.secondsBusy += seconds;
      if (promptTokens > 0) this.#counters.prefillSeconds += seconds;
      this.#counters.deviceCalls += 1;
      this.#counters.prefillTokens += promptTokens;
      this.#rows += rows;
    }
  }

  addStarted(waitedSeconds: number, cachedTokens: number): void {
    this.#counters.startedRequests += 1;
    this.#counters.queueSeconds += waitedSeconds;
    this.#counters.cachedTokens += cachedTokens;
    if (cachedTokens > 0) this.#counters.cacheHits += 1;
  }

  addGuessed(tokens: number, right: number): void {
    this.#counters.guessedTokens += tokens;
    this.#counters.rightGuesses += right;
  }

  addSampled(tokens: number): void {
    this.#counters.sampledTokens += tokens;
  }

  read(now: Pick<SamplerStats, Now>): SamplerStats {
    const { sampledTokens, secondsBusy, deviceCalls } = this.#counters;
    return {
      ...this.#counters,
      tokensPerSecond: secondsBusy === 0 ? 0 : sampledTokens / secondsBusy,
      occupancy: deviceCalls === 0 ? 0 : this.#rows / (deviceCalls * this.#maxRows),
      ...now,
    };
  }
}

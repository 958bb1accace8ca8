/** What a sampler has done since it was made. */
export interface SamplerStats {
  readonly sampledTokens: number;
  readonly prefillTokens: number;
  readonly deviceCalls: number;
  /** Seconds spent in device calls. */
  readonly secondsBusy: number;
  /** sampledTokens / secondsBusy. */
  readonly tokensPerSecond: number;
  /** Mean share of the rows of the largest call that a call worked for, in [0, 1]. */
  readonly occupancy: number;
  /** Requests that wait for a slot now. */
  readonly queueDepth: number;
  /** Requests that have a slot now. */
  readonly running: number;
}

export class SamplerMeter {
  readonly #maxRows: number;
  #sampledTokens = 0;
  #prefillTokens = 0;
  #deviceCalls = 0;
  #secondsBusy = 0;
  #rows = 0;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Runs one device call over `rows` requests. */
  time<T>(rows: number, promptTokens: number, call: () => T): T {
    const started = performance.now();
    try {
      return call();
    } finally {
      this.#secondsBusy += (performance.now() - started) / 1000;
      this.#deviceCalls += 1;
      this.#rows += rows;
      this.#prefillTokens += promptTokens;
    }
  }

  addSampled(tokens: number): void {
    this.#sampledTokens += tokens;
  }

  read(queueDepth: number, running: number): SamplerStats {
    return {
      sampledTokens: this.#sampledTokens,
      prefillTokens: this.#prefillTokens,
      deviceCalls: this.#deviceCalls,
      secondsBusy: this.#secondsBusy,
      tokensPerSecond: this.#secondsBusy === 0 ? 0 : this.#sampledTokens / this.#secondsBusy,
      occupancy: this.#deviceCalls === 0 ? 0 : this.#rows / (this.#deviceCalls * this.#maxRows),
      queueDepth,
      running,
    };
  }
}

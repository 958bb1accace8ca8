export interface Span {
  end(): { readonly seconds: number; readonly busySeconds: number };
}

/**
 * Divides wall-clock time among concurrent spans: while n spans are open, each second adds 1/n to each of them, so that
 * the `busySeconds` of all spans together are the time during which at least one was open.
 */
export class SharedClock {
  readonly #now: () => number;
  #open = 0;
  #lastMs = 0;
  /** The busy time that a span would have by now if it had been open from the beginning. */
  #givenMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  start(): Span {
    const startedMs = this.#advance();
    const givenMs = this.#givenMs;
    this.#open += 1;
    let result: ReturnType<Span["end"]> | undefined;
    return {
      end: () => {
        if (result) return result;
        const endedMs = this.#advance();
        this.#open -= 1;
        result = {
          seconds: (endedMs - startedMs) / 1000,
          busySeconds: (this.#givenMs - givenMs) / 1000,
        };
        return result;
      },
    };
  }

  #advance(): number {
    const nowMs = this.#now();
    if (this.#open > 0) this.#givenMs += (nowMs - this.#lastMs) / this.#open;
    this.#lastMs = nowMs;
    return nowMs;
  }
}

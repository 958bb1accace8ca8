export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The delay after this many failures in a row, from 1 on: twice as long as the one before, up to the longest. */
export function backoffMs({ firstMs, longestMs }: BackoffLimits, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/** The delay, shortened by up to half, so that what failed together is not repeated at one moment. @param random from 0 to 1 */
export function jittered(delayMs: number, random = Math.random()): number {
  return delayMs * (0.5 + random / 2);
}

/** Computes the delays between attempts of one loop. */
export class Backoff {
  readonly #limits: BackoffLimits;
  #failures = 0;

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  next(): number {
    this.#failures += 1;
    return backoffMs(this.#limits, this.#failures);
  }

  /** Starts again from the first delay, after an attempt that succeeded. */
  reset(): void {
    this.#failures = 0;
  }
}

import type { Clock } from "@palimpsest/std";

const momentMs = 1_000;

interface Moment {
  readonly startsMs: number;
  needs: number;
}

/** Counts how many processes were needed in the busiest second of the recent past. */
export class WarmDemand {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #rememberMs: number;
  #moments: Moment[] = [];

  /** @param rememberMs for how many milliseconds a busy second counts as recent */
  constructor(clock: Pick<Clock, "monotonicMs">, rememberMs: number) {
    this.#clock = clock;
    this.#rememberMs = rememberMs;
  }

  /** Records that a process is needed now. */
  add(): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#moments.at(-1);
    if (last !== undefined && nowMs - last.startsMs < momentMs) last.needs += 1;
    else {
      this.#forget(nowMs);
      this.#moments.push({ startsMs: nowMs, needs: 1 });
    }
  }

  /** Returns the number of needs in the busiest second; 0 if there were none. */
  get peak(): number {
    this.#forget(this.#clock.monotonicMs());
    return Math.max(0, ...this.#moments.map(({ needs }) => needs));
  }

  #forget(nowMs: number): void {
    this.#moments = this.#moments.filter(({ startsMs }) => nowMs - startsMs < momentMs + this.#rememberMs);
  }
}

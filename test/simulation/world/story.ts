import type { Scheduler } from "./scheduler.js";

/** The events of a run as lines for a person; their hash tells whether two runs are the same. */
export class Story {
  readonly #scheduler: Scheduler;
  readonly #keep: boolean;
  readonly lines: string[] = [];

  constructor(scheduler: Scheduler, keep: boolean) {
    this.#scheduler = scheduler;
    this.#keep = keep;
  }

  get keeps(): boolean {
    return this.#keep;
  }

  /** `text` is called only if the story is kept. */
  tell(who: string, text: () => string): void {
    if (!this.#keep) return;
    const seconds = (this.#scheduler.nowMs / 1000).toFixed(3).padStart(10);
    this.lines.push(`${seconds} s  ${who.padEnd(14)} ${text()}`);
  }
}

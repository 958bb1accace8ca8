import { ApiError } from "./api-error.js";

/** Counts the choices that are sampled or queued, and refuses those beyond the bound. */
export class Admission {
  readonly #most: number;
  readonly #onChange: (open: number) => void;
  #open = 0;
  #stopping = false;
  #whenEmpty: (() => void) | undefined;

  constructor(most: number, onChange: (open: number) => void) {
    this.#most = most;
    this.#onChange = onChange;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /**
   * Runs a request with this many choices.
   * @throws {ApiError} queue_full, stopping; the work's own error
   */
  async run(choices: number, work: () => Promise<void>): Promise<void> {
    if (this.#stopping)
      throw new ApiError("stopping", "the server is stopping; use another one, or retry later");
    if (this.#open + choices > this.#most) {
      const message = `${this.#open} choices are sampled or queued, ${choices} more are requested, and at most ${this.#most} are accepted; retry later`;
      throw new ApiError("queue_full", message);
    }
    this.#change(choices);
    try {
      await work();
    } finally {
      this.#change(-choices);
    }
  }

  /** Admits no more requests. Resolves when all admitted ones are done. */
  async drain(): Promise<void> {
    this.#stopping = true;
    if (this.#open === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
  }

  #change(by: number): void {
    this.#open += by;
    this.#onChange(this.#open);
    if (this.#open === 0) this.#whenEmpty?.();
  }
}

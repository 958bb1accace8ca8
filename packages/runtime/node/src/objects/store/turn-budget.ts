/**
 * How many pieces of work may be done in one turn of the event loop, so that thousands at once do not keep the process
 * from its other work.
 */
export class TurnBudget {
  readonly #most: number;
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  get isSpent(): boolean {
    return this.#left === 0;
  }

  /** Takes one piece, which must be left. */
  take(): void {
    if (this.#left-- === this.#most) setImmediate(() => this.#renew());
  }

  /** Takes one piece in this turn or a later one, in the order of the requests. */
  async taken(): Promise<void> {
    if (this.isSpent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.take();
  }

  #renew(): void {
    if (this.#waiting.length === 0) this.#left = this.#most;
    // What waits goes on after what others have asked for this turn.
    else setImmediate(() => this.#serve());
  }

  #serve(): void {
    this.#left = this.#most;
    for (const serve of this.#waiting.splice(0, this.#most)) {
      this.take();
      serve();
    }
  }
}

import { RewardError } from "../error.js";

/*
 * Responsibility: limits how many calls run at once, in the order of their arrival.
 * Not responsible for: what the calls do, and how long they may take.
 * - REMOTEGATE-1. At most `maxRunning` calls run and at most `maxWaiting` wait; one more rejects.
 * - REMOTEGATE-2. A waiting call that is aborted leaves the queue at once and rejects with the signal's reason.
 */

export class Gate {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws {RewardError} UNREACHABLE when too many wait; the signal's reason; whatever the call throws */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#running >= this.#maxRunning) await this.#wait(signal);
    else this.#running += 1;
    try {
      return await call();
    } finally {
      const [next] = this.#waiting;
      // The slot goes to the next waiting call, or becomes free.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new RewardError(
        "UNREACHABLE",
        `remote reward: ${this.#waiting.size} requests are already waiting; score fewer at once or raise maxQueue`,
      );
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        this.#waiting.delete(start);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(start);
    });
  }
}

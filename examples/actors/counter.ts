import { type ActorContext, type ActorLifecycle, actorModule } from "@palimpsest/client";

/** An actor is a plain class. Its fields live in its process, its methods are called from elsewhere. */
export class Counter implements ActorLifecycle {
  readonly #name: string;
  #count = 0;
  #incarnation = 1;

  constructor(name: string) {
    this.#name = name;
  }

  /** Runs before the first call. */
  start({ incarnation, logger }: ActorContext): void {
    this.#incarnation = incarnation;
    logger.info({ name: this.#name }, "counting from zero");
  }

  add(amount: number): number {
    this.#count += amount;
    return this.#count;
  }

  where(): { readonly name: string; readonly pid: number; readonly incarnation: number } {
    return { name: this.#name, pid: process.pid, incarnation: this.#incarnation };
  }

  /** A typed array arrives as a typed array of the same kind. */
  histogram(values: Float32Array, bins: number): Uint32Array {
    const counts = new Uint32Array(bins);
    for (const value of values) {
      const bin = Math.min(bins - 1, Math.floor(value * bins));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    return counts;
  }

  /** The caller receives each item as soon as it is yielded. */
  async *squares(to: number): AsyncGenerator<number> {
    for (let n = 1; n <= to; n++) yield n * n;
  }

  /** Ends early when the caller's signal aborts. */
  async until(signal: AbortSignal): Promise<string> {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return "aborted";
  }

  divide(by: number): number {
    if (by === 0) throw new RangeError(`${this.#name} cannot divide by zero`);
    return this.#count / by;
  }

  crash(): never {
    process.stderr.write(`${this.#name}: about to crash\n`);
    process.exit(3);
  }
}

export const counters = actorModule(Counter, import.meta.url);

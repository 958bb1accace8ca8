/*
 * Responsibility: how many rows the next call that samples has, where a function of fewer rows than the table has slots may have to be
 *   compiled first.
 * Not responsible for: which row counts there are (slot-shapes.ts).
 */

/** A function is compiled once calls that it would have served have taken this many times as long as the compilation of a larger one. */
const patience = 3;

export interface RowChoiceOptions {
  /** Ascending; the last one is the whole table. */
  readonly rowCounts: readonly number[];
  /** Whether first calls compile. */
  readonly compiles: boolean;
  /** The calls so far of a function, and the duration of its first one. */
  readonly statsOf: (name: string) => { readonly calls: number; readonly firstCallMs: number } | undefined;
}

export class RowChoice {
  readonly #options: RowChoiceOptions;
  /** Milliseconds of larger calls, by the function that would have served them. */
  readonly #spentMs = new Map<string, number>();

  constructor(options: RowChoiceOptions) {
    this.#options = options;
  }

  /** Makes a call for `needed` rows. @param nameOf the function of a row count @param call makes the call with that many rows */
  run<T>(needed: number, nameOf: (rows: number) => string, call: (rows: number) => T): T {
    const fitting = this.#options.rowCounts.filter((rows) => rows >= needed);
    const [wanted, all] = [fitting[0] as number, fitting.at(-1) as number];
    const name = nameOf(wanted);
    const rows = this.#isDue(name, nameOf(all))
      ? wanted
      : (fitting.find((rows) => this.#isUsed(nameOf(rows))) ?? all);
    const from = performance.now();
    const result = call(rows);
    if (rows !== wanted) this.#spentMs.set(name, (this.#spentMs.get(name) ?? 0) + performance.now() - from);
    return result;
  }

  #isUsed(name: string): boolean {
    return (this.#options.statsOf(name)?.calls ?? 0) > 0;
  }

  #isDue(name: string, largest: string): boolean {
    if (!this.#options.compiles) return true;
    const compileMs = this.#options.statsOf(largest)?.firstCallMs ?? 0;
    return this.#isUsed(largest) && (this.#spentMs.get(name) ?? 0) > patience * compileMs;
  }
}

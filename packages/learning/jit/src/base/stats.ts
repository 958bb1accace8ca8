/** The cost of a function so far. */
export interface FunctionStats {
  /** Time to trace the function; 0 in mode eager. */
  readonly traceMs: number;
  /** Time to write and load the graph, which all functions of a module share; 0 in mode eager. */
  readonly loadMs: number;
  /** Operations in the trace, loop bodies counted once; 0 in mode eager. */
  readonly operations: number;
  readonly calls: number;
  /** Time of the first call, which includes compilation in mode xla. */
  readonly firstCallMs: number;
  readonly totalMs: number;
}

export class StatsRecorder {
  readonly #fixed: Pick<FunctionStats, "traceMs" | "loadMs" | "operations">;
  #calls = 0;
  #firstCallMs = 0;
  #totalMs = 0;

  constructor(fixed: Pick<FunctionStats, "traceMs" | "loadMs" | "operations">) {
    this.#fixed = fixed;
  }

  add(elapsedMs: number): void {
    if (this.#calls === 0) this.#firstCallMs = elapsedMs;
    this.#calls += 1;
    this.#totalMs += elapsedMs;
  }

  get(): FunctionStats {
    return { ...this.#fixed, calls: this.#calls, firstCallMs: this.#firstCallMs, totalMs: this.#totalMs };
  }
}

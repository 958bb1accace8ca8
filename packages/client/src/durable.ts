/** What a durable actor's methods change: committed together with their reply, or not at all. */

export interface DurableState<State = unknown> {
  /** A copy of what was set last; undefined before anything was. */
  get(): State | undefined;
  /**
   * Replaces it, at the end of the method that runs; a method that throws has changed nothing.
   * @throws {PalimpsestError} LIMIT_EXCEEDED with its size when it takes more than 1 MiB encoded; INVALID_ARGUMENT outside
   *   of a method and of start()
   */
  set(state: State): void;
  /** Sets what `change` makes of a copy, and gives it back. */
  transaction(change: (state: State | undefined) => State | Promise<State>): Promise<State>;
}

/** Once after so long, or again and again. At least 1 ms, at most 10 years. */
export type TimerDelay = { readonly afterMs: number } | { readonly everyMs: number };

export interface DurableTimer {
  readonly name: string;
  readonly method: string;
  readonly dueAtMs: number;
  /** 0: it fires once. */
  readonly everyMs: number;
}

export interface DurableTimers {
  /**
   * Calls a method of this actor later, also when it, its node and the head were killed meanwhile. What the method changes is
   * committed with the fact that the timer has fired, so that it happens once; one that throws is tried again. A timer of
   * that name is replaced.
   * @throws {PalimpsestError} LIMIT_EXCEEDED above 1,000 timers or 64 KiB of arguments; INVALID_ARGUMENT
   */
  set(name: string, delay: TimerDelay, method: string, ...args: unknown[]): void;
  /** @returns whether there was one */
  clear(name: string): boolean;
  list(): readonly DurableTimer[];
}

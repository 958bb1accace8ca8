/** State that the methods of a durable actor change. It is committed together with their reply, or not at all. */

export interface DurableState<State = unknown> {
  /** Returns a copy of the value that was set last; undefined if none was. */
  get(): State | undefined;
  /**
   * Replaces the state when the running method ends. A method that throws changes nothing.
   * @throws {PalimpsestError} LIMIT_EXCEEDED with the size if it has more than 1 MiB encoded; INVALID_ARGUMENT
   *   outside of a method and of start()
   */
  set(state: State): void;
  /** Sets the state to the result of `change` for a copy of it, and returns the result. */
  transaction(change: (state: State | undefined) => State | Promise<State>): Promise<State>;
}

/** When the timer fires: once after a delay, or repeatedly. At least 1 ms, at most 10 years. */
export type TimerDelay = { readonly afterMs: number } | { readonly everyMs: number };

/** A timer of a durable actor; `dueAtMs` is in milliseconds since 1970. */
export interface DurableTimer {
  readonly name: string;
  readonly method: string;
  readonly dueAtMs: number;
  /** Milliseconds between firings; 0 if it fires once. */
  readonly everyMs: number;
}

/** The timers of a durable actor, which survive its process, its node and the head. */
export interface DurableTimers {
  /**
   * Calls a method of this actor later, even if it, its node and the head are killed in the meantime. The changes of
   * the method are committed together with the firing of the timer, so that it takes effect once; a method that
   * throws is retried. Replaces an existing timer of that name.
   * @throws {PalimpsestError} LIMIT_EXCEEDED above 1,000 timers or 64 KiB of arguments; INVALID_ARGUMENT
   */
  set(name: string, delay: TimerDelay, method: string, ...args: unknown[]): void;
  /** Removes the timer. @returns whether it existed */
  clear(name: string): boolean;
  list(): readonly DurableTimer[];
}

import { appendFileSync } from "node:fs";
import type { ActorContext, DurableState, DurableTimers } from "@palimpsest/client";

export interface Balance {
  readonly total: number;
  readonly ticks: number;
}

/** A durable actor that also records each run of a method outside of its state, where a crash does not undo it. */
export class Account {
  #state!: DurableState<Balance>;
  #timers!: DurableTimers;

  start(context: ActorContext<Balance>): void {
    this.#state = context.state;
    this.#timers = context.timers;
    if (this.#state.get() === undefined) this.#state.set({ total: 0, ticks: 0 });
  }

  async deposit(amount: number): Promise<number> {
    const { total } = await this.#state.transaction((now) => ({
      total: (now?.total ?? 0) + amount,
      ticks: now?.ticks ?? 0,
    }));
    return total;
  }

  /** Changes the state and then throws. */
  refuse(): void {
    this.#state.set({ total: -1, ticks: -1 });
    throw new Error("refused");
  }

  fill(bytes: number): void {
    this.#state.set({ total: 0, ticks: 0, ...{ filler: "x".repeat(bytes) } });
  }

  balance(): Balance | undefined {
    return this.#state.get();
  }

  remind(name: string, delayMs: number, every: boolean, path: string): void {
    this.#timers.set(name, every ? { everyMs: delayMs } : { afterMs: delayMs }, "tick", path);
  }

  forget(name: string): boolean {
    return this.#timers.clear(name);
  }

  tick(path: string): void {
    appendFileSync(path, "x");
    const { total, ticks } = this.#state.get() ?? { total: 0, ticks: 0 };
    this.#state.set({ total, ticks: ticks + 1 });
  }

  pid(): number {
    return process.pid;
  }
}

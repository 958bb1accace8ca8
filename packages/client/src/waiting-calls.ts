import type { PendingCall } from "./pending-call.js";

/** Calls that wait for a stream to their actor, in the order in which they will be sent (CHANNEL-1). */
export class WaitingCalls {
  #calls: PendingCall[] = [];
  /** Of them, those that have an outcome already. */
  #settled = 0;

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  push(call: PendingCall): void {
    this.#calls.push(call);
  }

  /** Before all that wait already. */
  putFirst(calls: readonly PendingCall[]): void {
    this.#calls = [...calls, ...this.#calls];
  }

  /** One of them has its outcome. */
  abandonOne(): void {
    // Taken out many at a time: each by itself would cost a search.
    this.#settled++;
    if (this.#settled * 2 <= this.#calls.length) return;
    this.#calls = this.#calls.filter((call) => !call.settled);
    this.#settled = 0;
  }

  /** Those that may be sent before all that may not: in their order, some may have an outcome already. */
  takeReady(): readonly PendingCall[] {
    const first = this.#calls.findIndex((call) => call.args === undefined && !call.settled);
    if (first < 0) return this.takeAll();
    return this.#calls.splice(0, first);
  }

  /** All of them, which wait here no more; some may have an outcome already. */
  takeAll(): readonly PendingCall[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#settled = 0;
    return calls;
  }
}

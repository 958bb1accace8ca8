import type { PendingCall } from "./pending-call.js";

/** Calls that wait for a stream to their actor, in the order in which they will be sent (CHANNEL-1). */
export class WaitingCalls {
  #calls: PendingCall[] = [];
  /** The number of them that have an outcome already. */
  #settled = 0;

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  push(call: PendingCall): void {
    this.#calls.push(call);
  }

  /** Inserts calls before all that wait already. */
  putFirst(calls: readonly PendingCall[]): void {
    this.#calls = [...calls, ...this.#calls];
  }

  /** Records that one of them has its outcome. */
  abandonOne(): void {
    // They are removed many at a time, because removing each by itself would need a search.
    this.#settled++;
    if (this.#settled * 2 <= this.#calls.length) return;
    this.#calls = this.#calls.filter((call) => !call.settled);
    this.#settled = 0;
  }

  /**
   * Removes and returns the calls before the first that may not be sent yet, in order. Some may have an outcome
   * already.
   */
  takeReady(): readonly PendingCall[] {
    const first = this.#calls.findIndex((call) => call.args === undefined && !call.settled);
    if (first < 0) return this.takeAll();
    return this.#calls.splice(0, first);
  }

  /** Removes and returns all calls. Some may have an outcome already. */
  takeAll(): readonly PendingCall[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#settled = 0;
    return calls;
  }
}

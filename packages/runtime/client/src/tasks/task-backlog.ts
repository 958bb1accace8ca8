import type { TaskCall } from "./task-call.js";

/**
 * Tasks of one shape that no worker has yet, in the order in which they are sent. Tasks that have an outcome are
 * skipped.
 */
export class TaskBacklog {
  #first: TaskCall[] = [];
  #calls: TaskCall[] = [];
  #at = 0;
  #settled = 0;

  get size(): number {
    return this.#first.length + this.#calls.length - this.#at - this.#settled;
  }

  push(call: TaskCall): void {
    call.isQueued = true;
    this.#calls.push(call);
  }

  /** Inserts tasks, in their order, before all that wait already. */
  putFirst(calls: readonly TaskCall[]): void {
    for (const call of calls) call.isQueued = true;
    this.#first.push(...[...calls].reverse());
  }

  /** Records that a waiting task has its outcome. */
  settledOne(): void {
    this.#settled++;
    // They are removed many at a time, because removing each by itself would need a search.
    if (this.#settled * 2 <= this.#first.length + this.#calls.length - this.#at) return;
    this.#first = this.#first.filter((call) => !call.settled);
    this.#calls = this.#calls.slice(this.#at).filter((call) => !call.settled);
    this.#at = 0;
    this.#settled = 0;
  }

  peek(): TaskCall | undefined {
    for (;;) {
      const call = this.#first.at(-1) ?? this.#calls[this.#at];
      if (!call?.settled) return call;
      this.#settled--;
      this.#drop();
    }
  }

  shift(): TaskCall | undefined {
    const call = this.peek();
    if (!call) return undefined;
    this.#drop();
    call.isQueued = false;
    return call;
  }

  /** Returns the waiting tasks, in order. */
  *[Symbol.iterator](): Generator<TaskCall> {
    for (let index = this.#first.length - 1; index >= 0; index--) {
      const call = this.#first[index];
      if (call && !call.settled) yield call;
    }
    for (let index = this.#at; index < this.#calls.length; index++) {
      const call = this.#calls[index];
      if (call && !call.settled) yield call;
    }
  }

  takeAll(): readonly TaskCall[] {
    const all = [...this.#first.reverse(), ...this.#calls.slice(this.#at)].filter((call) => !call.settled);
    this.#first = [];
    this.#calls = [];
    this.#at = 0;
    this.#settled = 0;
    for (const call of all) call.isQueued = false;
    return all;
  }

  #drop(): void {
    if (this.#first.length > 0) {
      this.#first.pop();
      return;
    }
    this.#at++;
    if (this.#at < 1_024 || this.#at * 2 < this.#calls.length) return;
    this.#calls = this.#calls.slice(this.#at);
    this.#at = 0;
  }
}

import type { SimEvent } from "./event-heap.js";
import type { Scheduler } from "./scheduler.js";

/** One operating-system process of the simulation. It can be paused and killed, and its clock may be wrong. */
export class SimProcess {
  readonly number: number;
  /** The machine on which it runs; partitions are between machines. */
  readonly machine: string;
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #onEnd = new Set<() => void>();
  #held: SimEvent[] | undefined;
  #ended = false;
  /** The time since which it is paused. */
  pausedAtMs: number | undefined;
  resumedAtMs = Number.NEGATIVE_INFINITY;
  /** The number of milliseconds by which its wall clock is ahead. */
  wallOffsetMs = 0;

  constructor(scheduler: Scheduler, number: number, machine: string, name: string) {
    this.#scheduler = scheduler;
    this.number = number;
    this.machine = machine;
    this.name = name;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get paused(): boolean {
    return this.#held !== undefined;
  }

  /** Keeps an event that falls due while the process is paused. */
  hold(event: SimEvent): boolean {
    this.#held?.push(event);
    return this.#held !== undefined;
  }

  /** Pauses it, like SIGSTOP. */
  pause(): void {
    if (this.#ended || this.#held) return;
    this.#held = [];
    this.pausedAtMs = this.#scheduler.nowMs;
  }

  /** Resumes it, like SIGCONT: everything that fell due in the meantime happens now, in order. */
  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.pausedAtMs = undefined;
    this.resumedAtMs = this.#scheduler.nowMs;
    for (const event of held) {
      if (!event.cancelled)
        this.#scheduler.at(this.#scheduler.nowMs, this, () => event.cancelled || event.callback());
    }
  }

  onEnd(listener: () => void): void {
    this.#onEnd.add(listener);
  }

  /** Kills it, like SIGKILL: none of its code runs any more, and its connections break. */
  kill(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#held = undefined;
    for (const listener of this.#onEnd) listener();
  }
}

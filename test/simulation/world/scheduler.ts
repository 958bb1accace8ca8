/**
 * Responsibility: virtual time: runs the events of all simulated processes one after the other, each with all the
 *   microtasks and ticks that it causes, in an order that the seed alone decides.
 * Not responsible for: what events do.
 *
 * Invariants:
 * - SIM-1. An event runs after everything that an earlier event caused in its own turn.
 * - SIM-2. Events of one moment run in the order in which they were scheduled.
 * - SIM-3. Nothing of a process that has ended runs; what falls due for one that is paused waits until it goes on.
 */
import { EventHeap, type SimEvent } from "./event-heap.js";
import type { SimProcess } from "./process.js";

/** This is read before anything is patched. */
const realSetImmediate = setImmediate;

/** Immediates are queued for this many events at once; Node drains microtasks and ticks after each of them. */
const batchSize = 512;

export class Scheduler {
  readonly #heap = new EventHeap();
  #nowMs = 0;
  #sequence = 0;
  #failure: unknown;
  #hash = 0x811c9dc5;
  /** The process whose code runs at the moment. */
  current: SimProcess | undefined;
  /** Called after each event; a throw ends the run. */
  afterEvent: () => void = () => undefined;
  events = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** A hash over the time and the process of every event so far. Equal runs have equal hashes. */
  get hash(): number {
    return this.#hash >>> 0;
  }

  /** Schedules the callback at a time, as part of the process; returns the event, which can be canceled. */
  at(atMs: number, process: SimProcess | undefined, callback: () => void): SimEvent {
    const event: SimEvent = {
      atMs: Math.max(atMs, this.#nowMs),
      sequence: this.#sequence++,
      process,
      callback,
      cancelled: false,
    };
    this.#heap.push(event);
    return event;
  }

  after(delayMs: number, process: SimProcess | undefined, callback: () => void): SimEvent {
    return this.at(this.#nowMs + Math.max(0, delayMs), process, callback);
  }

  mix(value: number): void {
    this.#hash = Math.imul(this.#hash ^ (value | 0), 0x01000193);
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason };
  }

  /**
   * Runs everything that falls due until the given time.
   * @throws what an event or a check threw
   */
  async run(untilMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let open = 0;
      let done = false;
      const step = () => {
        open--;
        if (!done) done = !this.#step(untilMs);
        if (open > 0) return;
        if (done) resolve();
        else refill();
      };
      const refill = () => {
        open = batchSize;
        for (let index = 0; index < batchSize; index++) realSetImmediate(step);
      };
      refill();
    });
    this.current = undefined;
    const failure = this.#failure as { reason: unknown } | undefined;
    if (failure !== undefined) throw failure.reason;
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Runs the next event. Returns false when there is nothing left to do. */
  #step(untilMs: number): boolean {
    if (this.#failure !== undefined) return false;
    try {
      // The last event's microtasks have run by now.
      this.afterEvent();
    } catch (reason) {
      this.fail(reason);
      return false;
    }
    for (;;) {
      const event = this.#heap.peek();
      if (event === undefined || event.atMs > untilMs) {
        this.current = undefined;
        return false;
      }
      this.#heap.pop();
      if (event.cancelled) continue;
      this.#nowMs = event.atMs;
      const { process } = event;
      if (process !== undefined) {
        if (process.ended) continue;
        if (process.hold(event)) continue;
      }
      this.events++;
      this.mix(Math.round(event.atMs * 1000) ^ Math.imul(process?.number ?? 0, 0x9e3779b1));
      this.current = process;
      try {
        event.callback();
      } catch (reason) {
        this.fail(reason);
      }
      return true;
    }
  }
}

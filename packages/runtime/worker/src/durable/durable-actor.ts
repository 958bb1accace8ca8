/**
 * Responsibility: running the methods of a durable actor one after the other, each as a transaction: its state, its
 * timers and its reply are committed together, and only then is the call answered.
 * Not responsible for: committing to the store (commits.ts), or which replies are kept (kept-calls.ts).
 *
 * Invariants:
 * - DURABLEACTOR-1. Methods run one at a time, in the order in which they begin. The next one may run while the
 *   previous commit is in flight, and is answered after it.
 * - DURABLEACTOR-2. A method that throws changes neither state nor timers.
 * - DURABLEACTOR-3. A call that has run is not run again: a retry gets the reply of the first run.
 * - DURABLEACTOR-4. The firing of a timer is committed with the changes of its method.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { DurableState, DurableTimers } from "@palimpsest/client";
import type { Clock } from "@palimpsest/std";
import { decodeValue, encodeValue, PalimpsestError } from "@palimpsest/wire";
import type { Change, Commits } from "./commits.js";
import type { CallId, KeptCalls } from "./kept-calls.js";
import { encodeTimer, type Field, stateField, type Timer, timerField } from "./record.js";
import { delayOf, maxTimers, nextDue, timerArguments } from "./timers.js";

const maxStateBytes = 1024 * 1024;
/** The milliseconds until a timer whose method threw is retried. The delay doubles from `first` to `longest`. */
const retryMs = { first: 1_000, longest: 60_000 };

type Method = (...args: unknown[]) => unknown;

interface Draft {
  state: Uint8Array | undefined;
  stateChanged: boolean;
  /** The changed timers by name; undefined stands for one that was removed. */
  readonly timers: Map<string, Timer | undefined>;
  over: boolean;
}

/**
 * The running method. There is one storage for all actors of the process, because Node.js 20 calls every storage that
 * was ever used at every promise: one for each of some hundred actors would slow the whole process down a
 * hundredfold.
 */
const runningMethod = new AsyncLocalStorage<{ readonly actor: DurableActor; readonly draft: Draft }>();

export interface DurableActorDeps {
  readonly name: string;
  readonly clock: Clock;
  readonly commits: Pick<Commits, "add">;
  readonly kept: KeptCalls;
  readonly state: Uint8Array | undefined;
  readonly timers: Map<string, Timer>;
  readonly onTimerFailed: (name: string, reason: unknown) => void;
}

export class DurableActor {
  readonly #deps: DurableActorDeps;
  readonly #timers: Map<string, Timer>;
  /** Running calls, by caller and number. */
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #failures = new Map<string, number>();
  #state: Uint8Array | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #methodOf: ((name: string) => Method) | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(deps: DurableActorDeps) {
    this.#deps = deps;
    this.#state = deps.state;
    this.#timers = deps.timers;
  }

  readonly state: DurableState = {
    get: () => {
      const bytes = (this.#current() ?? { state: this.#state }).state;
      return bytes === undefined ? undefined : decodeValue(bytes);
    },
    set: (value) => {
      const draft = this.#draft("state.set");
      const bytes = encodeValue(value);
      if (bytes.byteLength > maxStateBytes)
        throw new PalimpsestError(
          "LIMIT_EXCEEDED",
          `the state of ${this.#deps.name} takes ${bytes.byteLength} bytes, more than ${maxStateBytes}: keep large parts in the object store or in several actors`,
        );
      draft.state = bytes;
      draft.stateChanged = true;
    },
    transaction: async (change) => {
      const next = await change(this.state.get());
      this.state.set(next);
      return next;
    },
  };

  readonly timers: DurableTimers = {
    set: (name, delay, method, ...args) => {
      const draft = this.#draft("timers.set");
      const { waitMs, everyMs } = delayOf(name, delay);
      this.#methodOf?.(method);
      if (!this.#visible(draft).has(name) && this.#visible(draft).size >= maxTimers)
        throw new PalimpsestError(
          "LIMIT_EXCEEDED",
          `${this.#deps.name} already has ${maxTimers} timers, the maximum: clear some`,
        );
      const dueAtMs = this.#deps.clock.now() + waitMs;
      draft.timers.set(name, { method, dueAtMs, everyMs, args: timerArguments(name, args) });
    },
    clear: (name) => {
      const draft = this.#draft("timers.clear");
      const known = this.#visible(draft).has(name);
      if (known) draft.timers.set(name, undefined);
      return known;
    },
    list: () =>
      [...this.#visible(this.#current())].map(([name, { method, dueAtMs, everyMs }]) => ({
        ...{ name, method, dueAtMs, everyMs },
      })),
  };

  /** Lets timers fire from now on. */
  serve(methodOf: (name: string) => Method): void {
    this.#methodOf = methodOf;
    this.#schedule();
  }

  close(): void {
    this.#cancelTimer?.();
    this.#methodOf = undefined;
  }

  /** Wraps the method as a transaction of this call. */
  method(call: CallId | undefined, name: string, method: Method): Method {
    return (...args) => this.call(call, name, () => method(...args));
  }

  /** DURABLEACTOR-3 */
  async call(call: CallId | undefined, name: string, run: () => unknown): Promise<unknown> {
    if (call === undefined) return await this.#transact(undefined, name, run);
    const id = `${call.caller}:${call.sequence}`;
    const running = this.#running.get(id);
    if (running !== undefined) return await running;
    const reply = this.#deps.kept.find(call);
    if (reply !== undefined) return decodeValue(reply);
    const outcome = this.#transact(call, name, run).finally(() => this.#running.delete(id));
    this.#running.set(id, outcome);
    return await outcome;
  }

  /** DURABLEACTOR-1 */
  async #transact(call: CallId | undefined, name: string, run: () => unknown): Promise<unknown> {
    const mine = this.#turn.then(() => this.#run(call, name, run));
    this.#turn = mine.catch(() => undefined);
    const { value, committed } = await mine;
    await committed;
    return value;
  }

  async #run(
    call: CallId | undefined,
    name: string,
    run: () => unknown,
  ): Promise<{ readonly value: unknown; readonly committed: Promise<void> }> {
    const draft: Draft = { state: this.#state, stateChanged: false, timers: new Map(), over: false };
    try {
      const value = await runningMethod.run({ actor: this, draft }, async () => await run());
      if (isIterator(value))
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          `${name} returned a generator: methods of durable actors return one value, which is committed with the state`,
        );
      const reply = encodeValue(value);
      if (call !== undefined) this.#deps.kept.checkRoom(name, reply);
      return { value, committed: this.#apply(draft, call, reply) };
    } finally {
      draft.over = true;
    }
  }

  #apply(draft: Draft, call: CallId | undefined, reply: Uint8Array): Promise<void> {
    const set: Field[] = [];
    const remove: string[] = [];
    if (draft.stateChanged && draft.state !== undefined) {
      this.#state = draft.state;
      set.push({ name: stateField, value: draft.state });
    }
    for (const [name, timer] of draft.timers) {
      this.#failures.delete(name);
      if (timer === undefined) {
        this.#timers.delete(name);
        remove.push(timerField(name));
      } else {
        this.#timers.set(name, timer);
        set.push({ name: timerField(name), value: encodeTimer(timer) });
      }
    }
    const kept: Change = call === undefined ? { set: [], remove: [] } : this.#deps.kept.keep(call, reply);
    if (draft.timers.size > 0) this.#schedule();
    return this.#deps.commits.add({ set: [...set, ...kept.set], remove: [...remove, ...kept.remove] });
  }

  /** Returns the draft of this actor's running method. */
  #current(): Draft | undefined {
    const store = runningMethod.getStore();
    return store?.actor === this ? store.draft : undefined;
  }

  #draft(what: string): Draft {
    const draft = this.#current();
    if (draft !== undefined && !draft.over) return draft;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${what} outside of a running method would not be committed: await it within the method`,
    );
  }

  #visible(draft: Draft | undefined): ReadonlyMap<string, Timer> {
    const timers = new Map(this.#timers);
    for (const [name, timer] of draft?.timers ?? []) {
      if (timer === undefined) timers.delete(name);
      else timers.set(name, timer);
    }
    return timers;
  }

  /** Schedules the timer that is due first. */
  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#methodOf === undefined || this.#timers.size === 0) return;
    const dueAtMs = Math.min(...[...this.#timers].map(([name, timer]) => this.#dueAtMs(name, timer)));
    const waitMs = Math.max(0, dueAtMs - this.#deps.clock.now());
    this.#cancelTimer = this.#deps.clock.after(waitMs, () => void this.#fireDue());
  }

  #dueAtMs(name: string, timer: Timer): number {
    return Math.max(timer.dueAtMs, this.#failures.get(name) ?? 0);
  }

  async #fireDue(): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const due = [...this.#timers].filter(([name, timer]) => this.#dueAtMs(name, timer) <= nowMs);
    for (const [name, timer] of due) await this.#fire(name, timer);
    this.#schedule();
  }

  /** DURABLEACTOR-4 */
  async #fire(name: string, timer: Timer): Promise<void> {
    const methodOf = this.#methodOf;
    if (methodOf === undefined) return;
    try {
      await this.#transact(undefined, timer.method, async () => {
        // Another method has cleared or replaced it in the meantime.
        if (this.#timers.get(name) !== timer) return;
        this.#draft("a timer").timers.set(name, nextDue(timer, this.#deps.clock.now()));
        const args: unknown = decodeValue(timer.args);
        await methodOf(timer.method)(...(Array.isArray(args) ? args : []));
      });
    } catch (reason) {
      const failedMs = Math.max(retryMs.first, this.#deps.clock.now() - timer.dueAtMs);
      this.#failures.set(name, this.#deps.clock.now() + Math.min(retryMs.longest, failedMs));
      this.#deps.onTimerFailed(name, reason);
    }
  }
}

function isIterator(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncIterator in value || Object.prototype.toString.call(value) === "[object Generator]";
}

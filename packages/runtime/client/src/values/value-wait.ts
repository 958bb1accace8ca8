/** Waits for some of many values and promises. */
import { backoffMs, type Clock, delay, systemClock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { checkFields, rules, waitRules } from "../base/fields.js";
import { ObjectRef } from "../base/object-ref.js";
import { within } from "../base/within.js";
import type { ValueStore } from "./value-store.js";

/** A reference to a value, or the promise of a call. */
export type Waitable = ObjectRef | PromiseLike<unknown>;

/** How many items `cluster.wait` waits for, and for how long. */
export interface WaitOptions {
  /** The number of items that have to be ready. Default 1. */
  readonly count?: number;
  /** Milliseconds after which the items that are ready are returned. Default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The items that were ready, and the others. */
export interface Waited<Item> {
  /** At most `count` items, in the order in which they were given. */
  readonly ready: readonly Item[];
  readonly pending: readonly Item[];
}

interface Watch {
  isSettled: boolean;
  readonly listeners: Set<() => void>;
}

/**
 * One watch for each promise: what is attached to a promise itself stays until it settles, and loops wait for the same
 * promises again and again.
 */
const watches = new WeakMap<PromiseLike<unknown>, Watch>();

const polling = { firstMs: 5, longestMs: 500 };
/**
 * A request gets some time even if the caller gives none, so that values that are ready are returned, as with a
 * timeout of 0 in Ray's wait.
 */
const askTimeoutMs = { least: 1_000, most: 30_000 };

/** Like Ray's `wait`. A rejected promise counts as ready. @throws {PalimpsestError} INVALID_ARGUMENT, CANCELLED */
export async function waitFor<Item extends Waitable>(
  items: readonly Item[],
  options: WaitOptions,
  values: ValueStore,
  clock: Clock = systemClock,
): Promise<Waited<Item>> {
  checkFields(options, { ...waitRules, count: rules.anything }, "options of wait()");
  const { count = 1, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  if (!Number.isInteger(count) || count < 1 || count > items.length)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `count is ${count}: give a number from 1 to ${items.length}, the number of items`,
    );
  if (new Set(items).size < items.length)
    throw new PalimpsestError("INVALID_ARGUMENT", "an item is given twice: pass each item once");
  const ready = new Set<Item>();
  let wake: () => void = () => undefined;
  const forget: (() => void)[] = [];
  for (const item of items) {
    if (item instanceof ObjectRef) continue;
    const settled = () => {
      ready.add(item);
      wake();
    };
    const leave = whenSettled(item, settled);
    if (leave === undefined) ready.add(item);
    else forget.push(leave);
  }
  const refs = items.filter((item) => item instanceof ObjectRef);
  const deadlineAt = clock.monotonicMs() + timeoutMs;
  try {
    for (let looks = 1; ; looks++) {
      const leftMs = deadlineAt - clock.monotonicMs();
      const asked = refs.filter((ref) => !ready.has(ref));
      const askMs = Math.min(askTimeoutMs.most, Math.max(askTimeoutMs.least, leftMs));
      await within(look(asked, ready, values, askMs), Number.POSITIVE_INFINITY, signal, clock);
      // Promises that have settled report it in the next turn.
      if (ready.size < count) await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted)
        throw new PalimpsestError("CANCELLED", "the wait was cancelled", { cause: signal.reason });
      if (ready.size >= count || leftMs <= 0) break;
      const isPolled = refs.some((ref) => !ready.has(ref));
      const sleepMs = Math.max(0, Math.min(isPolled ? backoffMs(polling, looks) : leftMs, leftMs));
      await sleep(sleepMs, signal, clock, (resolve) => {
        wake = resolve;
      });
    }
  } finally {
    for (const leave of forget) leave();
  }
  const given = items.filter((item) => ready.has(item)).slice(0, count);
  const isGiven = new Set(given);
  return { ready: given, pending: items.filter((item) => !isGiven.has(item)) };
}

async function look<Item extends Waitable>(
  refs: readonly Item[],
  ready: Set<Item>,
  values: ValueStore,
  timeoutMs: number,
): Promise<void> {
  if (refs.length === 0) return;
  const asked = refs.filter((ref) => ref instanceof ObjectRef);
  const existing: ReadonlySet<unknown> = await values.existing(asked, timeoutMs).catch((reason: unknown) => {
    if (PalimpsestError.from(reason).retryable) return new Set();
    throw reason;
  });
  for (const ref of refs) if (existing.has(ref)) ready.add(ref);
}

async function sleep(
  ms: number,
  signal: AbortSignal | undefined,
  clock: Clock,
  onWake: (resolve: () => void) => void,
): Promise<void> {
  const over = new AbortController();
  const woken = new Promise<void>((resolve) => onWake(resolve));
  const stop = () => over.abort();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const pause = delay(ms, over.signal, clock);
    const aborted = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    await Promise.race([woken, pause, aborted]);
  } finally {
    over.abort();
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Calls back when the promise has settled, successfully or not.
 * @returns a function that removes the listener; undefined if the promise is known to have settled, so that nothing is
 *   called back
 */
function whenSettled(promise: PromiseLike<unknown>, listener: () => void): (() => void) | undefined {
  const { isSettled, listeners } = watches.get(promise) ?? watched(promise);
  if (isSettled) return undefined;
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function watched(promise: PromiseLike<unknown>): Watch {
  const watch: Watch = { isSettled: false, listeners: new Set() };
  watches.set(promise, watch);
  const settle = () => {
    watch.isSettled = true;
    for (const listener of watch.listeners) listener();
    watch.listeners.clear();
  };
  promise.then(settle, settle);
  return watch;
}

/**
 * Responsibility: makes the code under test a pure function of the seed: while a run lasts, the global timers, the
 *   clocks and the random numbers of this process are the simulation's.
 * Not responsible for: the network and the store, which are passed in.
 *
 * Patching is chosen over passing a clock everywhere because it also reaches code that forgets to take one.
 */
import crypto from "node:crypto";
import files from "node:fs";
import filesPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import type { SimEvent } from "./event-heap.js";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";

/** The start time of all runs: a round date, so that stories are easy to read. */
const epochMs = Date.UTC(2030, 0, 1);

class SimTimer {
  event: SimEvent | undefined;
  readonly #start: () => SimEvent;

  constructor(start: () => SimEvent) {
    this.#start = start;
    this.event = start();
  }

  cancel(): void {
    if (this.event) this.event.cancelled = true;
    this.event = undefined;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.cancel();
    this.event = this.#start();
    return this;
  }

  close(): this {
    this.cancel();
    return this;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** Simulated machines have no disk: file functions find no folder and no file, at once and in virtual time. */
async function findNothing(path: unknown): Promise<never> {
  throw Object.assign(new Error(`ENOENT: no such file or directory: '${String(path)}'`), { code: "ENOENT" });
}

/** A weak reference whose target is never collected, because the time of a collection does not follow the seed. */
class KeptRef<T> {
  readonly #of: T;

  constructor(of: T) {
    this.#of = of;
  }

  deref(): T {
    return this.#of;
  }
}

class NoRegistry {
  register(): void {}

  unregister(): void {}
}

/** Installs the simulation's time and randomness; the returned function restores the real ones. */
export function makeHermetic(
  scheduler: Scheduler,
  random: Random,
  marks: ReadonlyMap<string, number> = new Map(),
): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    setImmediate: globalThis.setImmediate,
    clearImmediate: globalThis.clearImmediate,
    Date: globalThis.Date,
    WeakRef: globalThis.WeakRef,
    FinalizationRegistry: globalThis.FinalizationRegistry,
  };
  const realRandom = Math.random;
  const realRandomBytes = crypto.randomBytes;
  const { readdir: realReaddir, open: realOpen, readFile: realReadFile } = filesPromises;
  const { readFileSync: realReadFileSync } = files;
  const realRandomUuid = crypto.randomUUID;
  const realPromises = { setTimeout: timersPromises.setTimeout, setImmediate: timersPromises.setImmediate };

  const after = (delayMs: unknown, callback: () => void) => {
    const process = scheduler.current;
    // As in Node, a delay that is not a number of milliseconds, or less than one, is one.
    const ms = typeof delayMs === "number" && delayMs >= 1 && delayMs <= 2 ** 31 - 1 ? delayMs : 1;
    return new SimTimer(() => scheduler.after(ms, process, callback));
  };
  const cancel = (timer: unknown) => {
    if (timer instanceof SimTimer) timer.cancel();
  };
  const nowMs = () => Math.floor(epochMs + scheduler.nowMs + (scheduler.current?.wallOffsetMs ?? 0));
  class SimDate extends real.Date {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) super(nowMs());
      else super(...(parts as [number]));
    }
    static override now(): number {
      return nowMs();
    }
  }
  const delay = (ms?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const { signal } = options ?? {};
      const timer = after(ms, () => {
        // A signal outlives the waits on it; listeners that they leave would be a leak, of which Node warns.
        signal?.removeEventListener("abort", stop);
        resolve(value);
      });
      const stop = () => {
        timer.cancel();
        reject(signal?.reason);
      };
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    });

  Object.assign(globalThis, {
    setTimeout: (callback: (...given: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      after(ms, () => callback(...args)),
    clearTimeout: cancel,
    setInterval: (callback: (...given: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const timer: SimTimer = after(ms, () => {
        timer.refresh();
        callback(...args);
      });
      return timer;
    },
    clearInterval: cancel,
    setImmediate: (callback: (...given: unknown[]) => void, ...args: unknown[]) => {
      const process = scheduler.current;
      return new SimTimer(() => scheduler.after(0, process, () => callback(...args)));
    },
    clearImmediate: cancel,
    Date: SimDate,
    WeakRef: KeptRef,
    FinalizationRegistry: NoRegistry,
  });
  Object.defineProperty(performance, "now", { configurable: true, value: () => scheduler.nowMs });
  Math.random = () => random.float();
  Object.assign(crypto, {
    randomBytes: (count: number) => random.bytes(count),
    randomUUID: () => random.bytes(16).toString("hex"),
  });
  Object.assign(timersPromises, { setTimeout: delay, setImmediate: (value: unknown) => delay(0, value) });
  Object.assign(filesPromises, { readdir: findNothing, open: findNothing, readFile: findNothing });
  /** Reads the mark of a process that has ended, as a node does. */
  const readMark = (path: unknown, ...options: unknown[]) => {
    if (typeof path !== "string" || !path.startsWith("/nowhere/"))
      return Reflect.apply(realReadFileSync, files, [path, ...options]);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(marks.get(path) ?? 0));
    return bytes;
  };
  Object.assign(files, { readFileSync: readMark });
  syncBuiltinESMExports();

  return () => {
    Object.assign(globalThis, real);
    Reflect.deleteProperty(performance, "now");
    Math.random = realRandom;
    Object.assign(crypto, { randomBytes: realRandomBytes, randomUUID: realRandomUuid });
    Object.assign(timersPromises, realPromises);
    Object.assign(filesPromises, { readdir: realReaddir, open: realOpen, readFile: realReadFile });
    Object.assign(files, { readFileSync: realReadFileSync });
    syncBuiltinESMExports();
  };
}

/**
 * Responsibility: processes of the worker that are loaded and host nothing yet, so that the start of an actor or of a
 * worker for tasks is a message and not a program's start.
 * Not responsible for: whom they are given to (process-starts.ts).
 *
 * Invariants:
 * - WARM-1. At most `count` processes wait, and at most `maxMemoryShare` of the machine's memory is meant for them.
 * - WARM-2. One is started at a time, and only when nobody has started or taken a process for `quietMs`: who needs one
 *   now comes first.
 * - WARM-3. While memory is short none waits: those that did are ended, and none is started until there is room again.
 * - WARM-4. A process is given away once, and never one that is known to have ended.
 * - WARM-5. After close() none runs that was not given away, and none is started.
 */
import type { Logger } from "@palimpsest/telemetry";
import type { Clock } from "@palimpsest/wire";
import type { MemoryLook } from "./machine.js";
import type { WorkerProcess } from "./worker-process.js";

const quietMs = 100;
/** While memory is short, and after a process that ended before it was loaded. */
const retryMs = { first: 1_000, longest: 60_000 };
/** What one that waits takes, roughly. */
const processBytes = 80 * 1024 * 1024;
const maxMemoryShare = 0.1;
/** Memory is short below this share of it, and below this much. */
const shortShare = 0.1;
const shortBytes = 256 * 1024 * 1024;

export type WarmProcess = Pick<WorkerProcess, "process" | "loaded" | "isLoaded">;

export interface WarmProcessesDeps<Process extends WarmProcess = WorkerProcess> {
  readonly count: number;
  readonly spawn: () => Process;
  readonly memory: () => MemoryLook;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class WarmProcesses<Process extends WarmProcess = WorkerProcess> {
  readonly #deps: WarmProcessesDeps<Process>;
  readonly #waiting = new Set<Process>();
  readonly #ending = new Set<Promise<unknown>>();
  #cancelTimer: (() => void) | undefined;
  #loading = false;
  #retryMs = retryMs.first;
  #open = false;
  #closed = false;

  constructor(deps: WarmProcessesDeps<Process>) {
    this.#deps = deps;
  }

  /** Those that wait and are loaded. */
  get size(): number {
    return [...this.#waiting].filter(({ isLoaded }) => isLoaded).length;
  }

  /** Begins to fill. May be called again. */
  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.#fillAfter(0);
  }

  /** One that waits, a loaded one where there is one. It is the caller's from now on. */
  take(): Process | undefined {
    const waiting = [...this.#waiting];
    const taken = waiting.find(({ isLoaded }) => isLoaded) ?? waiting[0];
    if (taken) this.#waiting.delete(taken);
    this.busy();
    return taken;
  }

  /** Somebody starts a process: those to come wait. */
  busy(): void {
    if (this.#open) this.#fillAfter(quietMs);
  }

  /** Ends them while memory is short. To be called from time to time. */
  check(): void {
    if (this.#waiting.size > 0 && this.#isShort()) {
      this.#deps.logger.info({ ended: this.#waiting.size }, "memory is short: no processes are kept warm");
      this.#endAll("memory is short");
      this.#fillAfter(this.#retryMs);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#endAll("its node ends");
    await Promise.all(this.#ending);
  }

  #limit(): number {
    const { count, memory } = this.#deps;
    return Math.min(count, Math.floor((memory().totalBytes * maxMemoryShare) / processBytes));
  }

  #isShort(): boolean {
    const { totalBytes, availableBytes } = this.#deps.memory();
    return availableBytes < Math.max(shortBytes, totalBytes * shortShare);
  }

  #fillAfter(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#closed ? undefined : this.#deps.clock.after(delayMs, () => this.#fill());
  }

  #fill(): void {
    this.#cancelTimer = undefined;
    if (this.#closed || this.#loading || this.#waiting.size >= this.#limit()) return;
    if (this.#isShort()) {
      this.#fillLater();
      return;
    }
    const spawned = this.#deps.spawn();
    this.#waiting.add(spawned);
    this.#loading = true;
    const ended = spawned.process.ended.then(() => {
      // WARM-4
      if (this.#waiting.delete(spawned) && spawned.isLoaded) this.#fillAfter(quietMs);
    });
    void Promise.race([spawned.loaded, ended]).then(() => {
      this.#loading = false;
      if (spawned.isLoaded) {
        this.#retryMs = retryMs.first;
        this.#fillAfter(quietMs);
      } else this.#fillLater();
    });
  }

  #fillLater(): void {
    this.#fillAfter(this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, retryMs.longest);
  }

  #endAll(reason: string): void {
    for (const { process } of this.#waiting) {
      const ended = process.stop(0, reason).finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    }
    this.#waiting.clear();
  }
}

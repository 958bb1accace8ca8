/**
 * Responsibility: worker processes that are loaded and do not host anything yet, so that starting an actor or a task
 * worker takes one message instead of a program start.
 * Not responsible for: who gets them (process-starts.ts).
 *
 * Invariants:
 * - WARM-1. At most `count` processes are kept warm, using at most `maxMemoryShare` of the machine's memory.
 * - WARM-2. One process is started at a time, and only if no process was started or taken for `quietMs`: immediate
 *   needs come first.
 * - WARM-3. While memory is short there are no warm processes: existing ones are ended, and none is started until
 *   there is room again.
 * - WARM-4. A process is given away once, and never if it is known to have ended.
 * - WARM-5. After close() no process runs that was not given away, and none is started.
 */
import type { Logger } from "@palimpsest/telemetry";
import type { Clock } from "@palimpsest/wire";
import type { MemoryLook } from "./machine.js";
import type { WorkerProcess } from "./worker-process.js";

const quietMs = 100;
/** The milliseconds of the back-off while memory is short, and after a process that ended before it was loaded. */
const retryMs = { first: 1_000, longest: 60_000 };
/** A rough estimate of a warm process's memory. */
const processBytes = 80 * 1024 * 1024;
const maxMemoryShare = 0.1;
/** Memory is short below this share of it, and below this many bytes. */
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

  /** The number of processes that are loaded and waiting. */
  get size(): number {
    return [...this.#waiting].filter(({ isLoaded }) => isLoaded).length;
  }

  /** Begins to fill the pool. It may be called again. */
  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.#fillAfter(0);
  }

  /** Takes a waiting process, preferably a loaded one. It belongs to the caller from now on. */
  take(): Process | undefined {
    const waiting = [...this.#waiting];
    const taken = waiting.find(({ isLoaded }) => isLoaded) ?? waiting[0];
    if (taken) this.#waiting.delete(taken);
    this.busy();
    return taken;
  }

  /** Delays further warm processes, because a process is being started. */
  busy(): void {
    if (this.#open) this.#fillAfter(quietMs);
  }

  /** Ends the processes while memory is short. It must be called at intervals. */
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

/**
 * Responsibility: worker processes that are loaded and do not host anything yet, so that starting an actor or a task
 * worker takes one message instead of a program start.
 * Not responsible for: who gets them (process-starts.ts).
 *
 * Invariants:
 * - WARM-1. As many processes are kept warm as were needed in the busiest second of the last `idleMs`, but at least
 *   `least` and at most `most`, and never more than `maxMemoryShare` of the machine's memory holds.
 * - WARM-2. One process is started at a time, and only if no process was started or taken for `quietMs`: immediate
 *   needs come first. Where the system allows it, a process has a low priority until it is taken.
 * - WARM-3. While memory is short there are no warm processes: existing ones are ended, and none is started until
 *   there is room again.
 * - WARM-4. A process is handed out once, and never if it is known to have ended.
 * - WARM-5. After close() no process runs that was not given away, and none is started.
 */

import { Backoff, type Clock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import type { BackgroundPriority } from "../../base/background-priority.js";
import type { MemoryLook } from "../../base/machine.js";
import type { WorkerProcess } from "../worker-process.js";

const quietMs = 100;
/** The milliseconds of the back-off while memory is short, and after a process that ended before it was loaded. */
const retry = { firstMs: 1_000, longestMs: 60_000 };
/**
 * The private memory of a warm process. From a snapshot, 26 MiB were measured when it is loaded and 30 MiB after its
 * rehearsal (Node.js 20).
 */
const processBytes = 32 * 1024 * 1024;
const maxMemoryShare = 0.1;
/** Memory is short below this share of it, and below this many bytes. */
const shortShare = 0.1;
const shortBytes = 256 * 1024 * 1024;

export type WarmProcess = Pick<WorkerProcess, "process" | "loaded" | "isLoaded">;

export interface WarmProcessesDeps<Process extends WarmProcess = WorkerProcess> {
  /** The number of processes that are kept warm without any demand. */
  readonly least: number;
  /** The number to which demand may raise it. */
  readonly most: number;
  /** For how many milliseconds a busy second keeps that many processes warm. */
  readonly idleMs: number;
  readonly spawn: () => Process;
  /** If it is absent, processes are started at this process's own priority, with pauses between them. */
  readonly background?: BackgroundPriority | undefined;
  readonly memory: () => MemoryLook;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class WarmProcesses<Process extends WarmProcess = WorkerProcess> {
  readonly #deps: WarmProcessesDeps<Process>;
  readonly #demand: WarmDemand;
  readonly #waiting = new Set<Process>();
  readonly #ending = new Set<Promise<unknown>>();
  #cancelTimer: (() => void) | undefined;
  #loading = false;
  #quietUntilMs = 0;
  readonly #retry = new Backoff(retry);
  #open = false;
  #closed = false;

  constructor(deps: WarmProcessesDeps<Process>) {
    this.#deps = deps;
    this.#demand = new WarmDemand(deps.clock, deps.idleMs);
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
    this.#demand.add();
    const waiting = [...this.#waiting];
    const taken = waiting.find(({ isLoaded }) => isLoaded) ?? waiting[0];
    if (taken) {
      this.#waiting.delete(taken);
      this.#deps.background?.restore(taken.process.pid);
    }
    this.busy();
    return taken;
  }

  /** Delays further warm processes, because a process is being started. */
  busy(): void {
    this.#quietUntilMs = this.#deps.clock.monotonicMs() + quietMs;
    if (this.#open) this.#fillAfter(quietMs);
  }

  /** Ends all processes while memory is short, and those that are no longer needed. It must be called at intervals. */
  check(): void {
    if (this.#waiting.size > 0 && this.#isShort()) {
      this.#deps.logger.info({ ended: this.#waiting.size }, "memory is short: no processes are kept warm");
      this.#end(this.#waiting.size, "memory is short");
      this.#fillAfter(retry.firstMs);
    } else this.#end(this.#waiting.size - this.#target(), "it was not needed");
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#end(this.#waiting.size, "its node ends");
    await Promise.all(this.#ending);
  }

  /** WARM-1 */
  #target(): number {
    const { least, most, memory } = this.#deps;
    const needed = Math.min(Math.max(least, this.#demand.peak), most);
    return Math.min(needed, Math.floor((memory().totalBytes * maxMemoryShare) / processBytes));
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
    if (this.#closed || this.#loading || this.#waiting.size >= this.#target()) return;
    if (this.#isShort()) {
      this.#fillLater();
      return;
    }
    const { spawn, background, clock } = this.#deps;
    const spawned = spawn();
    background?.lower(spawned.process.pid);
    this.#waiting.add(spawned);
    this.#loading = true;
    const ended = spawned.process.ended.then(() => {
      // WARM-4
      if (this.#waiting.delete(spawned) && spawned.isLoaded) this.#fillAfter(quietMs);
    });
    void Promise.race([spawned.loaded, ended]).then(() => {
      this.#loading = false;
      if (spawned.isLoaded) {
        this.#retry.reset();
        const pauseMs = background ? 0 : quietMs;
        this.#fillAfter(Math.max(pauseMs, this.#quietUntilMs - clock.monotonicMs()));
      } else this.#fillLater();
    });
  }

  #fillLater(): void {
    this.#fillAfter(this.#retry.next());
  }

  /** Ends that many processes, those that wait longest first. */
  #end(count: number, reason: string): void {
    for (const waiting of [...this.#waiting].slice(0, Math.max(0, count))) {
      this.#waiting.delete(waiting);
      const ended = waiting.process.stop(0, reason).finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    }
  }
}

const momentMs = 1_000;

interface Moment {
  readonly startsMs: number;
  needs: number;
}

/** Counts how many processes were needed in the busiest second of the recent past. */
class WarmDemand {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #rememberMs: number;
  #moments: Moment[] = [];

  /** @param rememberMs for how many milliseconds a busy second counts as recent */
  constructor(clock: Pick<Clock, "monotonicMs">, rememberMs: number) {
    this.#clock = clock;
    this.#rememberMs = rememberMs;
  }

  /** Records that a process is needed now. */
  add(): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#moments.at(-1);
    if (last !== undefined && nowMs - last.startsMs < momentMs) last.needs += 1;
    else {
      this.#forget(nowMs);
      this.#moments.push({ startsMs: nowMs, needs: 1 });
    }
  }

  /** Returns the number of needs in the busiest second; 0 if there were none. */
  get peak(): number {
    this.#forget(this.#clock.monotonicMs());
    return Math.max(0, ...this.#moments.map(({ needs }) => needs));
  }

  #forget(nowMs: number): void {
    this.#moments = this.#moments.filter(({ startsMs }) => nowMs - startsMs < momentMs + this.#rememberMs);
  }
}

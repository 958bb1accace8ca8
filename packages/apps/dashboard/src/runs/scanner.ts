/** The thread that reads trace files for all viewed runs. It ends when there is nothing to read. */
import { Worker } from "node:worker_threads";
import type { ScannedLine } from "./scan-file.js";
import type { ScanNews, ScanOrder } from "./scan-thread.js";

/** The built module is used, because a thread cannot run TypeScript. */
const threadModule = new URL("../../dist/runs/scan-thread.js", import.meta.url);
const heapMiB = 512;

type Listener = (lines: readonly ScannedLine[], done: boolean, problem: string) => void;

export class Scanner {
  readonly #listeners = new Map<number, Listener>();
  #worker: Worker | undefined;
  #next = 0;
  #idle: (() => void)[] = [];

  scan(path: string, fromBytes: number, listener: Listener): void {
    const order: ScanOrder = { id: this.#next++, path, fromBytes };
    this.#listeners.set(order.id, listener);
    this.#worker ??= this.#start();
    this.#worker.postMessage(order);
  }

  /** Resolves when nothing is being read. */
  async idle(): Promise<void> {
    if (this.#listeners.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const worker = new Worker(threadModule, {
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
      execArgv: [],
    });
    worker.unref();
    worker.on("message", ({ id, lines, done, problem }: ScanNews) => {
      const listener = this.#listeners.get(id);
      if (done) this.#listeners.delete(id);
      listener?.(lines, done, problem);
      if (this.#listeners.size === 0) this.#rest();
    });
    worker.on("error", (reason) => {
      // Every listener receives the error. The next file is read by another thread.
      const waiting = [...this.#listeners.values()];
      this.#listeners.clear();
      this.#worker = undefined;
      for (const listener of waiting) listener([], true, `it cannot be read: ${reason.message}`);
      this.#rest();
    });
    return worker;
  }

  #rest(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

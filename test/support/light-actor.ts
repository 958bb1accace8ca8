import { writeFileSync } from "node:fs";
import type { ActorContext } from "@palimpsest/client";

/** One of many actors in a process. */
export class Light {
  readonly #label: string;
  #context: ActorContext | undefined;
  #calls = 0;

  constructor(label = "") {
    if (label === "refuses") throw new Error("refuses to be made");
    this.#label = label;
  }

  start(context: ActorContext): void {
    this.#context = context;
  }

  count(): {
    readonly label: string;
    readonly calls: number;
    readonly pid: number;
    readonly incarnation: number;
  } {
    this.#calls += 1;
    const incarnation = this.#context?.incarnation ?? 0;
    return { label: this.#label, calls: this.#calls, pid: process.pid, incarnation };
  }

  /**
   * Blocks forever, in one turn of the event loop.
   * @param begunPath file that is written when it begins
   */
  block(begunPath: string): void {
    writeFileSync(begunPath, "");
    for (;;) Math.random();
  }

  /** Writes to both outputs and the logger, at once and later. */
  async say(text: string): Promise<void> {
    process.stdout.write(`${text} to the output\n`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    process.stderr.write(`${text} to the errors\n`);
    this.#context?.logger.warn(`${text} to the logger`);
  }

  exitProcess(): void {
    process.exit(7);
  }

  /** Fails later, where nothing catches the error. */
  async failLater(): Promise<void> {
    setTimeout(() => {
      void Promise.reject(new Error("nobody catches this"));
    }, 1);
    await new Promise(() => undefined);
  }

  async leave(): Promise<never> {
    if (!this.#context) throw new Error("it has not started");
    return await this.#context.exit("it has done its work");
  }

  crashProcess(): void {
    process.kill(process.pid, "SIGSEGV");
  }
}

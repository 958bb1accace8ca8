import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A system under test, in its own process. It answers every line of its standard input with one line of JSON, so that
 * systems can alternate and the peak memory of each is measured separately.
 */
export class Contender {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(
    name: string,
    command: string,
    args: readonly string[],
    errors: "ignore" | "inherit" = "ignore",
  ) {
    this.name = name;
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", errors] });
    if (this.#child.stdout === null) throw new Error(`${name} has no output`);
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Sends one line and waits for the answer; undefined when the process has ended. */
  async ask(question: unknown): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify(question)}\n`);
    return await this.#answer();
  }

  /**
   * Ends it by closing its input.
   * @returns the last line that it printed at its end, if any
   */
  async close(): Promise<unknown> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return undefined;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    const last = await this.#answer();
    await ended;
    return last;
  }

  async #answer(): Promise<unknown> {
    for (;;) {
      const { value, done } = await this.#answers.next();
      if (done === true) return undefined;
      if (value.startsWith("{")) return JSON.parse(value) as unknown;
    }
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

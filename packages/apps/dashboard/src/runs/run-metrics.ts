/**
 * Responsibility: reads the lines of a run's metrics.jsonl as series, one for the path of each number. It follows the
 * file as it grows; the head's own thread reads it every few seconds for its viewers.
 * Not responsible for: which runs there are (run-folders.ts).
 *
 * Invariants:
 * - CURVES-1. Each line is read once. A file that was rewritten, or has become shorter, is read from its beginning.
 * - CURVES-3. A reader that names the points that it has is sent only later ones. If points that it has were changed
 *   since, it is sent all of them again.
 * - CURVES-2. At most `maxPoints` points per series and `maxNumbers` numbers in total are kept and sent. Of a longer
 *   run only every n-th step is kept, where n doubles whenever a bound is reached.
 */
import { randomInt } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Metrics } from "../api/runs.js";
import { readLines } from "./read-lines.js";

const maxPoints = 20_000;
const maxNumbers = 1_000_000;
const maxSeries = 500;
/** Blocks are small, so that the head can answer other requests between them. */
const bounds = { blockBytes: 256 * 1024, maxLineBytes: 1024 * 1024 } as const;
/** Number of the most recent steps that are searched for a repeated one. */
const lookedBack = 1_000;

export class RunMetrics {
  readonly #path: string;
  #inode = 0;
  #readBytes = 0;
  #steps: number[] = [];
  /**
   * This is a map and not an object, because the names come from other users' files, and an object treats names such as
   * `__proto__` specially.
   */
  #series = new Map<string, (number | null)[]>();
  #skipped = 0;
  /** Every n-th step is kept. */
  #every = 1;
  #seen = 0;
  #lastStep = Number.NEGATIVE_INFINITY;
  #generation = randomInt(2 ** 40);
  #reading: Promise<void> | undefined;

  constructor(folder: string) {
    this.#path = join(folder, "metrics.jsonl");
  }

  /** @param from number of lines that the reader has of that generation */
  async read(from = 0, generation?: number): Promise<Metrics> {
    this.#reading ??= this.#catchUp().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    const { length } = this.#steps;
    const begin = generation === this.#generation && from <= length ? from : 0;
    const padded = (values: readonly (number | null)[]) =>
      Array.from({ length: length - begin }, (_, at) => values[begin + at] ?? null);
    return {
      generation: this.#generation,
      from: begin,
      steps: this.#steps.slice(begin),
      series: Object.fromEntries([...this.#series].map(([name, values]) => [name, padded(values)])),
      skipped: this.#skipped,
    };
  }

  async #catchUp(): Promise<void> {
    const facts = await stat(this.#path).catch(() => undefined);
    // Reading anything but a regular file, such as a pipe, could block forever.
    if (!facts?.isFile() || facts.ino !== this.#inode || facts.size < this.#readBytes) this.#forget();
    if (!facts?.isFile() || facts.size === this.#readBytes) return;
    this.#inode = facts.ino;
    for await (const { offsetBytes, sizeBytes, text } of readLines(this.#path, this.#readBytes, bounds)) {
      this.#readBytes = offsetBytes + sizeBytes + 1;
      const numbers = text === undefined ? undefined : numbersOf(text);
      const step = numbers?.get("step");
      if (numbers === undefined || step === undefined) this.#skipped += 1;
      else this.#take(step, numbers);
    }
  }

  #take(step: number, numbers: ReadonlyMap<string, number>): void {
    // A driver that repeats a step writes its line again, which replaces the earlier one here.
    const again = this.#steps.indexOf(step, Math.max(0, this.#steps.length - lookedBack));
    if (again < 0) {
      if (this.#every > 1 && step <= this.#lastStep) return;
      this.#lastStep = Math.max(this.#lastStep, step);
      if (this.#seen++ % this.#every !== 0) return;
    }
    if (again >= 0) this.#generation += 1;
    const at = again >= 0 ? again : this.#steps.length;
    this.#steps[at] = step;
    for (const [name, value] of numbers) {
      if (name === "step" || name === "steps") continue;
      let values = this.#series.get(name);
      if (values === undefined) {
        if (this.#series.size >= maxSeries) continue;
        values = [];
        this.#series.set(name, values);
      }
      while (values.length < at) values.push(null);
      values[at] = value;
    }
    const { length } = this.#steps;
    if (length > maxPoints || length * this.#series.size > maxNumbers) this.#thin();
  }

  #thin(): void {
    const kept = <T>(values: readonly T[]) => values.filter((_, at) => at % 2 === 0);
    this.#steps = kept(this.#steps);
    for (const [name, values] of this.#series) this.#series.set(name, kept(values));
    this.#every *= 2;
    this.#generation += 1;
  }

  #forget(): void {
    this.#generation += 1;
    this.#inode = 0;
    this.#readBytes = 0;
    this.#steps = [];
    this.#series = new Map();
    this.#skipped = 0;
    this.#every = 1;
    this.#seen = 0;
    this.#lastStep = Number.NEGATIVE_INFINITY;
  }
}

function numbersOf(line: string): Map<string, number> | undefined {
  try {
    const numbers = new Map<string, number>();
    gather(JSON.parse(line), "", numbers);
    return numbers;
  } catch {
    return undefined;
  }
}

function gather(value: unknown, path: string, into: Map<string, number>): void {
  if (typeof value === "number") into.set(path, value);
  else if (typeof value === "boolean") into.set(path, Number(value));
  else if (typeof value === "object" && value !== null && !Array.isArray(value))
    // `__proto__` is left out: no metric has this name, and exported pages would take it for an inherited property.
    for (const [name, part] of Object.entries(value))
      if (name !== "__proto__") gather(part, path === "" ? name : `${path}.${name}`, into);
}

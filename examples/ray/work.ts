// These are the functions and classes that the examples send to the cluster. They are bundled from this file.
import { existsSync, writeFileSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type ActorContext, taskContext } from "@palimpsest/client";

export function square(value: number): number {
  return value * value;
}

/** A generator sends its items while it runs. */
export function* countTo(end: number): Generator<number> {
  for (let value = 1; value <= end; value++) yield value;
}

/** A task may run other tasks. */
export async function fibonacci(n: number): Promise<number> {
  if (n < 2) return n;
  const cluster = await taskContext().connect();
  const next = cluster.task(fibonacci, { from: new URL(import.meta.url) });
  const [one, two] = await Promise.all([next(n - 1), next(n - 2)]);
  return one + two;
}

/** Fails until it has been tried three times. */
export async function flaky(path: string): Promise<number> {
  await appendFile(path, "x");
  const tries = (await readFile(path, "utf8")).length;
  if (tries < 3) throw new Error(`try ${tries}`);
  return tries;
}

export function computeForever(): void {
  for (;;);
}

export class Counter {
  #count: number;
  #nodeId = "";

  constructor(startAt: number) {
    this.#count = startAt;
  }

  start({ nodeId }: ActorContext): void {
    this.#nodeId = nodeId;
  }

  add(amount: number): number {
    this.#count += amount;
    return this.#count;
  }

  sum(values: Float64Array): number {
    return values.reduce((sum, value) => sum + value, 0);
  }

  async *squares(end: number): AsyncGenerator<number> {
    for (let value = 1; value <= end; value++) yield value * value;
  }

  divide(by: number): number {
    if (by === 0) throw new RangeError("division by zero");
    return this.#count / by;
  }

  nodeId(): string {
    return this.#nodeId;
  }

  crash(): never {
    process.exit(1);
  }

  /** Ends its own process during the first call. */
  crashOnce(path: string): string {
    if (existsSync(path)) return "second try";
    writeFileSync(path, "");
    process.exit(1);
  }

  /** @returns never: it sleeps longer than any caller waits */
  async sleep(): Promise<void> {
    await delay(600_000);
  }
}

/** Two concurrent calls wait for each other here: if the actor ran one call at a time, they would wait forever. */
export class Meeting {
  #waiting: (() => void)[] = [];

  async join(size: number): Promise<string> {
    const others = new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#waiting.length === size) for (const wake of this.#waiting) wake();
    await others;
    return "met";
  }
}

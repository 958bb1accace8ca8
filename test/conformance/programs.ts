/**
 * The functions and actors that the conformance suite runs in other processes. Each beginning appends a line to the
 * run's file, so that a test can count them.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type ActorContext, type ActorHandle, type ObjectRef, taskContext } from "@palimpsest/client";

const here = new URL(import.meta.url);

/**
 * Records a beginning.
 * @returns how many beginnings with that label there are by now
 */
function begin(file: string, label: string): number {
  appendFileSync(file, `${label}\n`);
  return begun(file, label);
}

/** Returns how often something with this label was begun. */
export function begun(file: string, label: string): number {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line === label).length
    : 0;
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/**
 * Kills its process in the first attempts.
 * @returns the number of the attempt
 */
export function dieTimes(file: string, label: string, times: number): number {
  const attempt = begin(file, label);
  return attempt <= times ? die() : attempt;
}

/**
 * Kills its process in the first attempt and throws in the second.
 * @returns the number of the attempt
 */
export function dieThenThrow(file: string, label: string): number {
  const attempt = begin(file, label);
  if (attempt === 1) die();
  if (attempt === 2) throw new RangeError("the second attempt");
  return attempt;
}

export function throwAlways(file: string, label: string): never {
  begin(file, label);
  throw new RangeError(label);
}

/** Yields items; the first attempt kills its process before the item of that index. */
export function* itemsThenDie(file: string, label: string, diesBefore: number): Generator<number> {
  const attempt = begin(file, label);
  for (let item = 0; item < 3; item++) {
    if (attempt === 1 && item === diesBefore) die();
    yield item;
  }
}

export async function* slowItemsThenDie(file: string, label: string): AsyncGenerator<number> {
  begin(file, label);
  yield 0;
  // The process dies only when the reader has the item.
  while (begun(file, "read") === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  die();
}

export function note(file: string, label: string): number {
  return begin(file, label);
}

/** Runs until it is canceled. */
export async function waitForAbort(file: string, label: string): Promise<void> {
  begin(file, label);
  await untilAborted(taskContext().signal);
  begin(file, `${label} aborted`);
}

/** A task that runs two tasks, one of which waits for the other's cpu, and waits for both. */
export async function parent(file: string): Promise<void> {
  const { connect } = taskContext();
  const cluster = await connect();
  const kind = cluster.task(waitForAbort, { from: here });
  begin(file, "parent");
  await Promise.allSettled([
    kind(file, "child"),
    kind.options({ resources: { never: 1 } })(file, "unplaced"),
  ]);
  begin(file, "parent ended");
}

/** A task that runs a task whose own child waits. */
export async function grandparent(file: string): Promise<void> {
  const cluster = await taskContext().connect();
  await cluster.task(parent, { from: here })(file);
}

/** Continues although its task is canceled. */
export async function stubbornParent(file: string): Promise<never> {
  const cluster = await taskContext().connect();
  const child = cluster.task(stubborn, { from: here });
  child(file).catch(() => undefined);
  return await new Promise<never>(() => undefined);
}

/** Does not notice its cancellation by itself, because it computes without a break. */
export function stubborn(file: string): void {
  begin(file, "stubborn");
  for (;;);
}

/** Returns references to the values that the task put. */
export async function puts(bytes: number): Promise<{ readonly put: ObjectRef<Uint8Array> }> {
  const cluster = await taskContext().connect();
  return { put: await cluster.put(new Uint8Array(bytes).fill(7)) };
}

/** Returns a handle of an actor that the task spawned. */
export async function spawns(file: string): Promise<ActorHandle<Notes>> {
  const cluster = await taskContext().connect();
  return await cluster.actor(Notes, { from: here }).spawn(file);
}

/** An actor that runs one call at a time and records each. */
export class Notes {
  readonly #file: string;
  #incarnation = 0;
  #kept: readonly ObjectRef[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  start({ incarnation }: ActorContext): void {
    this.#incarnation = incarnation;
  }

  pid(): number {
    return process.pid;
  }

  note(label: string): number {
    begin(this.#file, label);
    return this.#incarnation;
  }

  /** Kills its process in every incarnation before that one. */
  dieUntil(label: string, incarnation: number): number {
    begin(this.#file, label);
    return this.#incarnation < incarnation ? die() : this.#incarnation;
  }

  refuse(label: string): never {
    begin(this.#file, label);
    throw new TypeError(label);
  }

  /** Computes until the file exists. */
  spinUntil(label: string, path: string): number {
    begin(this.#file, label);
    while (!existsSync(path));
    return this.#incarnation;
  }

  keep(refs: readonly ObjectRef[]): void {
    this.#kept = refs;
  }

  /** The method is not declared async, so that the class runs one call at a time. */
  kept(): Promise<readonly unknown[]> {
    return Promise.all(this.#kept.map((ref) => ref.get()));
  }

  *items(label: string, throwsAfter: number): Generator<number> {
    begin(this.#file, label);
    for (let item = 0; item < throwsAfter; item++) yield item;
    throw new RangeError("no more of them");
  }
}

/** An actor with async methods, so that many calls run at once. */
export class Crowd {
  #running = 0;
  #most = 0;
  readonly #began: number[] = [];
  #open: () => void = () => undefined;
  readonly #gate = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  /** Returns when the gate opens, or at once if the call does not wait. */
  async join(index: number, waits: boolean): Promise<number> {
    this.#began.push(index);
    this.#running += 1;
    this.#most = Math.max(this.#most, this.#running);
    await (waits ? this.#gate : undefined);
    this.#running -= 1;
    return index;
  }

  async letGo(): Promise<void> {
    this.#open();
  }

  async seen(): Promise<{ readonly began: readonly number[]; readonly most: number }> {
    return { began: this.#began, most: this.#most };
  }
}

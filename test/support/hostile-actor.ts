import { writeSync } from "node:fs";
import type { ActorContext } from "@palimpsest/client";

const half = "cut emoji \ud83d";
const thrower = () => {
  throw new Error("a getter throws");
};

/** What programs throw. Each is one thing that a runtime could stumble over. */
const thrown: Readonly<Record<string, () => unknown>> = {
  half: () => new Error(half),
  halfName: () => Object.assign(new Error("name"), { name: half }),
  halfCause: () => new Error("outer", { cause: new Error(half) }),
  halfText: () => half,
  halfField: () => Object.assign(new Error("field"), { code: half }),
  long: () => new Error("long ".repeat(8_000_000)),
  longText: () => "long ".repeat(1_000_000),
  manyErrors: () =>
    new AggregateError(
      Array.from({ length: 5_000 }, (_, index) => new Error(`e${index}`)),
      "m",
    ),
  noPrototype: () => Object.create(null),
  plain: () => ({ code: "E_PLAIN", why: "no error was thrown" }),
  nothing: () => undefined,
  null: () => null,
  symbol: () => Symbol("s"),
  toStringThrows: () => ({ toString: thrower, [Symbol.toPrimitive]: thrower }),
  messageThrows: () => Object.defineProperty(new Error("x"), "message", { get: thrower }),
  stackThrows: () => Object.defineProperty(new Error("x"), "stack", { get: thrower }),
  proxy: () => new Proxy(new Error("x"), { get: thrower, ownKeys: thrower, getPrototypeOf: thrower }),
  stackIsList: () => Object.assign(new Error("x"), { stack: [{ line: 1 }] }),
  nameIsObject: () => Object.assign(new Error("x"), { name: {} }),
  messageIsNumber: () => Object.assign(new Error("x"), { message: 5 }),
};
export const thrownNames = Object.keys(thrown);

export class Hostile {
  #context: ActorContext | undefined;
  #runs = 0;
  readonly #how: string;

  constructor(how = "") {
    this.#how = how;
    if (how.startsWith("constructor ")) throw thrown[how.slice(12)]?.();
  }

  start(context: ActorContext): void {
    this.#context = context;
    if (this.#how.startsWith("start ")) throw thrown[this.#how.slice(6)]?.();
  }

  throws(how: string): never {
    this.#runs++;
    throw thrown[how]?.();
  }

  async *throwsLater(how: string): AsyncGenerator<number> {
    yield 1;
    throw thrown[how]?.();
  }

  throwsText(name: string, message: string, stack: string): never {
    throw Object.assign(new Error(message), { name, stack });
  }

  systemError(): never {
    const error = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", errno: -2 });
    throw Object.assign(error, { response: { status: 429, headers: { "retry-after": "7" } } });
  }

  async anyOf(): Promise<never> {
    return await Promise.any([
      Promise.reject(new Error("first reason")),
      Promise.reject(new TypeError("second")),
    ]);
  }

  notFound(): never {
    throw Object.assign(new Error("mine, not the cluster's"), { name: "NOT_FOUND" });
  }

  runs(): number {
    return this.#runs;
  }

  echo(value: unknown): unknown {
    return value;
  }

  async exits(reason: string): Promise<void> {
    await this.#context?.exit(reason);
  }

  log(text: string): string {
    this.#context?.logger.info({ text }, text);
    process.stdout.write(`${text}\n`);
    return "logged";
  }

  /** What libraries do that look for the process that started theirs. */
  speaks(): string {
    process.send?.("ready");
    if (process.connected) process.disconnect?.();
    return `${typeof process.send} ${process.connected}`;
  }

  async writesToChannel(text: string): Promise<void> {
    writeSync(3, text);
    await new Promise(() => undefined);
  }

  later(ms: number): Promise<number> {
    return laterTask(ms);
  }

  /** Fails where no caller waits, which ends the process. */
  async failsLater(how: "timer" | "rejection"): Promise<void> {
    if (how === "rejection") void Promise.reject(new Error("nobody caught it"));
    else setImmediate(lateFailure);
    await new Promise(() => undefined);
  }

  fine(): string {
    return "alive";
  }
}

function lateFailure(): never {
  throw new TypeError("late failure in a timer");
}

export function hostileTask(how: string): never {
  throw thrown[how]?.();
}

export function laterTask(ms: number): Promise<number> {
  return new Promise((resolve) => setTimeout(() => resolve(ms), ms));
}

export function echoTask(value: unknown): unknown {
  return value;
}

import type { ActorHandle } from "@palimpsest/client";

/** Calls another actor of its class if it was given one. */
export class TracedActor {
  readonly #inner: ActorHandle<TracedActor> | undefined;

  constructor(inner?: ActorHandle<TracedActor>) {
    this.#inner = inner;
  }

  async ask(value: number): Promise<number> {
    return this.#inner ? (await this.#inner.add(value)) + 1 : value;
  }

  /** Does the same as `ask`, under a name for the mesh calls and calls of light actors in the test. */
  async spread(value: number): Promise<number> {
    return await this.ask(value);
  }

  async relay(value: number): Promise<number> {
    return await this.ask(value);
  }

  add(value: number): number {
    return value + 1;
  }

  async *count(to: number): AsyncGenerator<number> {
    for (let at = 0; at < to; at++) yield this.#inner ? await this.#inner.add(at) : at;
  }

  fail(): number {
    throw new RangeError("it was asked to");
  }
}

export function traceDouble(value: number): number {
  return 2 * value;
}

import type { EventEmitter } from "node:events";

/** Iterates over the messages that arrive on a call, as the iterator of a Node stream does. */
export class MessageIterator implements AsyncIterableIterator<unknown> {
  readonly #leave: () => void;
  readonly #messages: unknown[] = [];
  #end: { readonly failure: unknown } | undefined;
  #wake: () => void = () => undefined;

  /** @param leave called when the iterating reader wants no more messages */
  constructor(call: EventEmitter, leave: () => void) {
    this.#leave = leave;
    call.on("data", (message) => {
      this.#messages.push(message);
      this.#wake();
    });
    call.on("end", () => this.#over(undefined));
    call.on("error", (reason) => this.#over(reason));
    call.on("close", () => this.#over(new Error("Premature close")));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  fail(reason: unknown): void {
    this.#over(reason);
  }

  async next(): Promise<IteratorResult<unknown>> {
    while (this.#messages.length === 0) {
      if (this.#end?.failure !== undefined) throw this.#end.failure;
      if (this.#end !== undefined) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: false, value: this.#messages.shift() };
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#over(undefined);
    this.#leave();
    return { done: true, value: undefined };
  }

  #over(failure: unknown): void {
    this.#end ??= { failure };
    this.#wake();
  }
}

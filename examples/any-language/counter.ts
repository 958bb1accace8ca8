import type { ActorContext, ObjectRef } from "@palimpsest/client";

/** An actor that a program in another language calls. */
export class Counter {
  #count = 0;
  #context: ActorContext | undefined;

  start(context: ActorContext): void {
    this.#context = context;
  }

  add({ amount }: { readonly amount: number }): { readonly count: number; readonly isEven: boolean } {
    this.#count += amount;
    return { count: this.#count, isEven: this.#count % 2 === 0 };
  }

  /** Returns a reference: the caller reads the object from a node. */
  async numbers(length: number): Promise<ObjectRef> {
    const cluster = await this.#context?.connect();
    if (cluster === undefined) throw new Error("the actor has not started");
    return await cluster.put({
      name: "numbers",
      values: Float64Array.from({ length }, (_, index) => index / 2),
    });
  }

  fail(): never {
    throw new RangeError("out of range");
  }
}

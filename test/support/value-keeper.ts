import type { ActorContext, ActorHandle, Cluster, ObjectRef } from "@palimpsest/client";
import { collect } from "./collect.js";

/** An actor that takes, keeps and returns references. */
export class ValueKeeper {
  #cluster: Cluster | undefined;
  #kept: ObjectRef[] = [];
  readonly #first: unknown;

  constructor(first?: unknown) {
    this.#first = first;
  }

  async start(context: ActorContext): Promise<void> {
    this.#cluster = await context.connect();
  }

  get #connected(): Cluster {
    if (!this.#cluster) throw new Error("start() has not run");
    return this.#cluster;
  }

  echo<T>(value: T): T {
    return value;
  }

  size(bytes: Uint8Array): number {
    return bytes.byteLength;
  }

  fill(length: number): Uint8Array {
    return new Uint8Array(length).fill(7);
  }

  keep(refs: readonly ObjectRef[]): number {
    this.#kept.push(...refs);
    return this.#kept.length;
  }

  /** Puts a value and returns a reference to it. */
  async make<T>(value: T): Promise<{ readonly made: ObjectRef<T> }> {
    return { made: await this.#connected.put(value) };
  }

  async *makeMany(count: number): AsyncGenerator<ObjectRef<number>> {
    for (let index = 0; index < count; index++) yield await this.#connected.put(index);
  }

  /** Yields arrays of that length, all in the same memory. */
  async *fillMany(count: number, length: number): AsyncGenerator<{ readonly bytes: Uint8Array }> {
    const bytes = new Uint8Array(length);
    for (let index = 0; index < count; index++) yield { bytes: bytes.fill(index) };
  }

  async keptValues(): Promise<unknown[]> {
    return await this.#connected.get(this.#kept);
  }

  /** Releases everything, including what it can no longer reach. */
  drop(): void {
    for (const ref of this.#kept.splice(0)) ref.release();
    collect();
  }

  async firstValue(): Promise<unknown> {
    const ref = this.#first as { readonly ref: ObjectRef };
    return await ref.ref.get();
  }

  async askOther(other: ActorHandle<ValueKeeper>, ref: ObjectRef): Promise<number> {
    return await other.keep([ref]);
  }
}

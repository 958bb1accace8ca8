import type { ActorContext } from "@palimpsest/client";

/** A user's actor: it counts words, reports where it runs, and dies in every way in which a process can. */
export class WordCounter {
  readonly #counts = new Map<string, number>();
  #context: ActorContext | undefined;
  readonly #startAt: number;

  constructor(startAt = 0) {
    if (startAt < 0) throw new RangeError(`startAt is ${startAt}; a count is not negative`);
    this.#startAt = startAt;
  }

  start(context: ActorContext): void {
    this.#context = context;
  }

  add(text: string): number {
    for (const word of text.split(" ")) this.#counts.set(word, this.count(word) + 1);
    return this.#counts.size;
  }

  count(word: string): number {
    return this.#counts.get(word) ?? this.#startAt;
  }

  place(): { readonly pid: number; readonly incarnation: number; readonly nodeId: string } {
    const { incarnation = 0, nodeId = "" } = this.#context ?? {};
    return { pid: process.pid, incarnation, nodeId };
  }

  async *words(): AsyncGenerator<[string, number]> {
    for (const entry of this.#counts) yield entry;
  }

  /** Never ends by itself. */
  async *ticks(): AsyncGenerator<number> {
    for (let tick = 0; ; tick++) yield tick;
  }

  refuse(word: string): never {
    throw new TypeError(`no word like "${word}" is counted here`);
  }

  bytes(size: number): Uint8Array {
    return new Uint8Array(size).fill(7);
  }

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  async crash(code: number): Promise<never> {
    process.stderr.write("the counter has lost count\nit gives up\n");
    process.exit(code);
  }
}

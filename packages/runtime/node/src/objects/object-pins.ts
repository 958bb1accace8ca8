/**
 * Responsibility: asking the programs of this node which objects their calls in flight refer to, because only they
 * know.
 * Not responsible for: their streams (object-link.ts).
 *
 * Invariants:
 * - PINS-1. A program that does not answer, because it is busy or does not know the request, delays the list by at most
 *   `timeoutMs` and is missing from it.
 */
import type { Clock } from "@palimpsest/std";

/** A program with a stream to this node. */
export interface PinningProgram {
  readonly holder: string;
  askPins(): void;
}

export class ObjectPins {
  readonly #clock: Clock;
  readonly #programs = new Set<PinningProgram>();
  readonly #asking = new Set<(program: PinningProgram, objectIds: readonly string[]) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(program: PinningProgram): void {
    this.#programs.add(program);
  }

  delete(program: PinningProgram): void {
    this.#programs.delete(program);
    for (const told of [...this.#asking]) told(program, []);
  }

  /** Records a program's answer. */
  told(program: PinningProgram, objectIds: readonly string[]): void {
    for (const tell of [...this.#asking]) tell(program, objectIds);
  }

  /** Returns the owners by the objects that their calls refer to. */
  ask(timeoutMs: number): Promise<ReadonlyMap<string, readonly string[]>> {
    const pins = new Map<string, string[]>();
    const waiting = new Set([...this.#programs].filter(({ holder }) => holder !== ""));
    if (waiting.size === 0) return Promise.resolve(pins);
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#asking.delete(told);
        resolve(pins);
      };
      const told = (program: PinningProgram, objectIds: readonly string[]) => {
        if (!waiting.delete(program)) return;
        for (const objectId of objectIds) {
          const holders = pins.get(objectId) ?? [];
          pins.set(objectId, holders);
          holders.push(program.holder);
        }
        if (waiting.size === 0) done();
      };
      const cancel = this.#clock.after(timeoutMs, done);
      this.#asking.add(told);
      for (const program of [...waiting]) program.askPins();
    });
  }
}

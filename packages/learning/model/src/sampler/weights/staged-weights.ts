/**
 * Responsibility: whole weights on their way to the device, beside those that are in use: bfloat16 matrices piece by piece, as soon as they
 *   are there, and then all that changes the weights.
 * Not responsible for: when pieces are copied (model-sampler.ts), what an entry is made of (packed-weights.ts).
 *
 * Invariants:
 * - STAGED-1. Until `finish` no entry of the weights is changed.
 */
import { type HalfPart, type JitModule, partsOfPieces } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import type { HeldParameters } from "../../base/parameters.js";
import { type HalfEntry, halfEntries, packedWeights } from "./packed-weights.js";
import { writeInParts } from "./write-weights.js";

interface Copying {
  readonly entry: HalfEntry;
  steps: Iterator<undefined> | undefined;
  /** The parameters that the next steps need, one for each; its last step needs none. */
  needs: string[];
}

export class StagedWeights {
  readonly parameters: HeldParameters;
  readonly #module: JitModule;
  readonly #config: ModelConfig;
  readonly #there = new Set<string>();
  readonly #copied: Copying[] = [];
  #waiting: Copying[];

  constructor(module: JitModule, config: ModelConfig, parameters: HeldParameters) {
    this.#module = module;
    this.#config = config;
    this.parameters = parameters;
    this.#waiting = halfEntries(config, parameters).map((entry) => ({
      entry,
      steps: undefined,
      needs: [entry.gains ?? entry.sources[0] ?? ""],
    }));
  }

  /** Tells that the values of these parameters are there, which must not change any more. */
  add(names: Iterable<string>): void {
    for (const name of names) this.#there.add(name);
  }

  /** Whether all pieces are copied, so that `finish` copies little. */
  get isWhole(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether a piece is there that is not copied. */
  get isCopyable(): boolean {
    return this.#next() !== undefined;
  }

  /** Copies the next piece that is there. @returns false if there is none @throws {JitError} as `writeHalf` */
  step(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    if (next.steps === undefined) {
      const parts = next.entry.parts();
      next.steps = this.#module.writeHalf(next.entry.name, parts)[Symbol.iterator]();
      next.needs = needsOf(next.entry, parts);
      if (!this.#there.has(next.needs[0] ?? "")) return true;
    }
    next.steps.next();
    next.needs.shift();
    if (next.needs.length > 0) return true;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#copied.push(next);
    return true;
  }

  /** Changes the weights in steps, between which nothing may use them; what was not staged is copied first. */
  *finish(): Generator<undefined> {
    while (this.step()) yield;
    for (const { steps } of this.#copied) {
      steps?.next();
      yield;
    }
    const staged = new Set(this.#copied.map(({ entry }) => entry.name));
    yield* writeInParts(this.#module, this.#others(staged));
  }

  *#others(staged: ReadonlySet<string>) {
    for (const packed of packedWeights(this.#config, this.parameters, "table"))
      if (packed === undefined || !staged.has(packed.name)) yield packed;
  }

  #next(): Copying | undefined {
    return this.#waiting.find(({ needs: [first = ""] }) => this.#there.has(first));
  }
}

function needsOf({ sources, gains = "" }: HalfEntry, parts: readonly HalfPart[]): string[] {
  return partsOfPieces(parts).map((part) => (part === "scales" ? gains : (sources[part] ?? "")));
}

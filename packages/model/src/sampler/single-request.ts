import { availableParallelism } from "node:os";
import type { ModelConfig } from "../config.js";
import type { WeightFormat } from "../single/kernels.js";
import { type Entries, SingleDecoder, type TensorReader, unfitness } from "../single/single-decoder.js";
import { drawUniform } from "./draw.js";
import { drawLogits } from "./host-draw.js";
import type { DeviceRow, SampledRow } from "./sampling-device.js";

/** Number of tokens sampled alone with one set of weights before packing them pays off: packing takes about as long. */
const tokensBeforePacking = 16;
const mostThreads = 8;
/** Approximate time for which packing blocks the event loop; until it is done the request is sampled like any other. */
const packingMs = 100;

/** The device that has the weights, keys and values, as the decoder uses it. */
export interface SingleRequestHost {
  readonly tensor: TensorReader;
  /** Reads `width` entries of a row's pages, from the token `first` on. */
  readEntries(row: DeviceRow, first: number): Entries;
  writeEntries(row: DeviceRow, first: number, count: number, entries: Entries): void;
  /** Number of tokens per call of these. */
  readonly width: number;
}

export interface SingleRequestOptions {
  readonly config: ModelConfig;
  readonly format: WeightFormat;
  readonly maxLength: number;
  /** Default: as many as TensorFlow has, else one per core, at most 8. */
  readonly threads?: number;
}

/**
 * Responsibility: samples a request that runs alone in a separate decoder (single/), which has copies of the weights and of the
 *   request's keys and values, and writes new entries back before anything else may need them.
 * Not responsible for: deciding when a request is alone (model-sampler.ts).
 *
 * Invariants:
 * - SINGLE-2. Weights are copied, and the decoder is created, once they have sampled 16 tokens for a request that was alone:
 *     whoever sets weights often and samples in batches pays nothing.
 * - SINGLE-3. Every call on the device's pages except `sample` is preceded by `flush`, so that the pages contain all tokens, and
 *     the copy of a request is not used after it.
 */
export class SingleRequest {
  readonly #options: Required<SingleRequestOptions>;
  readonly #host: SingleRequestHost;
  #decoder: SingleDecoder | undefined;
  #hasWeights = false;
  #packing: Iterator<undefined> | undefined;
  #sampledAlone = 0;
  /** The request whose first `length` entries the decoder has; those from `written` on are not in the pages yet. */
  #context: { readonly row: DeviceRow; length: number; written: number } | undefined;

  constructor(options: SingleRequestOptions, host: SingleRequestHost) {
    this.#options = { ...options, threads: options.threads ?? givenThreads() };
    this.#host = host;
  }

  static unfitness(options: SingleRequestOptions): string | undefined {
    return unfitness({ ...options, threads: options.threads ?? givenThreads() });
  }

  /** Invalidates the copies after the weights have changed. */
  forgetWeights(): void {
    this.#hasWeights = false;
    this.#packing = undefined;
    this.#sampledAlone = 0;
    this.#context = undefined;
  }

  /** Samples `steps` tokens of the only request; undefined if the decoder does not pay off yet. */
  sample(row: DeviceRow, steps: number): SampledRow | undefined {
    const decoder = this.#prepared(steps);
    if (decoder === undefined) return undefined;
    const context = this.#contextOf(decoder, row);
    const sampled: SampledRow[number][] = [];
    let token = row.tokenIds[0] as number;
    for (let step = 0; step < steps && context.length < this.#options.maxLength; step++) {
      const logits = decoder.next(token, context.length);
      context.length += 1;
      const uniform = row.rule.temperature === 0 ? 0 : drawUniform(row.seed, row.sampled + step);
      const drawn = drawLogits(logits, row.rule, uniform, decoder);
      sampled.push(drawn);
      token = drawn.tokenId;
      if (row.stopTokenIds.includes(token) || !Number.isFinite(drawn.rolloutLogprob)) break;
    }
    return sampled;
  }

  /** Writes missing entries to the pages and drops the request. */
  flush(): void {
    const context = this.#context;
    this.#context = undefined;
    if (context === undefined || this.#decoder === undefined) return;
    const { width } = this.#host;
    for (let first = context.written; first < context.length; first += width) {
      const count = Math.min(width, context.length - first);
      this.#host.writeEntries(context.row, first, count, this.#decoder.readEntries(first, count, width));
    }
  }

  dispose(): void {
    this.#context = undefined;
    this.#decoder?.dispose();
    this.#decoder = undefined;
  }

  #prepared(steps: number): SingleDecoder | undefined {
    this.#sampledAlone += steps;
    if (this.#decoder === undefined) {
      if (this.#sampledAlone <= tokensBeforePacking) return undefined;
      // Its threads start in the meantime.
      this.#decoder = new SingleDecoder(this.#options);
    }
    if (!this.#decoder.isReady) return undefined;
    if (!this.#hasWeights) {
      if (this.#sampledAlone <= tokensBeforePacking) return undefined;
      this.#packing ??= this.#decoder.writeWeights(this.#host.tensor);
      const until = performance.now() + packingMs;
      while (this.#packing.next().done !== true) if (performance.now() > until) return undefined;
      this.#packing = undefined;
      this.#hasWeights = true;
    }
    return this.#decoder;
  }

  #contextOf(decoder: SingleDecoder, row: DeviceRow) {
    const known = this.#context;
    if (known !== undefined && known.length === row.past && samePages(known.row, row)) return known;
    this.flush();
    const { width } = this.#host;
    for (let first = 0; first < row.past; first += width) {
      const count = Math.min(width, row.past - first);
      decoder.writeEntries(this.#host.readEntries(row, first), first, count, width);
    }
    const context = { row, length: row.past, written: row.past };
    this.#context = context;
    return context;
  }
}

function samePages(one: DeviceRow, other: DeviceRow): boolean {
  return one.pages.length === other.pages.length && one.pages.every((page, i) => page === other.pages[i]);
}

function givenThreads(): number {
  const given = Number(process.env["TF_NUM_INTRAOP_THREADS"]);
  return Math.min(mostThreads, Number.isInteger(given) && given > 0 ? given : availableParallelism());
}

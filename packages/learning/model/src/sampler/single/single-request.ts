import { availableParallelism } from "node:os";
import type { ModelConfig } from "../../base/config.js";
import { type Entries, SingleDecoder, type TensorReader, unmetNeed } from "../../single/single-decoder.js";
import type { WeightFormat } from "../../single/tiles.js";
import type { DeviceRow, SampledRow } from "../calls/sampling-device.js";
import { drawUniform } from "../draw/draw.js";
import { drawLogits } from "./host-draw.js";

/** Number of tokens sampled alone with one set of weights before packing them pays off: packing takes about as long. */
const tokensBeforePacking = 16;
const mostThreads = 8;
/** Approximate time for which packing blocks the event loop; until it is done the request is sampled like any other. */
const packingMs = 100;

/** The device that has the weights, keys and values, as the decoder uses it. */
export interface SingleRequestHost {
  readonly tensor: TensorReader;
  /** Whether matrices that `tensor` returns are [out, in]. */
  readonly isTransposed: boolean;
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

interface Context {
  readonly row: DeviceRow;
  length: number;
  readonly written: number;
}

/**
 * Responsibility: samples a request that runs alone in a separate decoder (single/), which has copies of the weights and of the
 *   request's keys and values, and writes new entries back before anything else may need them.
 * Not responsible for: deciding when a request is alone (model-sampler.ts).
 *
 * Invariants:
 * - SINGLE-2. Weights are copied, and the decoder is created, only after these weights have sampled 16 tokens for a
 *   request that runs alone, so that programs that set weights often and sample in batches do not pay for it.
 *   Without memory for the copy, every request is sampled like any other.
 * - SINGLE-3. Every call on the device's pages except `sample` is preceded by `flush`, so that the pages contain all tokens, and
 *     the copy of a request is not used after it.
 */
export class SingleRequest {
  readonly #options: Required<SingleRequestOptions>;
  readonly #host: SingleRequestHost;
  #decoder: SingleDecoder | undefined;
  /** Whether there was not enough memory for it. */
  #isRefused = false;
  #hasWeights = false;
  #packing: Iterator<undefined> | undefined;
  #sampledAlone = 0;
  /** The row of the last call. */
  #last: Pick<DeviceRow, "pages" | "sampled"> | undefined;
  /** The request whose first `length` entries the decoder has; those from `written` on are not in the pages yet. */
  #context: Context | undefined;

  constructor(options: SingleRequestOptions, host: SingleRequestHost) {
    this.#options = { ...options, threads: options.threads ?? givenThreads() };
    this.#host = host;
  }

  static unmetNeed(options: SingleRequestOptions): string | undefined {
    return unmetNeed({ ...options, threads: options.threads ?? givenThreads() });
  }

  /** Invalidates the copies because the weights change. A reply under way keeps its entries. */
  forgetWeights(): void {
    this.flush();
    this.#hasWeights = false;
    this.#packing = undefined;
    this.#sampledAlone = 0;
  }

  /**
   * Samples for the only request: up to `steps` tokens after its last one, or, if guesses follow that, one token after each up to the
   * first wrong guess. Undefined if the decoder does not pay off yet.
   */
  sample(row: DeviceRow, steps: number): SampledRow | undefined {
    // What it sampled before it was alone does not count.
    const before = this.#last?.pages === row.pages ? this.#last.sampled : row.sampled;
    this.#sampledAlone += Math.max(1, row.sampled - before);
    this.#last = row;
    const decoder = this.#prepared();
    if (decoder === undefined) return undefined;
    const context = this.#contextOf(decoder, row);
    const sampled: SampledRow[number][] = [];
    let { tokenIds } = row;
    while (sampled.length < steps && context.length + tokenIds.length <= this.#options.maxLength) {
      const next = { ...row, tokenIds, sampled: row.sampled + sampled.length };
      const [kept, ended] = this.#pass(decoder, context, next);
      sampled.push(...kept);
      if (ended) break;
      tokenIds = kept.slice(-1).map(({ tokenId }) => tokenId);
    }
    return sampled;
  }

  /** Runs some tokens, and keeps what is sampled after each up to the first that the next of them differs from. */
  #pass(
    decoder: SingleDecoder,
    context: Context,
    { tokenIds, rule, seed, sampled, stopTokenIds }: DeviceRow,
  ): readonly [kept: SampledRow, ended: boolean] {
    const kept: SampledRow[number][] = [];
    let ended = false;
    for (const [i, logits] of decoder.next(tokenIds, context.length).entries()) {
      const uniform = rule.temperature === 0 ? 0 : drawUniform(seed, sampled + i);
      const drawn = drawLogits(logits, rule, uniform, decoder);
      kept.push(drawn);
      ended = stopTokenIds.includes(drawn.tokenId) || !Number.isFinite(drawn.rolloutLogprob);
      if (ended || drawn.tokenId !== tokenIds[i + 1]) break;
    }
    context.length += kept.length;
    return [kept, ended];
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

  #prepared(): SingleDecoder | undefined {
    if (this.#decoder === undefined) {
      if (this.#isRefused || this.#sampledAlone <= tokensBeforePacking) return undefined;
      try {
        // Its threads start in the meantime.
        this.#decoder = new SingleDecoder(this.#options);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#isRefused = true;
        return undefined;
      }
    }
    if (!this.#decoder.isReady) return undefined;
    if (!this.#hasWeights) {
      if (this.#sampledAlone <= tokensBeforePacking) return undefined;
      this.#packing ??= this.#decoder.writeWeights(this.#host.tensor, this.#host.isTransposed);
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

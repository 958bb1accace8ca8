import type { ModelConfig } from "../config.js";
import { parameterCount } from "../parameters.js";
import { bucketFor, geometricBuckets } from "./buckets.js";
import type { CallPlan } from "./call-plan.js";
import { runsAsLoop } from "./packed-weights.js";
import { rowTile, wholeTiles } from "./row-tile.js";

/** Tokens per page of the cache. */
export const pageLength = 16;

/** Upper bounds on what a call contains. */
const limits = {
  /** On a CPU more rows take proportionally longer, and block the event loop. */
  cpu: {
    rows: 64,
    /** For bfloat16, whose products of 256 rows take half as long per row as those of 64, if the copied keys and values stay within mostCopiedBytes. */
    halfRows: 256,
    mostCopiedBytes: 2.5e9,
    /** A step of a deep model takes long: more steps per call save little and delay readers of the stream. */
    deepSteps: 4,
    /** What two cores compute in about a quarter of a second. */
    operations: 20e9,
    prefillTokens: 4096,
  },
  /** On a GPU 256 rows take one to two times as long as 64. */
  gpu: { rows: 256, deepSteps: 8, operations: 10e12, prefillTokens: 16_384 },
} as const;
const smallestPiece = 32;
const longestPiece = 512;
/** A shared prefix must end where a piece ends, so pieces are shorter than they would otherwise be. */
const longestInvariantPiece = 128;
/** Least number of cache entries that a call attends to: for reading, and for sampling from a deep model. */
const smallestPast = 256;
const smallestDeepPast = 128;
/** For the largest call of a deep model: attention to padding is a fourth of a step of many rows. */
const smallestFinePast = 64;
/** Products of eight rows cost little more than those of one, because the weights are read once. */
const mostGuesses = 7;
/** In smaller models the fixed cost of operations outweighs attention to padding. */
const leastParametersForFinePasts = 1e6;

export interface ShapeOptions {
  readonly maxBatch: number;
  readonly maxLength: number;
  readonly stepsPerCall: number;
  readonly promptLengths: readonly number[] | undefined;
  readonly prefillTokens: number | undefined;
  /** Whether the device is a GPU. */
  readonly gpu: boolean;
  /** Whether keys and values are stored and multiplied in bfloat16, on a CPU. Default false. */
  readonly half?: boolean;
  /** Whether guesses are checked. Default false. */
  readonly speculates?: boolean;
  /** SAMPLER-9: the other requests of a call never change a request's results through its shape. Default false. */
  readonly batchInvariant?: boolean;
  /** Parts of a call that are computed side by side. Default 1. */
  readonly lanes?: number;
}

/** Number of prompt tokens that can be read in a fraction of a second. @param operations budget of a call */
export function affordablePrefill(
  parameters: number,
  gpu: boolean,
  operations: number = (gpu ? limits.gpu : limits.cpu).operations,
): number {
  const { prefillTokens } = gpu ? limits.gpu : limits.cpu;
  const affordable = operations / (2 * parameters);
  return Math.min(prefillTokens, Math.max(256, 2 ** Math.floor(Math.log2(affordable))));
}

/** One call that reads pieces of prompts; with `pastPages` 0, from their beginning. */
export interface ReadShape {
  readonly rows: number;
  readonly length: number;
  readonly pastPages: number;
}

/** One call that checks guesses of one request. */
export interface VerifyShape {
  /** The last sampled token and the guesses after it. */
  readonly length: number;
  readonly pastPages: number;
}

export interface DecodeShape {
  readonly rows: number;
  readonly steps: number;
  readonly pastPages: number;
}

/**
 * The shapes at which a sampler's functions are compiled; the contents of a call are padded to the next larger one. There
 * are few of them, because the first call at a shape costs TensorFlow a time that grows with the size of the whole graph.
 */
export class CallShapes implements CallPlan {
  readonly prefillTokens: number;
  readonly maxRows: number;
  /** Maximum number of tokens of one request that are guessed and checked in a call; 0: none. */
  readonly guesses: number;
  readonly mixesLengths = false;
  readonly packedLengths: readonly number[] = [];
  readonly #readRows: readonly number[];
  readonly #extendRows: readonly number[];
  readonly #decodeRows: readonly number[];
  readonly #lengths: readonly number[];
  readonly #extendLengths: readonly number[];
  readonly #steps: readonly number[];
  readonly #decodePasts: readonly number[];
  /** Used only by the largest call, which takes most of the time: every size costs one more function. */
  readonly #finePasts: readonly number[];
  readonly #extendPasts: readonly number[];
  readonly #batchInvariant: boolean;
  /** Whether row counts must be whole tiles: all reads of an unrolled model, and all sampling. */
  readonly #readTile: number;

  constructor(config: ModelConfig, options: ShapeOptions) {
    const { maxBatch, maxLength, stepsPerCall, promptLengths, lanes = 1 } = options;
    const most = options.gpu ? limits.gpu : limits.cpu;
    this.prefillTokens = options.prefillTokens ?? affordablePrefill(parameterCount(config), options.gpu);
    const batchInvariant = options.batchInvariant ?? false;
    this.guesses = options.speculates === true ? mostGuesses : 0;
    this.#batchInvariant = batchInvariant;
    const tile = batchInvariant ? rowTile : 1;
    // A loop multiplies all tokens of its pieces at once, and its pieces are whole tiles long. A single row would be
    // multiplied by another kernel if it has one key head.
    const isLoop = runsAsLoop(config);
    this.#readTile = batchInvariant && isLoop ? 2 : tile;
    const mostRows = options.half === true ? halfRows(config, maxLength) : most.rows;
    const rows = Math.min(mostRows, wholeTiles(maxBatch, tile));
    this.maxRows = rows;
    const bound = Math.min(
      maxLength - 1,
      batchInvariant ? longestInvariantPiece : longestPiece,
      // Lanes read as many pieces at once as they are.
      wholePages(Math.floor(this.prefillTokens / (isLoop ? lanes : 1))),
    );
    const lengthTile = isLoop ? tile : 1;
    const longest = Math.max(Math.min(lengthTile, bound), bound - (bound % lengthTile));
    // A prompt costs as much as many steps, so its rows are padded less.
    this.#readRows = geometricBuckets(wholeTiles(Math.ceil(rows / 8), this.#readTile), rows, 2);
    this.#extendRows = geometricBuckets(wholeTiles(Math.ceil(rows / 8), this.#readTile), rows, 8);
    this.#decodeRows = geometricBuckets(wholeTiles(Math.ceil(rows / 16), tile), rows, 4);
    this.#lengths =
      promptLengths === undefined
        ? geometricBuckets(smallestPiece, longest, 2)
        : [
            ...promptLengths
              .map((length) => wholeTiles(length, lengthTile))
              .filter((length) => length < longest)
              .toSorted((a, b) => a - b),
            longest,
          ];
    // What follows a shared prefix is short, or else the longest piece of a long prompt.
    const short = geometricBuckets(smallestPiece, longest, 4).filter((length) => length <= longest / 2);
    this.#extendLengths = [...short, longest];
    const steps = runsAsLoop(config) ? Math.min(stepsPerCall, most.deepSteps) : stepsPerCall;
    this.#steps = [...new Set(runsAsLoop(config) ? [1, steps] : [1, Math.ceil(steps / 2), steps])];
    const pages = Math.ceil(maxLength / pageLength);
    const pastsFrom = (tokens: number, factor: number) =>
      geometricBuckets(Math.min(pages, tokens / pageLength), pages, factor);
    this.#decodePasts = isLoop ? pastsFrom(smallestDeepPast, 3) : halves(pages);
    // On a GPU each size costs a compilation of ten seconds.
    const isFine = !batchInvariant && !options.gpu && parameterCount(config) >= leastParametersForFinePasts;
    this.#finePasts = !isFine ? [] : isLoop ? pastsFrom(smallestFinePast, 2) : fifths(pages);
    this.#extendPasts = pastsFrom(smallestPast, 4);
  }

  /** All shapes that `readShape` may return. */
  get reads(): ReadShape[] {
    const fresh = this.#lengths.flatMap((length) =>
      this.#rowsFor(this.#readRows, length).map((rows) => ({ rows, length, pastPages: 0 })),
    );
    const further = this.#extendLengths.flatMap((length) =>
      this.#rowsFor(this.#extendRows, length).flatMap((rows) =>
        this.#extendPasts.map((pastPages) => ({ rows, length, pastPages })),
      ),
    );
    return [...fresh, ...further];
  }

  /** All shapes that `decodeShape` may return. */
  get decodes(): DecodeShape[] {
    return this.#decodeRows.flatMap((rows) =>
      this.#steps.flatMap((steps) =>
        this.#pastsOf(rows, steps).map((pastPages) => ({ rows, steps, pastPages })),
      ),
    );
  }

  /** All shapes that `verifyShape` may return. */
  get verifies(): VerifyShape[] {
    if (this.guesses === 0) return [];
    return this.#decodePasts.map((pastPages) => ({ length: 1 + this.guesses, pastPages }));
  }

  verifyShape(pastTokens: number): VerifyShape {
    return {
      length: 1 + this.guesses,
      pastPages: bucketFor(this.#decodePasts, Math.ceil(pastTokens / pageLength)),
    };
  }

  /** Row counts at which functions exist. */
  get rowCounts(): number[] {
    return [...new Set([...this.reads, ...this.decodes].map(({ rows }) => rows))];
  }

  /** Number of prompt tokens that the next call reads: all that is left, or a piece of whole pages. */
  pieceLength(left: number): number {
    const longest = this.#lengths.at(-1) as number;
    return left <= longest ? left : longest - (longest % pageLength);
  }

  /** Length that a piece is padded to: pieces of one padded length share a call, either all with a past or all without. */
  paddedLength(piece: number, pastTokens: number): number {
    return bucketFor(pastTokens === 0 ? this.#lengths : this.#extendLengths, piece);
  }

  /** Unit of shareable prefixes in prompt tokens: whole pieces if calls are batch-invariant, otherwise pages. */
  get sharedUnit(): number {
    return this.#batchInvariant ? wholeTiles(this.#lengths.at(-1) as number, pageLength) : pageLength;
  }

  /**
   * Pieces of the same class are read together: with batch-invariant calls, those with the same attended length;
   * otherwise all that have a past.
   */
  readClass(pastTokens: number): number {
    if (pastTokens === 0) return 0;
    return this.#batchInvariant ? bucketFor(this.#extendPasts, Math.ceil(pastTokens / pageLength)) : 1;
  }

  /** Maximum number of rows of a call that reads pieces of this padded length. */
  rowsThatFit(length: number): number {
    const fits = Math.floor(this.prefillTokens / length);
    const tile = this.#readTile;
    return Math.min(this.maxRows, Math.max(tile, fits - (fits % tile)));
  }

  rowsOfPacked(): number {
    return 0;
  }

  readShape(rows: number, length: number, pastTokens: number): ReadShape {
    const fresh = pastTokens === 0;
    return {
      rows: bucketFor(this.#rowsFor(fresh ? this.#readRows : this.#extendRows, length), rows),
      length,
      pastPages: fresh ? 0 : bucketFor(this.#extendPasts, Math.ceil(pastTokens / pageLength)),
    };
  }

  /** Steps of a call for requests that may take `remaining` more tokens. */
  stepsFor(remaining: number): number {
    return this.#steps.find((steps) => steps >= remaining) ?? (this.#steps.at(-1) as number);
  }

  /** Rows of the same class are sampled together, because their pasts have similar lengths. */
  pastClass(pastTokens: number): number {
    return bucketFor(this.#decodePasts, Math.ceil(pastTokens / pageLength));
  }

  /** @param pastTokens the longest past of the rows */
  decodeShape(rows: number, steps: number, pastTokens: number): DecodeShape {
    const bucket = bucketFor(this.#decodeRows, rows);
    const pasts = this.#pastsOf(bucket, steps);
    return { rows: bucket, steps, pastPages: bucketFor(pasts, Math.ceil(pastTokens / pageLength)) };
  }

  #pastsOf(rows: number, steps: number): readonly number[] {
    const isLargest = rows === this.#decodeRows.at(-1) && steps === this.#steps.at(-1);
    return isLargest && this.#finePasts.length > 0 ? this.#finePasts : this.#decodePasts;
  }

  #rowsFor(buckets: readonly number[], length: number): number[] {
    const most = this.rowsThatFit(length);
    return [...new Set([...buckets.filter((rows) => rows < most), most])];
  }
}

/** Rows of the largest call in bfloat16, limited because a call copies the keys and values that its rows attend to. */
function halfRows({ layers, kvHeads, headDim }: ModelConfig, maxLength: number): number {
  const { rows, halfRows: most, mostCopiedBytes } = limits.cpu;
  const bytesOfRow = 2 * 2 * layers * kvHeads * headDim * maxLength;
  return Math.max(rows, Math.min(most, Math.floor(mostCopiedBytes / bytesOfRow)));
}

/** Up to three sizes: all, half, a quarter; sizes of fewer than four pages are left out, except for all. */
function halves(pages: number): number[] {
  const half = Math.ceil(pages / 2);
  const quarter = Math.ceil(pages / 4);
  return [quarter, half].filter((size) => size >= 4 && size < pages).concat(pages);
}

/** Up to four sizes, from two fifths on; sizes of fewer than four pages are left out, except for all. */
function fifths(pages: number): number[] {
  const sizes = [2, 3, 4].map((fifth) => Math.ceil((pages * fifth) / 5));
  return [...new Set([...sizes.filter((size) => size >= 4), pages])];
}

function wholePages(tokens: number): number {
  return Math.max(smallestPiece, tokens - (tokens % pageLength));
}

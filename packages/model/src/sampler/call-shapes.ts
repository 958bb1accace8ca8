import type { ModelConfig } from "../config.js";
import { parameterCount } from "../parameters.js";
import { bucketFor, geometricBuckets } from "./buckets.js";
import type { CallPlan } from "./call-plan.js";
import { runsAsLoop } from "./packed-weights.js";
import { rowTile, wholeTiles } from "./row-tile.js";

/** Tokens per page of the cache. */
export const pageLength = 16;

/** What a call may hold at most. */
const limits = {
  /** On a CPU more takes longer in proportion, and keeps the event loop waiting. */
  cpu: {
    rows: 64,
    /** In bfloat16, whose products of 256 rows take half as long a row as those of 64, as far as keys and values of a call are not too many. */
    halfRows: 256,
    mostCopiedBytes: 2.5e9,
    /** A step of a deep model takes long: more of them a call save little and keep readers of the stream waiting. */
    deepSteps: 4,
    /** About what two cores do in a quarter of a second. */
    operations: 20e9,
    prefillTokens: 4096,
  },
  /** On a GPU 256 rows take one to two times as long as 64. */
  gpu: { rows: 256, deepSteps: 8, operations: 10e12, prefillTokens: 16_384 },
} as const;
const smallestPiece = 32;
const longestPiece = 512;
/** A shared beginning must end where a piece ends, so pieces are shorter than they would otherwise be. */
const longestInvariantPiece = 128;
/** Entries of the cache that a call looks at, at least: one that reads, and one that samples from a deep model. */
const smallestPast = 256;
const smallestDeepPast = 128;
/** Of the largest call of a deep model: what attention looks at in vain is a fourth of a step of many rows. */
const smallestFinePast = 64;
/** One request's products of eight rows cost little more than those of one: the weights are read once. */
const mostGuesses = 7;
/** In smaller models the fixed cost of operations outweighs what attention looks at in vain. */
const leastParametersForFinePasts = 1e6;

export interface ShapeOptions {
  readonly maxBatch: number;
  readonly maxLength: number;
  readonly stepsPerCall: number;
  readonly promptLengths: readonly number[] | undefined;
  readonly prefillTokens: number | undefined;
  /** What computes is a GPU. */
  readonly gpu: boolean;
  /** Keys and values are stored, and multiplied, in bfloat16 on a CPU. Default false. */
  readonly half?: boolean;
  /** Guesses are checked. Default false. */
  readonly speculates?: boolean;
  /** M9 of the sampler: no shape of a call changes the numbers of a request by who else is in the call. Default false. */
  readonly batchInvariant?: boolean;
}

/** Prompt tokens whose reading takes a fraction of a second. @param operations that a call may take */
export function affordablePrefill(
  parameters: number,
  gpu: boolean,
  operations: number = (gpu ? limits.gpu : limits.cpu).operations,
): number {
  const { prefillTokens } = gpu ? limits.gpu : limits.cpu;
  const affordable = operations / (2 * parameters);
  return Math.min(prefillTokens, Math.max(256, 2 ** Math.floor(Math.log2(affordable))));
}

/** One call that reads pieces of prompts; `pastPages` 0: from their beginning. */
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
 * The shapes at which a sampler's functions are compiled: what a call holds is padded to the next larger one. Few of
 * them: the first call at a shape takes TensorFlow a time that grows with the size of the whole graph.
 */
export class CallShapes implements CallPlan {
  readonly prefillTokens: number;
  readonly maxRows: number;
  /** Most tokens of one request that are guessed and checked in a call; 0: none. */
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
  /** Of the largest call alone, where most time goes: every size is one more function. */
  readonly #finePasts: readonly number[];
  readonly #extendPasts: readonly number[];
  readonly #batchInvariant: boolean;
  /** Most rows of a call must be whole tiles: all that reads in a model that is written out, and all that samples. */
  readonly #readTile: number;

  constructor(config: ModelConfig, options: ShapeOptions) {
    const { maxBatch, maxLength, stepsPerCall, promptLengths } = options;
    const most = options.gpu ? limits.gpu : limits.cpu;
    this.prefillTokens = options.prefillTokens ?? affordablePrefill(parameterCount(config), options.gpu);
    const batchInvariant = options.batchInvariant ?? false;
    this.guesses = options.speculates === true ? mostGuesses : 0;
    this.#batchInvariant = batchInvariant;
    const tile = batchInvariant ? rowTile : 1;
    // A loop multiplies all tokens of its pieces at once, and its pieces are whole tiles long. One row alone would be
    // multiplied in another way where it has one head of keys.
    const isLoop = runsAsLoop(config);
    this.#readTile = batchInvariant && isLoop ? 2 : tile;
    const mostRows = options.half === true ? halfRows(config, maxLength) : most.rows;
    const rows = Math.min(mostRows, wholeTiles(maxBatch, tile));
    this.maxRows = rows;
    const bound = Math.min(
      maxLength - 1,
      batchInvariant ? longestInvariantPiece : longestPiece,
      wholePages(this.prefillTokens),
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
    // What follows a shared beginning is short, or the longest piece of a long prompt.
    const short = geometricBuckets(smallestPiece, longest, 4).filter((length) => length <= longest / 2);
    this.#extendLengths = [...short, longest];
    const steps = runsAsLoop(config) ? Math.min(stepsPerCall, most.deepSteps) : stepsPerCall;
    this.#steps = [...new Set(runsAsLoop(config) ? [1, steps] : [1, Math.ceil(steps / 2), steps])];
    const pages = Math.ceil(maxLength / pageLength);
    const pastsFrom = (tokens: number, factor: number) =>
      geometricBuckets(Math.min(pages, tokens / pageLength), pages, factor);
    this.#decodePasts = isLoop ? pastsFrom(smallestDeepPast, 3) : halves(pages);
    // On a GPU each size is a compilation of ten seconds.
    const isFine = !batchInvariant && !options.gpu && parameterCount(config) >= leastParametersForFinePasts;
    this.#finePasts = !isFine ? [] : isLoop ? pastsFrom(smallestFinePast, 2) : fifths(pages);
    this.#extendPasts = pastsFrom(smallestPast, 4);
  }

  /** Every shape that `readShape` may give. */
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

  /** Every shape that `decodeShape` may give. */
  get decodes(): DecodeShape[] {
    return this.#decodeRows.flatMap((rows) =>
      this.#steps.flatMap((steps) =>
        this.#pastsOf(rows, steps).map((pastPages) => ({ rows, steps, pastPages })),
      ),
    );
  }

  /** Every shape that `verifyShape` may give. */
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

  /** Tokens of a prompt that the next call reads: all that is left, or a piece of whole pages. */
  pieceLength(left: number): number {
    const longest = this.#lengths.at(-1) as number;
    return left <= longest ? left : longest - (longest % pageLength);
  }

  /** Length that a piece is padded to: pieces of one padded length, all with a past or all without, go together. */
  paddedLength(piece: number, pastTokens: number): number {
    return bucketFor(pastTokens === 0 ? this.#lengths : this.#extendLengths, piece);
  }

  /** Prompt tokens after which a beginning may be shared: those of whole pieces where calls are batch-invariant. */
  get sharedUnit(): number {
    return this.#batchInvariant ? wholeTiles(this.#lengths.at(-1) as number, pageLength) : pageLength;
  }

  /**
   * Pieces of one class are read together: where calls are batch-invariant, those that look as far back; elsewhere all
   * that have a past.
   */
  readClass(pastTokens: number): number {
    if (pastTokens === 0) return 0;
    return this.#batchInvariant ? bucketFor(this.#extendPasts, Math.ceil(pastTokens / pageLength)) : 1;
  }

  /** Most rows of a call that reads pieces of this padded length. */
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

  /** Rows of one class sample together: their pasts differ by little. */
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

/** Rows of the largest call in bfloat16: a call copies the keys and values that its rows look at. */
function halfRows({ layers, kvHeads, headDim }: ModelConfig, maxLength: number): number {
  const { rows, halfRows: most, mostCopiedBytes } = limits.cpu;
  const bytesOfRow = 2 * 2 * layers * kvHeads * headDim * maxLength;
  return Math.max(rows, Math.min(most, Math.floor(mostCopiedBytes / bytesOfRow)));
}

/** Up to three sizes: all, half, a quarter; none of fewer than four pages but all. */
function halves(pages: number): number[] {
  const half = Math.ceil(pages / 2);
  const quarter = Math.ceil(pages / 4);
  return [quarter, half].filter((size) => size >= 4 && size < pages).concat(pages);
}

/** Up to four sizes, two fifths and more; none of fewer than four pages but all. */
function fifths(pages: number): number[] {
  const sizes = [2, 3, 4].map((fifth) => Math.ceil((pages * fifth) / 5));
  return [...new Set([...sizes.filter((size) => size >= 4), pages])];
}

function wholePages(tokens: number): number {
  return Math.max(smallestPiece, tokens - (tokens % pageLength));
}

import type { ModelConfig } from "../../base/config.js";
import { parameterCount } from "../../base/parameters.js";
import { runsAsLoop } from "../weights/packed-weights.js";
import { geometricBuckets } from "./buckets.js";
import { rowTile, wholeTiles } from "./row-tile.js";

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
/** In smaller models the fixed cost of operations outweighs attention to padding. */
const leastParametersForFinePasts = 1e6;
/** Products of eight rows cost little more than those of one, because the weights are read once. */
const mostGuesses = 7;

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
  /** Whether a sampling call writes what it computes into its copy of the cache. Default false. */
  readonly writesSteps?: boolean;
  /** Whether guesses are checked. Default false. */
  readonly speculates?: boolean;
  /** SAMPLER-9: the other requests of a call never change a request's results through its shape. Default false. */
  readonly batchInvariant?: boolean;
  /** Parts of a call that are computed side by side. Default 1. */
  readonly lanes?: number;
}

/** Number of prompt tokens that can be read in a fraction of a second. */
export function affordablePrefill(parameters: number, gpu: boolean): number {
  const { prefillTokens, operations } = gpu ? limits.gpu : limits.cpu;
  const affordable = operations / (2 * parameters);
  return Math.min(prefillTokens, Math.max(256, 2 ** Math.floor(Math.log2(affordable))));
}

/** The sizes that calls are padded to: every list ascends and ends with the largest size that occurs. */
export interface CallSizes {
  /** Prompt tokens, including padding, that are read between two sampling calls. */
  readonly prefillTokens: number;
  readonly maxRows: number;
  /** Maximum number of tokens of one request that are guessed and checked in a call; 0: none. */
  readonly guesses: number;
  /** The rows of a read are a multiple of this. */
  readonly readTile: number;
  /** Tokens of the longest piece of a prompt. */
  readonly longestPiece: number;
  /** Reads of pieces that begin a prompt. */
  readonly fresh: { readonly rows: readonly number[]; readonly lengths: readonly number[] };
  /** Reads of pieces that follow others. */
  readonly further: {
    readonly rows: readonly number[];
    readonly lengths: readonly number[];
    readonly pastPages: readonly number[];
  };
  readonly decode: {
    readonly rows: readonly number[];
    readonly steps: readonly number[];
    readonly pastPages: readonly number[];
    /** Of the call with the most rows and steps, which takes most of the time: every size costs one more function. */
    readonly pastPagesOfLargest: readonly number[];
  };
}

/** Chooses the sizes of calls for a model. @param pageLength tokens per page of the cache */
export function chooseSizes(config: ModelConfig, options: ShapeOptions, pageLength: number): CallSizes {
  const { maxBatch, maxLength, promptLengths, gpu, batchInvariant = false, lanes = 1 } = options;
  const isLoop = runsAsLoop(config);
  const tiles = tilesOf(isLoop, batchInvariant);
  const maxRows = Math.min(rowLimit(config, options), wholeTiles(maxBatch, tiles.decodeRows));
  const steps = stepCounts(isLoop, options);
  // Reading as many tokens as a sampling call computes delays the others by no more than such a call does.
  const prefillTokens =
    options.prefillTokens ??
    Math.max(
      affordablePrefill(parameterCount(config), gpu),
      isLoop && !gpu ? maxRows * Math.max(...steps) : 0,
    );
  // Lanes read as many pieces at once as there are lanes, and only a loop has lanes.
  const lanePrefill = Math.floor(prefillTokens / (isLoop ? lanes : 1));
  const wholePages = Math.max(smallestPiece, lanePrefill - (lanePrefill % pageLength));
  const bound = Math.min(maxLength - 1, batchInvariant ? longestInvariantPiece : longestPiece, wholePages);
  const longest = Math.max(Math.min(tiles.length, bound), bound - (bound % tiles.length));
  const pages = Math.ceil(maxLength / pageLength);
  const pastsFrom = (tokens: number, factor: number) =>
    geometricBuckets(Math.min(pages, tokens / pageLength), pages, factor);
  const rowsFrom = (fraction: number, tile: number, factor: number) =>
    geometricBuckets(wholeTiles(Math.ceil(maxRows * fraction), tile), maxRows, factor);
  const pastPages = isLoop ? pastsFrom(smallestDeepPast, 3) : halves(pages);
  // On a GPU each size costs a compilation of ten seconds.
  const isFine = !batchInvariant && !gpu && parameterCount(config) >= leastParametersForFinePasts;
  const finePages = isLoop ? pastsFrom(smallestFinePast, 2) : fifths(pages);
  return {
    prefillTokens,
    maxRows,
    guesses: options.speculates === true ? mostGuesses : 0,
    readTile: tiles.readRows,
    longestPiece: longest,
    // The beginning of a prompt costs as much as many steps, so it is padded less than what follows.
    fresh: {
      rows: rowsFrom(1 / 8, tiles.readRows, 2),
      lengths: freshLengths(promptLengths, longest, tiles.length),
    },
    further: {
      rows: rowsFrom(1 / 8, tiles.readRows, 8),
      lengths: furtherLengths(longest),
      pastPages: pastsFrom(smallestPast, 4),
    },
    decode: {
      rows: rowsFrom(1 / 16, tiles.decodeRows, 4),
      steps,
      pastPages,
      pastPagesOfLargest: isFine ? finePages : pastPages,
    },
  };
}

/**
 * Sizes are multiples of these. Batch-invariant products have whole tiles of rows (row-tile.ts). A loop multiplies all tokens
 * of its pieces at once, so for reads its pieces are whole tiles long, and it needs only two rows: a single row would be
 * multiplied by another kernel if it has one key head.
 */
function tilesOf(isLoop: boolean, batchInvariant: boolean) {
  if (!batchInvariant) return { decodeRows: 1, readRows: 1, length: 1 };
  return { decodeRows: rowTile, readRows: isLoop ? 2 : rowTile, length: isLoop ? rowTile : 1 };
}

/** Rows of the largest call. In bfloat16 they are limited because a call copies the keys and values that its rows attend to. */
function rowLimit({ layers, kvHeads, headDim }: ModelConfig, { half, gpu, maxLength }: ShapeOptions): number {
  if (half !== true) return (gpu ? limits.gpu : limits.cpu).rows;
  const { rows, halfRows, mostCopiedBytes } = limits.cpu;
  const bytesOfRow = 2 * 2 * layers * kvHeads * headDim * maxLength;
  return Math.max(rows, Math.min(halfRows, Math.floor(mostCopiedBytes / bytesOfRow)));
}

/** The lengths that are configured, or else few of them. */
function freshLengths(configured: readonly number[] | undefined, longest: number, tile: number): number[] {
  if (configured === undefined) return geometricBuckets(smallestPiece, longest, 2);
  const lengths = configured.map((length) => wholeTiles(length, tile)).filter((length) => length < longest);
  return [...lengths.toSorted((a, b) => a - b), longest];
}

/** What follows a shared prefix is short, or else the longest piece of a long prompt. */
function furtherLengths(longest: number): number[] {
  return [...geometricBuckets(smallestPiece, longest, 4).filter((length) => length <= longest / 2), longest];
}

function stepCounts(isLoop: boolean, { stepsPerCall, gpu }: ShapeOptions): number[] {
  const most = isLoop ? Math.min(stepsPerCall, (gpu ? limits.gpu : limits.cpu).deepSteps) : stepsPerCall;
  return [...new Set(isLoop ? [1, most] : [1, Math.ceil(most / 2), most])];
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

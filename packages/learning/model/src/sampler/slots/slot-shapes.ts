import type { ModelConfig } from "../../base/config.js";
import { parameterCount } from "../../base/parameters.js";
import { bucketFor, geometricBuckets } from "../calls/buckets.js";
import type { CallPlan, ReadPatience } from "../calls/call-plan.js";
import { affordablePrefill, type ShapeOptions } from "../calls/call-sizes.js";
import type { TableReadShape } from "./table-read.js";

/** Tokens that are guessed for each slot at most, as long as all slots together check no more places than a GPU multiplies at little cost. */
const mostGuesses = 7;
const checkedPlaces = 512;
const shortestPiece = 64;
/** What follows a shared prefix is often a few tokens. */
const shortestFurtherPiece = 32;
const longestPiece = 1024;
const shortestPacked = 256;
/** Attention without a fused kernel has a score for every pair of tokens of a packed call. */
const longestPackedOffGpu = 512;
/** A packed call has room for as many prompts as if each had this many tokens. */
const packedTokensPerRow = 32;
/** On a GPU requests that sample wait this many times as long for prompts as they have sampled, and seconds at most. */
const gpuPatience = { times: 4, seconds: 2 };
/** Padded tokens of one reading call: they saturate a GPU, and more rows would need further shapes. */
const gpuCallTokens = 4096;

/** Rows of the smallest call that samples: a GPU multiplies fewer in nearly the same time. */
const fewestRows = { gpu: 64, cpu: 4 } as const;
/** Each larger call has this many times as many: on a GPU a step of half the rows takes nearly as long. */
const rowsFactor = 4;

function guessesOf(slots: number): number {
  return Math.min(mostGuesses, Math.max(1, Math.floor(checkedPlaces / slots) - 1));
}

/**
 * The shapes of calls over a table of slots. There are only a handful, because each takes seconds to compile on a GPU.
 * Sampling has one shape for every length of past. Pieces of prompts are packed end to end if `packs` is set, so that a call is
 * full whenever enough is to be read. Otherwise reads have one number of rows for each length.
 */
export class SlotShapes implements CallPlan {
  readonly prefillTokens: number;
  readonly maxRows: number;
  readonly mixesLengths = true;
  /** Step counts of the sampling functions, ascending. */
  readonly steps: readonly number[];
  /** Row counts of the longest sampling function and of the one that guesses, ascending; the last one is all slots. */
  readonly rowCounts: readonly number[];
  readonly packedLengths: readonly number[];
  readonly patience: ReadPatience | undefined;
  /** Number of tokens that are guessed for each slot and step; 0: none. */
  readonly guesses: number;
  readonly #callTokens: number;
  readonly #lengths: readonly number[];
  readonly #furtherLengths: readonly number[];

  constructor(config: ModelConfig, options: ShapeOptions & { readonly packs: boolean }) {
    const { maxBatch, maxLength, stepsPerCall, promptLengths } = options;
    this.maxRows = maxBatch;
    this.guesses = options.speculates === true ? guessesOf(maxBatch) : 0;
    this.prefillTokens =
      options.prefillTokens ??
      (options.gpu ? gpuCallTokens : affordablePrefill(parameterCount(config), false));
    this.patience = options.gpu && options.prefillTokens === undefined ? gpuPatience : undefined;
    this.#callTokens = options.gpu ? Math.min(gpuCallTokens, this.prefillTokens) : this.prefillTokens;
    const longestPacked = options.gpu ? this.#callTokens : Math.min(this.#callTokens, longestPackedOffGpu);
    this.packedLengths = options.packs ? geometricBuckets(shortestPacked, longestPacked, 4) : [];
    const longest = Math.min(maxLength - 1, longestPiece, this.#callTokens);
    const own = promptLengths?.filter((length) => length < longest).toSorted((a, b) => a - b);
    this.#lengths = own === undefined ? geometricBuckets(shortestPiece, longest, 4) : [...own, longest];
    this.#furtherLengths = geometricBuckets(shortestFurtherPiece, longest, 8);
    this.rowCounts = geometricBuckets(fewestRows[options.gpu ? "gpu" : "cpu"], maxBatch, rowsFactor);
    this.steps = [...new Set([Math.ceil(stepsPerCall / 4), stepsPerCall])];
  }

  /** All shapes that `readShape` may return. */
  get reads(): TableReadShape[] {
    if (this.packedLengths.length > 0)
      return this.packedLengths.map((length) => this.readShape(length, false));
    return [false, true].flatMap((hasPast) =>
      this.#lengthsOf(hasPast).map((length) => this.readShape(length, hasPast)),
    );
  }

  readShape(length: number, hasPast: boolean): TableReadShape {
    if (this.packedLengths.length > 0)
      return { rows: this.rowsOfPacked(length), length, hasPast: true, isPacked: true };
    return { rows: this.rowsThatFit(length), length, hasPast, isPacked: false };
  }

  pieceLength(left: number): number {
    return Math.min(left, this.#lengths.at(-1) as number);
  }

  paddedLength(piece: number, pastTokens: number): number {
    return bucketFor(this.#lengthsOf(pastTokens > 0), piece);
  }

  readClass(pastTokens: number): number {
    return pastTokens === 0 ? 0 : 1;
  }

  rowsThatFit(length: number): number {
    return Math.min(this.maxRows, Math.max(1, Math.floor(this.#callTokens / length)));
  }

  rowsOfPacked(length: number): number {
    // Attention calls a sequence of one segment not packed.
    return Math.max(2, Math.min(this.maxRows, Math.ceil(length / packedTokensPerRow)));
  }

  /** Steps of a call that guesses: it may give several times as many tokens. */
  get guessSteps(): number {
    return this.steps[0] as number;
  }

  /** All rows go together: those that need fewer tokens stop on the device. */
  stepsFor(): number {
    return this.steps.at(-1) as number;
  }

  pastClass(): number {
    return 0;
  }

  /** Row counts of the function that samples this many steps: short ones have all slots, to keep functions few. */
  rowCountsOf(steps: number): readonly number[] {
    return steps === this.stepsFor() ? this.rowCounts : [this.maxRows];
  }

  /** Steps of the smallest function with at least `wanted` steps. */
  stepsOfCall(wanted: number): number {
    return bucketFor(this.steps, wanted);
  }

  #lengthsOf(hasPast: boolean): readonly number[] {
    return hasPast ? this.#furtherLengths : this.#lengths;
  }
}

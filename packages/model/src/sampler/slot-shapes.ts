import type { ModelConfig } from "../config.js";
import { parameterCount } from "../parameters.js";
import { bucketFor, geometricBuckets } from "./buckets.js";
import type { CallPlan } from "./call-plan.js";
import { affordablePrefill, type ShapeOptions } from "./call-sizes.js";
import type { TableReadShape } from "./table-read.js";

/** On a GPU products of sixteen rows cost no more than those of one, because the weights are read once for all. */
const mostGuesses = 15;
const shortestPiece = 64;
/** What follows a shared prefix is often a few tokens. */
const shortestFurtherPiece = 32;
const longestPiece = 1024;
const shortestPacked = 256;
/** Attention without a fused kernel has a score for every pair of tokens of a packed call. */
const longestPackedOffGpu = 512;
/** A packed call has room for as many prompts as if each had this many tokens. */
const packedTokensPerRow = 32;
/**
 * What a GPU reads in a few times the duration of a sampling call: prompts for slots that become free in one such call must be
 * read before the next, or the slots stay idle.
 */
const gpuReadOperations = 40e12;
/** Padded tokens of one reading call: they saturate a GPU, and more rows would need further shapes. */
const gpuCallTokens = 4096;

/**
 * The shapes of calls over a table of slots. There are only a handful, because each takes seconds to compile on a GPU.
 * Sampling has one shape for every length of past. Prompts without a past are packed end to end if `packs` is set: in rows of
 * 256, prompts of 32 to 160 tokens filled a sixth. Other reads have one number of rows for each length, because on a GPU few
 * rows cost nearly as much as many.
 */
export class SlotShapes implements CallPlan {
  readonly prefillTokens: number;
  readonly maxRows: number;
  readonly mixesLengths = true;
  /** Step counts of the sampling functions, ascending. */
  readonly steps: readonly number[];
  readonly packedLengths: readonly number[];
  /** Maximum number of tokens of one request that are guessed and checked in a call; 0: none. */
  readonly guesses: number;
  readonly #callTokens: number;
  readonly #lengths: readonly number[];
  readonly #furtherLengths: readonly number[];

  constructor(config: ModelConfig, options: ShapeOptions & { readonly packs: boolean }) {
    const { maxBatch, maxLength, stepsPerCall, promptLengths } = options;
    this.maxRows = maxBatch;
    this.guesses = options.speculates === true ? mostGuesses : 0;
    this.prefillTokens =
      options.prefillTokens ??
      affordablePrefill(parameterCount(config), options.gpu, options.gpu ? gpuReadOperations : undefined);
    this.#callTokens = options.gpu ? Math.min(gpuCallTokens, this.prefillTokens) : this.prefillTokens;
    const longestPacked = options.gpu ? this.#callTokens : Math.min(this.#callTokens, longestPackedOffGpu);
    this.packedLengths = options.packs ? geometricBuckets(shortestPacked, longestPacked, 4) : [];
    const mostOfCall = this.packedLengths.at(-1) ?? this.#callTokens;
    const longest = Math.min(maxLength - 1, longestPiece, mostOfCall);
    const own = promptLengths?.filter((length) => length < longest).toSorted((a, b) => a - b);
    this.#lengths = own === undefined ? geometricBuckets(shortestPiece, longest, 4) : [...own, longest];
    this.#furtherLengths = geometricBuckets(shortestFurtherPiece, longest, 8);
    this.steps = [...new Set([Math.ceil(stepsPerCall / 4), stepsPerCall])];
  }

  /** All shapes that `readShape` may return. */
  get reads(): TableReadShape[] {
    return [false, true].flatMap((hasPast) => {
      const isPacked = !hasPast && this.packedLengths.length > 0;
      const lengths = isPacked ? this.packedLengths : this.#lengthsOf(hasPast);
      return lengths.map((length) => this.readShape(length, hasPast));
    });
  }

  readShape(length: number, hasPast: boolean): TableReadShape {
    const isPacked = !hasPast && this.packedLengths.length > 0;
    const rows = isPacked ? this.rowsOfPacked(length) : this.rowsThatFit(length);
    return { rows, length, hasPast, isPacked };
  }

  pieceLength(left: number): number {
    return Math.min(left, this.#lengths.at(-1) as number);
  }

  paddedLength(piece: number, pastTokens: number): number {
    const isPacked = pastTokens === 0 && this.packedLengths.length > 0;
    return bucketFor(isPacked ? this.packedLengths : this.#lengthsOf(pastTokens > 0), piece);
  }

  readClass(pastTokens: number): number {
    return pastTokens === 0 ? 0 : 1;
  }

  rowsThatFit(length: number): number {
    return Math.min(this.maxRows, Math.max(1, Math.floor(this.#callTokens / length)));
  }

  rowsOfPacked(length: number): number {
    return Math.min(this.maxRows, Math.ceil(length / packedTokensPerRow));
  }

  /** All rows go together: those that need fewer tokens stop on the device. */
  stepsFor(): number {
    return this.steps.at(-1) as number;
  }

  pastClass(): number {
    return 0;
  }

  /** Steps of the smallest function with at least `wanted` steps. */
  stepsOfCall(wanted: number): number {
    return bucketFor(this.steps, wanted);
  }

  #lengthsOf(hasPast: boolean): readonly number[] {
    return hasPast ? this.#furtherLengths : this.#lengths;
  }
}

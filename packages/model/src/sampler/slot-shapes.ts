import type { ModelConfig } from "../config.js";
import { parameterCount } from "../parameters.js";
import { bucketFor, geometricBuckets } from "./buckets.js";
import type { CallPlan } from "./call-plan.js";
import { affordablePrefill, type ShapeOptions } from "./call-shapes.js";
import type { TableReadShape } from "./table-read.js";

const shortestPiece = 64;
/** What follows a shared beginning is often a few tokens. */
const shortestFurtherPiece = 32;
const longestPiece = 1024;
const fewestRows = 8;
/**
 * As long as a call that samples takes on a GPU: slots that fall free in one such call must be read into before the next,
 * or they stay idle.
 */
const gpuReadOperations = 40e12;

/**
 * The shapes of calls over a table of slots: a handful, since each is compiled for seconds on a GPU. What samples is one
 * shape at every length of past; up to 64 rows cost a GPU the same, so few rows are no shape of their own.
 */
export class SlotShapes implements CallPlan {
  readonly prefillTokens: number;
  readonly maxRows: number;
  readonly mixesLengths = true;
  /** Step counts of the functions that sample, ascending. */
  readonly steps: readonly number[];
  readonly #lengths: readonly number[];
  readonly #furtherLengths: readonly number[];

  constructor(config: ModelConfig, options: ShapeOptions) {
    const { maxBatch, maxLength, stepsPerCall, promptLengths } = options;
    this.maxRows = maxBatch;
    this.prefillTokens =
      options.prefillTokens ??
      affordablePrefill(parameterCount(config), options.gpu, options.gpu ? gpuReadOperations : undefined);
    const longest = Math.min(maxLength - 1, longestPiece, this.prefillTokens);
    const own = promptLengths?.filter((length) => length < longest).toSorted((a, b) => a - b);
    this.#lengths = own === undefined ? geometricBuckets(shortestPiece, longest, 4) : [...own, longest];
    this.#furtherLengths = geometricBuckets(shortestFurtherPiece, longest, 8);
    this.steps = [...new Set([Math.ceil(stepsPerCall / 4), stepsPerCall])];
  }

  /** Every shape that `readShape` may give. */
  get reads(): TableReadShape[] {
    return [false, true].flatMap((hasPast) =>
      this.#lengthsOf(hasPast).flatMap((length) =>
        this.#rowsOf(length).map((rows) => ({ rows, length, hasPast })),
      ),
    );
  }

  readShape(rows: number, length: number, hasPast: boolean): TableReadShape {
    return { rows: bucketFor(this.#rowsOf(length), rows), length, hasPast };
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
    return Math.min(this.maxRows, Math.max(1, Math.floor(this.prefillTokens / length)));
  }

  /** All rows go together: those that want fewer tokens stop on the device. */
  stepsFor(): number {
    return this.steps.at(-1) as number;
  }

  pastClass(): number {
    return 0;
  }

  /** Steps of the smallest function that takes `wanted`. */
  stepsOfCall(wanted: number): number {
    return bucketFor(this.steps, wanted);
  }

  #lengthsOf(hasPast: boolean): readonly number[] {
    return hasPast ? this.#furtherLengths : this.#lengths;
  }

  #rowsOf(length: number): number[] {
    const most = this.rowsThatFit(length);
    return most > fewestRows ? [fewestRows, most] : [most];
  }
}

import type { ModelConfig } from "../../base/config.js";
import { bucketFor } from "../calls/buckets.js";
import type { CallPlan } from "../calls/call-plan.js";
import { type CallSizes, chooseSizes, type ShapeOptions } from "../calls/call-sizes.js";
import { wholeTiles } from "../calls/row-tile.js";

/** Tokens per page of the cache. */
export const pageLength = 16;

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

/** One call that samples up to `steps` tokens of each row. */
export interface DecodeShape {
  readonly rows: number;
  readonly steps: number;
  readonly pastPages: number;
}

/**
 * The shapes at which a sampler's functions are compiled; the contents of a call are padded to the next larger one. There
 * are few of them, because the first call at a shape costs TensorFlow a time that grows with the size of the whole graph.
 * A shape combines one size from each of two or three lists (call-sizes.ts).
 */
export class CallShapes implements CallPlan {
  readonly mixesLengths = false;
  readonly packedLengths: readonly number[] = [];
  readonly prefillTokens: number;
  readonly maxRows: number;
  /** Maximum number of tokens of one request that are guessed and checked in a call; 0: none. */
  readonly guesses: number;
  readonly #sizes: CallSizes;
  readonly #batchInvariant: boolean;
  /** What a sampling call's copy of the cache holds besides the past. */
  readonly #room: (steps: number) => number;

  constructor(config: ModelConfig, options: ShapeOptions) {
    this.#sizes = chooseSizes(config, options, pageLength);
    this.#batchInvariant = options.batchInvariant ?? false;
    this.#room = options.writesSteps === true ? (steps) => steps : () => 0;
    this.prefillTokens = this.#sizes.prefillTokens;
    this.maxRows = this.#sizes.maxRows;
    this.guesses = this.#sizes.guesses;
  }

  /** All shapes that `readShape` may return. */
  get reads(): ReadShape[] {
    const { fresh, further } = this.#sizes;
    const first = fresh.lengths.flatMap((length) =>
      this.#readRows(length, 0).map((rows) => ({ rows, length, pastPages: 0 })),
    );
    const later = further.lengths.flatMap((length) =>
      this.#readRows(length, 1).flatMap((rows) =>
        further.pastPages.map((pastPages) => ({ rows, length, pastPages })),
      ),
    );
    return [...first, ...later];
  }

  /** All shapes that `decodeShape` may return. */
  get decodes(): DecodeShape[] {
    const { rows, steps } = this.#sizes.decode;
    return rows.flatMap((row) =>
      steps.flatMap((step) =>
        this.#decodePasts(row, step).map((pastPages) => ({ rows: row, steps: step, pastPages })),
      ),
    );
  }

  /** All shapes that `verifyShape` may return. */
  get verifies(): VerifyShape[] {
    if (this.guesses === 0) return [];
    return this.#sizes.decode.pastPages.map((pastPages) => ({ length: 1 + this.guesses, pastPages }));
  }

  /** Row counts at which functions exist. */
  get rowCounts(): number[] {
    return [...new Set([...this.reads, ...this.decodes].map(({ rows }) => rows))];
  }

  /** Number of prompt tokens that the next call reads: all that is left, or a piece of whole pages. */
  pieceLength(left: number): number {
    const { longestPiece } = this.#sizes;
    return left <= longestPiece ? left : longestPiece - (longestPiece % pageLength);
  }

  /** Length that a piece is padded to: pieces of one padded length share a call, either all with a past or all without. */
  paddedLength(piece: number, pastTokens: number): number {
    const { fresh, further } = this.#sizes;
    return bucketFor((pastTokens === 0 ? fresh : further).lengths, piece);
  }

  /** Unit of shareable prefixes in prompt tokens: whole pieces if calls are batch-invariant, otherwise pages. */
  get sharedUnit(): number {
    return this.#batchInvariant ? wholeTiles(this.#sizes.longestPiece, pageLength) : pageLength;
  }

  /**
   * Pieces of the same class are read together: with batch-invariant calls, those with the same attended length;
   * otherwise all that have a past.
   */
  readClass(pastTokens: number): number {
    if (pastTokens === 0) return 0;
    return this.#batchInvariant ? pagesFor(this.#sizes.further.pastPages, pastTokens) : 1;
  }

  /** Maximum number of rows of a call that reads pieces of this padded length. */
  rowsThatFit(length: number): number {
    const { readTile } = this.#sizes;
    const fits = Math.floor(this.prefillTokens / length);
    return Math.min(this.maxRows, Math.max(readTile, fits - (fits % readTile)));
  }

  rowsOfPacked(): number {
    return 0;
  }

  readShape(rows: number, length: number, pastTokens: number): ReadShape {
    return {
      rows: bucketFor(this.#readRows(length, pastTokens), rows),
      length,
      pastPages: pastTokens === 0 ? 0 : pagesFor(this.#sizes.further.pastPages, pastTokens),
    };
  }

  /** Steps of a call for requests that may take `remaining` more tokens. */
  stepsFor(remaining: number): number {
    const { steps } = this.#sizes.decode;
    return bucketFor(steps, Math.min(remaining, Math.max(...steps)));
  }

  /** Rows of the same class are sampled together, because their pasts have similar lengths. */
  pastClass(pastTokens: number, steps: number): number {
    return pagesFor(this.#sizes.decode.pastPages, pastTokens + this.#room(steps));
  }

  /** @param pastTokens the longest past of the rows */
  decodeShape(rows: number, steps: number, pastTokens: number): DecodeShape {
    const padded = bucketFor(this.#sizes.decode.rows, rows);
    return {
      rows: padded,
      steps,
      pastPages: pagesFor(this.#decodePasts(padded, steps), pastTokens + this.#room(steps)),
    };
  }

  verifyShape(pastTokens: number): VerifyShape {
    return { length: 1 + this.guesses, pastPages: pagesFor(this.#sizes.decode.pastPages, pastTokens) };
  }

  #decodePasts(rows: number, steps: number): readonly number[] {
    const { decode } = this.#sizes;
    const isLargest = rows === decode.rows.at(-1) && steps === decode.steps.at(-1);
    return isLargest ? decode.pastPagesOfLargest : decode.pastPages;
  }

  /** Row counts of the calls that read pieces of this padded length. */
  #readRows(length: number, pastTokens: number): number[] {
    const { fresh, further } = this.#sizes;
    const most = this.rowsThatFit(length);
    const fewer = (pastTokens === 0 ? fresh : further).rows.filter((rows) => rows < most);
    return [...fewer, most];
  }
}

/** The smallest of these page counts that holds this many tokens, or else the largest. */
function pagesFor(pageCounts: readonly number[], tokens: number): number {
  return bucketFor(pageCounts, Math.min(Math.ceil(tokens / pageLength), Math.max(...pageCounts)));
}

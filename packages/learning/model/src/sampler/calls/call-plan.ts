/** How long requests that sample wait for prompts that are read. */
export interface ReadPatience {
  /** As many times as long as their last call. */
  readonly times: number;
  /** At most. */
  readonly seconds: number;
}

/** Decides which requests share a call, and at which padded sizes, for pages (call-shapes.ts) or slots (slot-shapes.ts). */
export interface CallPlan {
  /** Prompt tokens, including padding, that are read between two sampling calls, unless there is a patience. */
  readonly prefillTokens: number;
  readonly patience?: ReadPatience | undefined;
  /** Rows of the largest call. */
  readonly maxRows: number;
  /** Whether pieces of different padded lengths may be read in one call, which is then padded to the longest. */
  readonly mixesLengths: boolean;
  /** Sizes in tokens of the calls that read packed pieces, ascending; empty: one padded row per piece. */
  readonly packedLengths: readonly number[];
  /** Number of prompt tokens that the next call reads when `left` tokens are unread. */
  pieceLength(left: number): number;
  paddedLength(piece: number, pastTokens: number): number;
  /** Only pieces of the same class are read together. */
  readClass(pastTokens: number): number;
  /** Maximum number of rows of a call that reads pieces of this padded length. */
  rowsThatFit(length: number): number;
  /** Maximum number of pieces in a packed call of this many tokens. */
  rowsOfPacked(length: number): number;
  /** Steps of a call for requests that may take `remaining` more tokens; only requests with equal steps share a call. */
  stepsFor(remaining: number): number;
  /** Only rows of the same class are sampled together. */
  pastClass(pastTokens: number, steps: number): number;
}

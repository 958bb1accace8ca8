/** Which requests go into one call together, and at which padded sizes: of pages (call-shapes.ts) or slots (slot-shapes.ts). */
export interface CallPlan {
  /** Prompt tokens, padding counted, that are read between two calls that sample. */
  readonly prefillTokens: number;
  /** Rows of the largest call. */
  readonly maxRows: number;
  /** Pieces of different padded lengths may be read in one call, which is as long as the longest. */
  readonly mixesLengths: boolean;
  /** Tokens of the calls that read pieces without a past laid end to end, ascending; none: a row each, padded. */
  readonly packedLengths: readonly number[];
  /** Tokens of a prompt that the next call reads, of so many that are left. */
  pieceLength(left: number): number;
  paddedLength(piece: number, pastTokens: number): number;
  /** Only pieces of one class are read together. */
  readClass(pastTokens: number): number;
  /** Most rows of a call that reads pieces of this padded length. */
  rowsThatFit(length: number): number;
  /** Most pieces of a packed call of so many tokens. */
  rowsOfPacked(length: number): number;
  /** Steps of a call for requests that may take `remaining` more tokens; only equal ones go together. */
  stepsFor(remaining: number): number;
  /** Only rows of one class sample together. */
  pastClass(pastTokens: number): number;
}

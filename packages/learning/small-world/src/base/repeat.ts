import { DatasetError } from "@palimpsest/datasets";
import { createRandom } from "@palimpsest/std/random";

/** A row of token ids, with a mask of the positions that count in the loss. */
export interface RepeatRow {
  readonly tokenIds: readonly number[];
  /** One number per token: 0 in the first repetition of the string, 1 in all later ones. */
  readonly lossMask: readonly number[];
}

/**
 * Generates rows of random strings of tokens, each repeated until the row is full; everything but the first repetition
 * counts in the loss. Nothing but attention to the earlier repetitions predicts these tokens, so a small model learns
 * to copy. Measured in PyTorch at 118k parameters: without this stage first, recall stayed at guessing among the
 * listed values for all of its 500 to 1200 steps.
 *
 * @param options.vocabulary the ids to draw from, with replacement
 * @param options.minLength the shortest string, tokens; the length is drawn uniformly for each row
 * @param options.maxLength the longest string, tokens
 * @returns `count` rows of `rowTokens`; row i depends on the seed and i only
 * @throws {DatasetError} BAD_CONFIG
 */
export function repeatRows(options: {
  readonly count: number;
  readonly seed: number | string;
  readonly vocabulary: readonly number[];
  readonly minLength: number;
  readonly maxLength: number;
  readonly rowTokens: number;
}): RepeatRow[] {
  const { count, seed, vocabulary, minLength, maxLength, rowTokens } = options;
  if (minLength < 1 || minLength > maxLength || maxLength >= rowTokens) {
    throw new DatasetError(
      "BAD_CONFIG",
      `minLength ${minLength}, maxLength ${maxLength}, rowTokens ${rowTokens}: must be whole numbers from 1, each greater than the one before`,
    );
  }
  if (vocabulary.length < 2) {
    throw new DatasetError("BAD_CONFIG", `vocabulary: has ${vocabulary.length} ids; give 2 or more`);
  }
  return Array.from({ length: count }, (_, index) => {
    const random = createRandom(`${seed}/repeat/${index}`);
    const length = minLength + random.below(maxLength - minLength + 1);
    const string = Array.from({ length }, () => random.pick(vocabulary));
    return {
      tokenIds: Array.from({ length: rowTokens }, (_unused, at) => string[at % length] as number),
      lossMask: Array.from({ length: rowTokens }, (_unused, at) => (at < length ? 0 : 1)),
    };
  });
}

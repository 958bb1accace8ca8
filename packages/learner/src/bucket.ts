import { z } from "zod";

const count = z.int().min(1);

/** One shape for which the learner is compiled. */
export const Bucket = z
  .strictObject({
    rows: count.describe("Rows of a micro-batch; with packedRows: sequences, each of one or more rows."),
    length: z
      .int()
      .min(2)
      .describe("Tokens of a row, prompt and response together; with packedRows: of a sequence."),
    packedRows: count
      .optional()
      .describe(
        "Packs up to this many rows end to end in the sequences; they do not attend to each other. Absent: one row per sequence.",
      ),
    sharedPrompts: z
      .strictObject({
        length: count.describe("Tokens of a prompt: everything before the first trained token."),
        replies: z.int().min(2).describe("Rows with the same prompt that are computed together with it."),
      })
      .optional()
      .describe(
        "Computes a prompt that several rows begin with only once for all of them; the rest of `length` is for their replies. Absent: with every row.",
      ),
    trainedTokens: count
      .optional()
      .describe(
        "Maximum number of trained tokens of a micro-batch: only they get logits. Absent: every position of the shape, prompts and padding too.",
      ),
  })
  .refine(({ packedRows, sharedPrompts }) => packedRows === undefined || sharedPrompts === undefined, {
    path: ["sharedPrompts"],
    message: "does not go together with packedRows; leave one of them out",
  })
  .refine(({ length, sharedPrompts }) => sharedPrompts === undefined || sharedPrompts.length < length, {
    path: ["sharedPrompts", "length"],
    message: "leaves no token of `length` for the replies; make it smaller",
  })
  .refine(({ rows, sharedPrompts }) => sharedPrompts === undefined || rows % sharedPrompts.replies === 0, {
    path: ["sharedPrompts", "replies"],
    message: "does not divide `rows`; give a whole number of prompts",
  })
  .describe("A compiled shape.");
export type Bucket = z.infer<typeof Bucket>;

/** Returns the maximum number of rows in a micro-batch of this shape. */
export function rowsOf(bucket: Bucket): number {
  return bucket.packedRows ?? bucket.rows;
}

/** Returns whether logits are computed only at selected positions. */
export function isPicked(bucket: Bucket): boolean {
  return (
    bucket.packedRows !== undefined ||
    bucket.sharedPrompts !== undefined ||
    bucket.trainedTokens !== undefined
  );
}

/** Returns the layout of prompts and replies in a micro-batch whose rows share prompts; undefined if they do not. */
export function sharingOf({ rows, length, sharedPrompts }: Bucket) {
  if (sharedPrompts === undefined) return undefined;
  const { length: promptLength, replies } = sharedPrompts;
  return { prompts: rows / replies, promptLength, replies, replyLength: length - promptLength };
}

/** Returns the number of token positions that a micro-batch of this shape computes, including padding. */
export function placesOf(bucket: Bucket): number {
  const sharing = sharingOf(bucket);
  if (sharing === undefined) return bucket.rows * bucket.length;
  return sharing.prompts * sharing.promptLength + bucket.rows * sharing.replyLength;
}

/** Returns the maximum number of trained tokens in a micro-batch of this shape. */
export function trainedTokensOf(bucket: Bucket): number {
  const { rows, length, sharedPrompts, trainedTokens } = bucket;
  return trainedTokens ?? rows * (length - (sharedPrompts?.length ?? 0));
}

export function bucketName({ rows, length, packedRows, sharedPrompts, trainedTokens }: Bucket): string {
  const packed = packedRows === undefined ? "" : `-packed${packedRows}`;
  const trained = trainedTokens === undefined ? "" : `-trained${trainedTokens}`;
  const shared =
    sharedPrompts === undefined ? "" : `-prompt${sharedPrompts.length}by${sharedPrompts.replies}`;
  return `${rows}x${length}${packed}${shared}${trained}`;
}

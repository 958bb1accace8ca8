import { z } from "zod";

const count = z.int().min(1);

/** One shape for which the learner is compiled. */
export const Bucket = z
  .strictObject({
    rows: count.describe(
      "Rows per micro-batch; with packedRows: sequences per micro-batch, each of one or more rows.",
    ),
    length: z
      .int()
      .min(2)
      .describe("Tokens of prompt and response per row; with packedRows: tokens per sequence."),
    packedRows: count
      .optional()
      .describe(
        "Most rows that are packed end to end into the sequences of a micro-batch, without attending to each other. Absent: one row per sequence.",
      ),
    sharedPrompts: z
      .strictObject({
        length: count.describe("Most tokens of a shared beginning; a longer one is cut to them."),
        replies: z.int().min(2).describe("Rows that share one beginning, which is computed once for them."),
      })
      .optional()
      .describe(
        "Computes the tokens with which the prompts of several rows begin once for all of them; the rest of `length` is for what each row has of its own: the rest of its prompt, and its reply. Absent: they are computed with every row.",
      ),
    trainedTokens: count
      .optional()
      .describe(
        "Most trained tokens per micro-batch, which are the only ones that get logits. Absent: all positions get logits, including prompts and padding.",
      ),
  })
  .refine(({ packedRows, sharedPrompts }) => packedRows === undefined || sharedPrompts === undefined, {
    path: ["sharedPrompts"],
    message: "cannot be combined with packedRows; leave one of them out",
  })
  .refine(({ length, sharedPrompts }) => sharedPrompts === undefined || sharedPrompts.length < length, {
    path: ["sharedPrompts", "length"],
    message: "leaves no token of `length` for the replies; make it smaller",
  })
  .refine(({ rows, sharedPrompts }) => sharedPrompts === undefined || rows % sharedPrompts.replies === 0, {
    path: ["sharedPrompts", "replies"],
    message: "does not divide `rows`; give a whole number of prompts",
  })
  .refine(({ rows, length, trainedTokens = 0 }) => trainedTokens <= rows * length, {
    path: ["trainedTokens"],
    message: "must not exceed rows times length, which are all positions; make it smaller",
  })
  .describe("One compiled shape of a micro-batch.");
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

/** Returns whether a row fits into a micro-batch of this shape; `promptTokens` come before its first trained token. */
export function hasRoomFor(
  bucket: Bucket,
  row: { readonly tokens: number; readonly promptTokens: number; readonly trainedTokens: number },
): boolean {
  const sharing = sharingOf(bucket);
  const shared = Math.min(row.promptTokens, sharing?.promptLength ?? 0);
  const most = isPicked(bucket) ? trainedTokensOf(bucket) : Number.POSITIVE_INFINITY;
  return row.tokens - shared <= (sharing?.replyLength ?? bucket.length) && row.trainedTokens <= most;
}

export function bucketName({ rows, length, packedRows, sharedPrompts, trainedTokens }: Bucket): string {
  const packed = packedRows === undefined ? "" : `-packed${packedRows}`;
  const trained = trainedTokens === undefined ? "" : `-trained${trainedTokens}`;
  const shared =
    sharedPrompts === undefined ? "" : `-prompt${sharedPrompts.length}by${sharedPrompts.replies}`;
  return `${rows}x${length}${packed}${shared}${trained}`;
}

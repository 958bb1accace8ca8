import { z } from "zod";

/** One shape that the learner is compiled for. */
export const Bucket = z
  .strictObject({
    rows: z
      .int()
      .min(1)
      .describe("Rows of a micro-batch; with packedRows: sequences, each of one or more rows."),
    length: z
      .int()
      .min(2)
      .describe("Tokens of a row, prompt and response together; with packedRows: of a sequence."),
    packedRows: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Packs up to this many rows one behind the other into the sequences; they do not see each other. Absent: one row a sequence.",
      ),
    sharedPrompts: z
      .strictObject({
        length: z.int().min(1).describe("Tokens of a prompt: everything before the first trained token."),
        replies: z.int().min(2).describe("Rows with the same prompt that are computed with it at once."),
      })
      .optional()
      .describe(
        "Computes a prompt that several rows begin with once for all of them; what is left of `length` is for their replies. Absent: with every row.",
      ),
    trainedTokens: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Trained tokens of a micro-batch at most: only they get logits. Absent: every place of the shape, prompts and padding too.",
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

/** Rows that a micro-batch of this shape holds at most. */
export function rowsOf(bucket: Bucket): number {
  return bucket.packedRows ?? bucket.rows;
}

/** Logits are computed where they are wanted, and not at every place. */
export function isPicked(bucket: Bucket): boolean {
  return (
    bucket.packedRows !== undefined ||
    bucket.sharedPrompts !== undefined ||
    bucket.trainedTokens !== undefined
  );
}

/** How prompts and replies lie in a micro-batch whose rows share prompts; undefined where none do. */
export function sharingOf({ rows, length, sharedPrompts }: Bucket) {
  if (sharedPrompts === undefined) return undefined;
  const { length: promptLength, replies } = sharedPrompts;
  return { prompts: rows / replies, promptLength, replies, replyLength: length - promptLength };
}

/** Token places that a micro-batch of this shape computes, padding included. */
export function placesOf(bucket: Bucket): number {
  const sharing = sharingOf(bucket);
  if (sharing === undefined) return bucket.rows * bucket.length;
  return sharing.prompts * sharing.promptLength + bucket.rows * sharing.replyLength;
}

/** Trained tokens that a micro-batch of this shape holds at most. */
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

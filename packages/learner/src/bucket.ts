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
    trainedTokens: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Trained tokens of a micro-batch at most: only they get logits. Absent: every place of the shape, prompts and padding too.",
      ),
  })
  .describe("A compiled shape.");
export type Bucket = z.infer<typeof Bucket>;

/** Rows that a micro-batch of this shape holds at most. */
export function rowsOf(bucket: Bucket): number {
  return bucket.packedRows ?? bucket.rows;
}

/** Logits are computed where they are wanted, and not at every place. */
export function isPicked(bucket: Bucket): boolean {
  return bucket.packedRows !== undefined || bucket.trainedTokens !== undefined;
}

/** Trained tokens that a micro-batch of this shape holds at most. */
export function trainedTokensOf({ rows, length, trainedTokens }: Bucket): number {
  return trainedTokens ?? rows * length;
}

export function bucketName({ rows, length, packedRows, trainedTokens }: Bucket): string {
  const packed = packedRows === undefined ? "" : `-packed${packedRows}`;
  const trained = trainedTokens === undefined ? "" : `-trained${trainedTokens}`;
  return `${rows}x${length}${packed}${trained}`;
}

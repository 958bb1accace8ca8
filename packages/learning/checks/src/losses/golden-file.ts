import { readFile } from "node:fs/promises";
import { LearnerError } from "@palimpsest/learner";
import { reasonText } from "@palimpsest/std/input";
import { z } from "zod";

const numbers = z.array(z.number());
const matrix = z.array(numbers.min(1)).min(1);

const batchSchema = z.object({
  new: matrix.describe(
    "Log-probabilities under the current weights; the gradient is taken with respect to them",
  ),
  old: matrix,
  ref: matrix,
  mask: matrix,
  adv: matrix.describe("One number per row, repeated for each of its tokens"),
});
export type GoldenBatch = z.infer<typeof batchSchema>;

const lossSchema = z.object({
  loss: z.number(),
  grad: numbers,
  clipfrac: z.number().optional(),
  lower: z.number().optional(),
  ppo_kl: z.number().optional(),
});

const fileSchema = z
  .object({ A_rewards: numbers.min(2), B_in: batchSchema })
  .catchall(z.union([z.number(), numbers, lossSchema]));

/** One golden value: a number, one number per token or episode, or a loss with its gradient. */
export type GoldenValue = number | readonly number[] | z.infer<typeof lossSchema>;

export interface Golden {
  readonly rewards: readonly number[];
  readonly batch: GoldenBatch;
  readonly cases: ReadonlyMap<string, GoldenValue>;
}

/**
 * Reads the numbers that the code of other systems computed for one small batch.
 * @throws {LearnerError} REFERENCE_INVALID, naming the field
 */
export async function readGolden(path: string): Promise<Golden> {
  const refuse = (what: string, cause: unknown): never => {
    throw new LearnerError("REFERENCE_INVALID", `${path}: ${what}`, { cause });
  };
  const text = await readFile(path, "utf8").catch((cause: unknown) =>
    refuse(`cannot be read (${reasonText(cause)})`, cause),
  );
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    refuse("no JSON", cause);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) return refuse(z.prettifyError(parsed.error).split("\n").join(" "), parsed.error);
  const { A_rewards: rewards, B_in: batch, ...cases } = parsed.data;
  return { rewards, batch, cases: new Map(Object.entries(cases)) };
}

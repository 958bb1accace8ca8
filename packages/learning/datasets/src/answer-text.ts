/** Answers as files write them. */
import { z } from "zod";

/**
 * One answer: a text that is not blank, or a number, true or false, which is scored by its text. An integer that a
 * number of JSON cannot hold exactly is refused, because its digits have already changed.
 */
export const answerTextSchema = z.union([
  z.string().trim().min(1),
  z.boolean().transform(String),
  z.bigint().transform(String),
  z
    .number()
    .refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), {
      error: ({ input }) =>
        `is ${String(input)}, and a number of JSON holds no integer of that size exactly; write it as a text`,
    })
    .transform(String),
]);

/** One answer or a list of them, any of which suffices. */
export const answersSchema = z.union([
  answerTextSchema.transform((one) => [one]),
  z.array(answerTextSchema).min(1),
]);

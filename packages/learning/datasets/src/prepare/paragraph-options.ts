import { z } from "zod";
import { evidenceOrders } from "../paragraphs/evidence-places.js";

/** Options of every preparer that fills up contexts with paragraphs. */
export const contextOptions = {
  pool: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "files of paragraphs or questions from which distractor paragraphs are drawn; absent: the inputs",
    ),
  corpus: z
    .string()
    .min(1)
    .optional()
    .describe(
      "file of paragraphs, or RULER-HQA's hotpotqa_dev.json, for rows that give their context as indices into it",
    ),
  answerFree: z.boolean().default(false).describe("draws only paragraphs that do not contain an answer"),
  repeat: z
    .boolean()
    .default(false)
    .describe(
      "draws paragraphs a second time when the pool is used up, instead of failing; repeatedDocs counts them",
    ),
  clean: z
    .boolean()
    .default(false)
    .describe("keeps only questions whose answer occurs in no paragraph of the pool except their own"),
  minDistance: z
    .int()
    .min(1)
    .optional()
    .describe("keeps only items whose gold documents are at least this many documents apart"),
  order: z
    .enum(["any", ...evidenceOrders])
    .default("any")
    .describe("keeps only items whose evidence comes in this order"),
};

export const docsOption = z
  .int()
  .min(1)
  .optional()
  .describe("documents per context; absent: the question's own paragraphs, or the context that the file has");

export type ContextOptions = z.output<z.ZodObject<typeof contextOptions>>;

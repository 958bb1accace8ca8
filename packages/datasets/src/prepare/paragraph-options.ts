import { z } from "zod";
import { evidenceOrders } from "../paragraphs/evidence-places.js";

/** Options of every preparer that fills up contexts with paragraphs. */
export const contextOptions = {
  pool: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "files that other paragraphs are drawn from: paragraphs or questions; absent: the inputs themselves",
    ),
  corpus: z
    .string()
    .min(1)
    .optional()
    .describe("file that finished contexts are indices into: paragraphs, or RULER-HQA's hotpotqa_dev.json"),
  answerFree: z.boolean().default(false).describe("draws no paragraph that holds an answer"),
  repeat: z
    .boolean()
    .default(false)
    .describe(
      "draws paragraphs again when the pool is used up, instead of an error; counted in repeatedDocs",
    ),
  clean: z
    .boolean()
    .default(false)
    .describe("keeps only questions whose answer stands in no paragraph of the pool besides their own"),
  minDistance: z
    .int()
    .min(1)
    .optional()
    .describe("keeps only items whose gold documents stand at least so far apart"),
  order: z
    .enum(["any", ...evidenceOrders])
    .default("any")
    .describe("keeps only items whose evidence stands in this order"),
};

export const docsOption = z
  .int()
  .min(1)
  .optional()
  .describe(
    "documents of a context; absent: the question's own paragraphs, or the context as it is in the file",
  );

export type ContextOptions = z.output<z.ZodObject<typeof contextOptions>>;

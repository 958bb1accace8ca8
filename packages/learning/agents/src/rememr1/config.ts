import { z } from "zod";
import { memAgentConfigSchema } from "../memagent/config.js";
import { checkHeads } from "../memory-heads.js";

const { memoryPrompt, finalPrompt, initialMemory, wholeTokens: _, ...reading } = memAgentConfigSchema.shape;
const tag = z
  .string()
  .regex(/^[A-Za-z][\w-]*$/, "must begin with a letter, followed by letters, digits, dashes and underscores");

/** How an agent looks back into the document. */
const lookBackSchema = z.strictObject({
  passages: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe("passages of memoryTokens / passages tokens that a query finds, by their words (BM25)"),
  bytes: z
    .int()
    .min(1024)
    .default(4 * 2 ** 20)
    .describe("most bytes of the sections that are kept for searches; the oldest leave first"),
  rereads: z
    .int()
    .min(0)
    .max(16)
    .default(0)
    .describe("how often a query in place of the answer is answered, before the question is asked again"),
  reread: z
    .enum(["section", "passages"])
    .default("section")
    .describe(
      "what a query in place of the answer brings. section: the best section is read again, for that query, and noted; passages: what a recall finds, beside the question",
    ),
});

const settings = z.strictObject({
  ...reading,
  memoryTokens: z
    .int()
    .min(1)
    .default(2048)
    .describe(
      "most tokens of the memory, and sampled for one reply with its update and its recall, including the stop token",
    ),
  replyTokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      "most tokens sampled for one reply in place of memoryTokens, where a head of the memory holds fewer; absent: memoryTokens",
    ),
  finalTokens: z
    .int()
    .min(1)
    .default(2048)
    .describe("most tokens sampled for the answer, including the stop token"),
  memoryPrompt: z
    .string()
    .describe("prompt of a memory update with {question}, {recalled}, {memory} and {section}"),
  finalPrompt: z.string().describe("prompt of the answer with {question}, {recalled} and {memory}"),
  initialMemory,
  nothingRecalled: z
    .string()
    .default("No memory was recalled.")
    .describe("replaces {recalled} in the prompt if nothing was recalled"),
  updateTag: tag.default("update").describe("name of the tag around the new memory"),
  recallTag: tag.default("recall").describe("name of the tag around the query for an earlier memory"),
  memoryOf: z
    .enum(["update", "reply"])
    .default("update")
    .describe(
      "part of a reply that becomes the memory. update: the content of the update tag; without the tag the memory stays as it is; reply: everything except recall queries, as in the original's code, which also requires a query to be on one line",
    ),
  recallOrder: z
    .enum(["before", "after"])
    .default("before")
    .describe(
      "which memories a query finds. before: those from before its own reply, as the original's training; after: the memory of its own reply, too, as the original's evaluation",
    ),
  lookBack: lookBackSchema
    .optional()
    .describe("recalls search the sections that were read; absent: the earlier memories, as in the original"),
  recall: z.boolean().default(true).describe("whether recall queries are answered; false: they are ignored"),
  similarityFloor: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(0.02)
    .describe(
      "an earlier memory is recalled only if its TF-IDF cosine similarity to the query exceeds this; null: the most similar one is always recalled, even if it has no word in common with the query, as in the original",
    ),
});

/**
 * Settings of ReMemR1 (arXiv:2509.23040). Of the presets, `rememr1` follows its paper and `rememr1-released` follows
 * its code, both with prompts written by us; `small` is for chat models below a billion parameters, `tiny` for models
 * of a hundred thousand.
 */
export const rememr1ConfigSchema = settings.superRefine(checkHeads).superRefine((config, context) => {
  const { lookBack, memoryTokens, replyTokens } = config;
  if (replyTokens !== undefined && replyTokens > memoryTokens)
    context.addIssue({
      code: "custom",
      path: ["replyTokens"],
      message: `is ${replyTokens}, but a reply with all of memoryTokens has ${memoryTokens}; lower replyTokens, or leave it out`,
    });
  if (lookBack === undefined || lookBack.passages <= memoryTokens) return;
  context.addIssue({
    code: "custom",
    path: ["lookBack", "passages"],
    message: `is ${lookBack.passages}, but memoryTokens is ${memoryTokens}, so that a passage would hold no token; use fewer passages or more memoryTokens`,
  });
});

/** ReMemR1's settings with all defaults filled in; lengths are in tokens. */
export type ReMemR1Config = z.infer<typeof rememr1ConfigSchema>;
/** ReMemR1's settings as a recipe gives them. */
export type ReMemR1ConfigInput = z.input<typeof rememr1ConfigSchema>;

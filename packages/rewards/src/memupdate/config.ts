import { embedderConfigSchema } from "@palimpsest/memory";
import { z } from "zod";
import { frozenReaderSchema, modelEndpointSchema } from "../dependencies.js";
import { judgeSchema } from "../judge/judge.js";

/** MemUpdate's reward as its code computes it. */
export const memUpdateReleasedSchema = z.strictObject({
  name: z
    .literal("memupdate-released")
    .describe("change of the original's keyword score times its efficiency, as its code computes it"),
  maxTotalMemories: z.int().min(1).default(100).describe("records above which a store counts as too large"),
});
export type MemUpdateReleasedConfig = z.output<typeof memUpdateReleasedSchema>;

const answererFields = {
  answerer: modelEndpointSchema.describe("answers questions from the records that were found"),
  maxTokens: z.int().min(1).default(64).describe("tokens of one answer"),
};

/** How well a store answers a question, in [0, 1]. */
const storeScoreSchema = z.discriminatedUnion("by", [
  z.strictObject({
    by: z.literal("span").describe("LoCoMo's F1 of the best segment of words of a record that was found"),
    maxWords: z.int().min(1).max(200).default(24).describe("longest segment"),
  }),
  z.strictObject({
    by: z.literal("reader").describe("probability of the right answer under a model that is not trained"),
    reader: frozenReaderSchema.describe("that model"),
    perToken: z
      .boolean()
      .default(true)
      .describe("geometric mean over the answer's tokens; false: of the whole answer"),
  }),
  z.strictObject({
    by: z.literal("answer").describe("LoCoMo's F1 of what a model answers from the records that were found"),
    ...answererFields,
  }),
  z.strictObject({
    by: z.literal("judge").describe("whether a judge calls right what a model answers from those records"),
    ...answererFields,
    judge: judgeSchema.describe("who calls an answer right or wrong"),
  }),
]);
export type StoreScoreConfig = z.output<typeof storeScoreSchema>;

const weight = (value: number, text: string) => z.number().min(0).default(value).describe(text);

const weightsSchema = z.strictObject({
  shown: weight(1, "factor on the gain over the questions that the agent was shown"),
  heldOut: weight(1, "factor on the gain over the questions held out"),
  answer: weight(0, "factor on LoCoMo's F1 of the agent's own answer, where it gives one"),
  unsupported: weight(0.2, "taken off for the share of what was written that its sources do not say"),
  overBudget: weight(0.5, "taken off for the tokens above the budget, as a share of it up to 1"),
  malformedCall: weight(0.05, "taken off for each call that cannot be read or has wrong arguments"),
  failedCall: weight(0.02, "taken off for each call that fails, such as one with an unknown id"),
});

/** MemUpdate's reward with the loopholes of the original closed. */
export const memUpdateRewardSchema = z.strictObject({
  name: z
    .literal("memupdate")
    .describe("what the change of a store is worth to questions, asked before and after"),
  score: storeScoreSchema.prefault({ by: "span" }).describe("how well a store answers a question"),
  topK: z.int().min(1).max(100).default(5).describe("records that a question finds"),
  embedder: embedderConfigSchema.prefault({ kind: "hashed" }).describe("of the search that finds them"),
  denseWeight: z.number().min(0).max(1).default(0.2).describe("share of the embedder in that search"),
  efficiency: z
    .enum(["none", "gains", "all"])
    .default("gains")
    .describe(
      "what the original's efficiency is multiplied with. gains: improvements alone, never above 1; all: damage too, as in the original",
    ),
  maxTotalMemories: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("records above which efficiency falls; null: a quarter more than at first, at least 100"),
  budgetTokens: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "tokens (of 4 bytes) above which a store earns nothing by gains; null: a quarter more than at first, at least 2048",
    ),
  maxCallPenalty: z.number().min(0).default(0.5).describe("most that calls can take off together"),
  weights: weightsSchema.prefault({}),
});
export type MemUpdateRewardConfig = z.output<typeof memUpdateRewardSchema>;

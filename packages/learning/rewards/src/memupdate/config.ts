import { embedderConfigSchema } from "@palimpsest/memory";
import { z } from "zod";
import { frozenReaderSchema, modelEndpointSchema } from "../dependencies.js";
import { judgeSchema } from "../judge/judge.js";

/** Settings of MemUpdate's reward as its code computes it. */
export const memUpdateReleasedSchema = z.strictObject({
  name: z
    .literal("memupdate-released")
    .describe(
      "the change of the original's keyword score, times efficiency, both as the original's code computes them",
    ),
  maxTotalMemories: z
    .int()
    .min(1)
    .default(100)
    .describe("number of records above which a store counts as too large"),
});
export type MemUpdateReleasedConfig = z.output<typeof memUpdateReleasedSchema>;

const answererFields = {
  answerer: modelEndpointSchema.describe("the model that answers questions from the retrieved records"),
  maxTokens: z.int().min(1).default(64).describe("maximum tokens of one answer"),
};

/** The ways to score how well a store answers a question, in [0, 1]. */
const storeScoreSchema = z.discriminatedUnion("by", [
  z.strictObject({
    by: z.literal("span").describe("LoCoMo's F1 of the best-matching segment of a retrieved record"),
    maxWords: z.int().min(1).max(200).default(24).describe("most words in a segment"),
    fullWords: z
      .int()
      .min(1)
      .default(40)
      .describe(
        "words of the longest sentence in which a segment counts in full; in a longer one its score is multiplied by this number over the sentence's words",
      ),
  }),
  z.strictObject({
    by: z.literal("reader").describe("probability of the right answer under a frozen model"),
    reader: frozenReaderSchema.describe("the frozen model"),
    perToken: z
      .boolean()
      .default(true)
      .describe("geometric mean over the answer's tokens; false: probability of the whole answer"),
  }),
  z.strictObject({
    by: z.literal("answer").describe("LoCoMo's F1 of what a model answers from the retrieved records"),
    ...answererFields,
  }),
  z.strictObject({
    by: z
      .literal("judge")
      .describe("1 if a judge finds right what a model answers from the retrieved records, otherwise 0"),
    ...answererFields,
    judge: judgeSchema.describe("the judge that decides whether an answer is right"),
  }),
]);
export type StoreScoreConfig = z.output<typeof storeScoreSchema>;

const weight = (value: number, text: string) => z.number().min(0).default(value).describe(text);

const weightsSchema = z.strictObject({
  shown: weight(1, "weight of the gain on the questions that the agent was shown"),
  heldOut: weight(1, "weight of the gain on the held-out questions"),
  answer: weight(0, "weight of LoCoMo's F1 of the agent's own answer, if it gives one"),
  unsupported: weight(0.2, "penalty for the fraction of what was written that its sources do not support"),
  overBudget: weight(0.5, "penalty for the tokens above the budget, as a fraction of it up to 1"),
  malformedCall: weight(0.05, "penalty for each call that cannot be parsed or has wrong arguments"),
  failedCall: weight(0.02, "penalty for each call that fails, such as one with an unknown id"),
});

/** Settings of MemUpdate's reward with the loopholes of the original closed. */
export const memUpdateRewardSchema = z.strictObject({
  name: z
    .literal("memupdate")
    .describe("how much better the store answers questions after the episode than before it"),
  score: storeScoreSchema
    .prefault({ by: "span" })
    .describe("how it is scored how well a store answers a question"),
  retrievedTokens: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .describe(
      "tokens (of 4 bytes) that are retrieved for a question, where the last record is cut; null: as many as five records of the store's mean length at the beginning have, 160 for an empty store",
    ),
  embedder: embedderConfigSchema
    .prefault({ kind: "hashed" })
    .describe("embedder of the search that retrieves these records"),
  denseWeight: z
    .number()
    .min(0)
    .max(1)
    .default(0.2)
    .describe("weight of the embedding similarity in that search's score, from 0 to 1; BM25 has the rest"),
  efficiency: z
    .enum(["none", "gains", "all"])
    .default("gains")
    .describe(
      "which changes of the score are multiplied by the original's efficiency factor. none: no change; gains: improvements only, by a factor of at most 1; all: losses too, as in the original",
    ),
  maxTotalMemories: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "number of records above which efficiency falls; null: 25 % more than the store has at the beginning, at least 100",
    ),
  budgetTokens: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "size in tokens (of 4 bytes) above which the reward for gains is 0; null: 25 % more than the store has at the beginning, at least 2048",
    ),
  maxCallPenalty: z.number().min(0).default(0.5).describe("maximum sum of the penalties for calls"),
  weights: weightsSchema.prefault({}),
});
export type MemUpdateRewardConfig = z.output<typeof memUpdateRewardSchema>;

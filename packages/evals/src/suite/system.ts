import { z } from "zod";
import type { EvalItem } from "./item.js";

/** What it took to answer; sums over the calls of one item. */
export const predictionCountsSchema = z.strictObject({
  /** Calls of the model. */
  conversations: z.number(),
  promptTokens: z.number(),
  sampledTokens: z.number(),
  /** Calls that ended at their token limit. */
  truncated: z.number(),
});
export type PredictionCounts = z.infer<typeof predictionCountsSchema>;

/** What a system answered, as it is kept in the folder of an evaluation. */
export const predictionSchema = z.strictObject({
  /** The reply with its markup; the scorer finds the answer in it. Empty is wrong. */
  text: z.string(),
  counts: predictionCountsSchema,
  documentTokens: z.number().optional(),
  /** Document tokens that the system did not show its model. */
  droppedDocumentTokens: z.number().optional(),
  /** Further numbers by name: the report shows their means, such as `memory.records` or `toolCalls.search_memory`. */
  measures: z.record(z.string(), z.number()).optional(),
  /** Sources of what was retrieved, best first, where the system retrieves: each with the ids that it comes from. */
  retrieved: z.array(z.array(z.string())).optional(),
  /** The memory after each step, for people. */
  memories: z.array(z.string()).optional(),
});
export type Prediction = Readonly<z.infer<typeof predictionSchema>>;

export interface AnswerOptions {
  readonly signal: AbortSignal;
  /** A function of the run's seed and the item; the same for every system. */
  readonly seed: number;
}

/** Whoever answers items: an agent with a model, a baseline, a script. Safe to call concurrently. */
export interface System {
  /** Row of the report; unique in a run. */
  readonly name: string;
  /** JSON of everything that decides its answers besides item and seed: model, weights, prompts, limits. */
  readonly settings: unknown;
  /** @throws whatever went wrong; transient failures are tried again */
  answer(item: EvalItem, options: AnswerOptions): Promise<Prediction>;
}

import { z } from "zod";
import type { EvalItem } from "./item.js";

/** The cost of an answer, summed over the calls of one item. */
const predictionCountsSchema = z.strictObject({
  /** Number of calls of the model. */
  conversations: z.number(),
  promptTokens: z.number(),
  sampledTokens: z.number(),
  /** Number of calls that ended at their token limit. */
  truncated: z.number(),
});

/** A system's answer, as it is stored in the folder of an evaluation. */
export const predictionSchema = z.strictObject({
  /** The reply with its markup. The scorer finds the answer in it. An empty reply is wrong. */
  text: z.string(),
  counts: predictionCountsSchema,
  documentTokens: z.number().optional(),
  /** Document tokens that the system did not show its model. */
  droppedDocumentTokens: z.number().optional(),
  /** Further numbers by name, such as `memory.records` or `toolCalls.search_memory`. The report shows their means. */
  measures: z.record(z.string(), z.number()).optional(),
  /** For systems that retrieve: the ids of the sources of each retrieved passage, best passage first. */
  retrieved: z.array(z.array(z.string())).optional(),
  /** The memory after each step, for people. */
  memories: z.array(z.string()).optional(),
});
/** What a system has answered to one item. */
export type Prediction = Readonly<z.infer<typeof predictionSchema>>;

/** Signal and seed of one answer. */
export interface AnswerOptions {
  readonly signal: AbortSignal;
  /** The seed depends only on the run's seed and the item, so it is the same for every system. */
  readonly seed: number;
}

/** A system under evaluation: an agent with a model, a baseline, or a script. It is safe to call concurrently. */
export interface System {
  /** Name of the row in the report; unique in a run. */
  readonly name: string;
  /** JSON of everything besides item and seed that determines the answers: model, weights, prompts, limits. */
  readonly settings: unknown;
  /** @throws whatever went wrong; transient failures are retried */
  answer(item: EvalItem, options: AnswerOptions): Promise<Prediction>;
}

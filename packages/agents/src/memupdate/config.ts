import { embedderConfigSchema, memoryToolNames } from "@palimpsest/memory";
import { z } from "zod";
import { memAgentConfigSchema } from "../memagent/config.js";
import { toolLoopSchema } from "../tools/loop-settings.js";

const { prompt, enableThinking, specialTokens, stopTokens, thinkingEnd, temperature, topP } =
  memAgentConfigSchema.shape;
const {
  callForm,
  maxTurns,
  callsInLastTurn,
  maxCallsPerTurn,
  turnTokens,
  episodeTokens,
  resultCharacters,
  resultCut,
  malformed,
  listTools,
  resultPrompt,
} = toolLoopSchema.shape;

/**
 * Settings of MemUpdate: an agent that looks into a store of memories and changes it by calling tools.
 * `memupdate` is its design, `memupdate-released` what its code does, both with our own words for prompts and tools; `tiny` is for models of a hundred thousand
 * parameters.
 */
export const memUpdateConfigSchema = z.strictObject({
  tools: z
    .array(z.enum(memoryToolNames))
    .min(1)
    .default([...memoryToolNames])
    .describe("tools that the model may call"),
  callForm,
  lineTopK: z.int().min(1).max(50).default(5).describe("memories that a search of the form lines returns"),
  resultStyle: z
    .enum(["full", "compact"])
    .default("full")
    .describe("full: results with scores, dates, speakers; compact: ids and texts"),
  maxTurns,
  callsInLastTurn,
  maxCallsPerTurn,
  turnTokens,
  episodeTokens,
  resultCharacters,
  resultCut,
  malformed,
  doneWord: z.string().min(1).default("DONE").describe("word by which the model ends the episode"),
  prompt,
  systemPrompt: z
    .string()
    .nullable()
    .default(null)
    .describe("what the model is told before the tools are listed; null: nothing"),
  userPrompt: z.string().describe("what the model is asked, with {question}"),
  listTools,
  resultPrompt,
  answerTopK: z
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      "records that a last conversation answers the question from; 0: the episode ends without an answer",
    ),
  answerPrompt: z.string().describe("prompt of that conversation, with {memories} and {question}"),
  answerTokens: z.int().min(1).default(256).describe("most tokens of the answer, stop token included"),
  idPrefix: z.string().min(1).default("memory_").describe("new ids are this and a number"),
  embedder: embedderConfigSchema.prefault({ kind: "hashed" }).describe("turns texts into vectors for search"),
  denseWeight: z.number().min(0).max(1).default(0.2).describe("share of the vectors in a search's score"),
  enableThinking,
  specialTokens,
  stopTokens,
  thinkingEnd,
  temperature,
  topP,
});

export type MemUpdateConfig = z.infer<typeof memUpdateConfigSchema>;
export type MemUpdateConfigInput = z.input<typeof memUpdateConfigSchema>;

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
 * Settings of MemUpdate, an agent that searches and changes a store of memories by calling tools. Of the presets,
 * `memupdate` follows the original's design and `memupdate-released` follows its code, both with prompts and tool
 * descriptions written by us; `tiny` is for models of a hundred thousand parameters.
 */
export const memUpdateConfigSchema = z.strictObject({
  tools: z
    .array(z.enum(memoryToolNames))
    .min(1)
    .default([...memoryToolNames])
    .describe("tools that the model may call"),
  streamTurns: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "turns of the document, one per line, that each conversation is told in the place of the question, so that the agent writes while a stream is told; null: it reads no document, and one conversation is about the question",
    ),
  shownRecords: z
    .int()
    .min(0)
    .max(50)
    .default(0)
    .describe(
      "records that are nearest to what a conversation is told, which the user prompt shows in place of {memories}; 0: there is no such place",
    ),
  callForm,
  lineTopK: z
    .int()
    .min(1)
    .max(50)
    .default(5)
    .describe("memories that a search returns, if callForm is lines"),
  resultStyle: z
    .enum(["full", "compact"])
    .default("full")
    .describe("format of results. full: with scores, dates and speakers; compact: ids and texts"),
  maxTurns,
  callsInLastTurn,
  maxCallsPerTurn,
  turnTokens,
  episodeTokens,
  resultCharacters,
  resultCut,
  malformed,
  doneWord: z.string().min(1).default("DONE").describe("word with which the model ends the episode"),
  prompt,
  systemPrompt: z
    .string()
    .nullable()
    .default(null)
    .describe("system prompt before the list of tools; null: none"),
  userPrompt: z
    .string()
    .describe("user prompt, with {question}, and with {memories} if shownRecords is above 0"),
  listTools,
  resultPrompt,
  answerTopK: z
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      "number of records from which a final conversation answers the question; 0: there is none, and the episode ends without an answer",
    ),
  answerPrompt: z.string().describe("prompt of the final conversation, with {memories} and {question}"),
  answerTokens: z.int().min(1).default(256).describe("most tokens of the answer, including the stop token"),
  idPrefix: z.string().min(1).default("memory_").describe("prefix of new ids, followed by a number"),
  embedder: embedderConfigSchema.prefault({ kind: "hashed" }).describe("embedder for search"),
  denseWeight: z
    .number()
    .min(0)
    .max(1)
    .default(0.2)
    .describe("weight of the embedding similarity in a search's score; BM25 has the rest"),
  enableThinking,
  specialTokens,
  stopTokens,
  thinkingEnd,
  temperature,
  topP,
});

/** MemUpdate's settings with all defaults filled in; lengths are in tokens. */
export type MemUpdateConfig = z.infer<typeof memUpdateConfigSchema>;
/** MemUpdate's settings as a recipe gives them. */
export type MemUpdateConfigInput = z.input<typeof memUpdateConfigSchema>;

import { embedderConfigSchema, memoryToolNames } from "@palimpsest/memory";
import { z } from "zod";
import { memAgentConfigSchema } from "../memagent/config.js";

const { prompt, enableThinking, specialTokens, stopTokens, thinkingEnd, temperature, topP } =
  memAgentConfigSchema.shape;

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
  callForm: z
    .enum(["hermes", "lines"])
    .default("hermes")
    .describe(
      'how calls are written. hermes: <tool_call>{"name", "arguments"}</tool_call>; lines: "search WORDS", "create TEXT", …, one a line',
    ),
  lineTopK: z.int().min(1).max(50).default(5).describe("memories that a search of the form lines returns"),
  resultStyle: z
    .enum(["full", "compact"])
    .default("full")
    .describe("full: results with scores, dates, speakers; compact: ids and texts"),
  maxTurns: z.int().min(1).default(30).describe("most turns of the model in one episode"),
  callsInLastTurn: z
    .boolean()
    .default(true)
    .describe("whether the calls of turn maxTurns are carried out; false as in the original's code"),
  maxCallsPerTurn: z
    .int()
    .min(1)
    .default(8)
    .describe("calls of one turn that are carried out; more are refused"),
  turnTokens: z.int().min(1).default(1024).describe("most tokens sampled in one turn, stop token included"),
  episodeTokens: z
    .int()
    .min(1)
    .default(16_384)
    .describe("most tokens after the prompt, the tools' words included"),
  resultCharacters: z
    .int()
    .min(16)
    .default(4000)
    .describe("longest result of one call; a longer one is cut, says so, and is counted"),
  resultCut: z.enum(["end", "middle"]).default("end").describe("which part of a long result is left out"),
  malformed: z
    .enum(["answer", "ignore"])
    .default("answer")
    .describe("a call that cannot be read: answered with what is wrong, or passed over as in the original"),
  doneWord: z.string().min(1).default("DONE").describe("word by which the model ends the episode"),
  prompt,
  systemPrompt: z
    .string()
    .nullable()
    .default(null)
    .describe("what the model is told before the tools are listed; null: nothing"),
  userPrompt: z.string().describe("what the model is asked, with {question}"),
  listTools: z
    .boolean()
    .default(true)
    .describe("whether the prompt lists the tools; false for models that learned them in training"),
  resultPrompt: z
    .string()
    .default("\n{results}\n")
    .describe("what follows a turn with calls when prompt is text, with {results}"),
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

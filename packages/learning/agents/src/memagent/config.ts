import { z } from "zod";
import { chunkEndings } from "../chunks.js";
import { gatesSchema } from "../gates.js";
import { checkHeads, memoryHeadsSchema } from "../memory-heads.js";
import { promptExampleSchema } from "../prompts/prompt-example.js";

/** MemAgent's settings by themselves, of which other readers have some. */
export const memAgentSettings = z.strictObject({
  chunkTokens: z.int().min(1).default(5000).describe("document tokens read by one memory update; no overlap"),
  chunkEnds: z
    .enum(chunkEndings)
    .default("token")
    .describe(
      "where a chunk ends. token: at chunkTokens; sentence: with the last sentence that fits, if one does; every-sentence: with the first",
    ),
  memoryTokens: z
    .int()
    .min(1)
    .default(1024)
    .describe("most tokens sampled for one memory, including the stop token"),
  memory: memoryHeadsSchema
    .optional()
    .describe("divides the memory into heads, of which a step rewrites one; absent: one memory"),
  gates: gatesSchema
    .optional()
    .describe("words of a reply that keep the memory, or end the reading; absent: every reply is a memory"),
  finalTokens: z
    .int()
    .min(1)
    .default(1024)
    .describe("most tokens sampled for the answer, including the stop token"),
  wholeTokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      "a document given as one text of at most this many tokens is not read in sections: it is shown in finalPrompt in place of the memory; absent: every document is read in sections",
    ),
  maxChunks: z.int().min(1).optional().describe("most chunks that are read of a document; absent: no limit"),
  overflow: z
    .enum(["error", "head", "middle", "tail"])
    .default("error")
    .describe(
      "what to do with a document of more than maxChunks chunks. error: fail; head, tail: keep only its beginning or its end; middle: keep both and drop the middle",
    ),
  prompt: z
    .enum(["auto", "chat", "chatml", "text"])
    .default("text")
    .describe(
      "prompt format. chat: a user message in the model's chat template; chatml: between <|im_start|> and <|im_end|>; text: unchanged; auto: the first of these that the model supports",
    ),
  enableThinking: z
    .boolean()
    .default(false)
    .describe("enables thinking in chat templates of models that support it; others ignore it"),
  memoryPrompt: z.string().describe("prompt of a memory update with {question}, {memory} and {section}"),
  finalPrompt: z.string().describe("prompt of the answer with {question} and {memory}"),
  memoryExamples: z
    .array(promptExampleSchema)
    .default([])
    .describe("example turns before memoryPrompt (few-shot), for models too small to follow instructions"),
  finalExamples: z.array(promptExampleSchema).default([]).describe("example turns before finalPrompt"),
  initialMemory: z.string().default("No previous memory").describe("the memory that the first update reads"),
  specialTokens: z
    .array(z.string().min(1))
    .default([])
    .describe("texts in the prompts that are encoded as special tokens, such as <|im_start|>"),
  stopTokens: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "special tokens that end a sampled text and are removed from memory and answer; empty: those of the chat format",
    ),
  thinkingEnd: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "marker that ends a model's thinking, such as </think>: text up to it is removed from memory and answer",
    ),
  temperature: z.number().min(0).default(1).describe("sampling temperature; 0 is greedy"),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe("nucleus sampling: cumulative probability of the tokens kept"),
});

/**
 * Settings of MemAgent (arXiv:2507.02259). The numbers of two presets follow the two releases: `memagent` the official
 * one, `memagent-vime` the port with 2048-token chunks. The prompts are written by us. `small` is for chat models below
 * a billion parameters, `tiny` for models of a hundred thousand.
 */
export const memAgentConfigSchema = memAgentSettings.superRefine(checkHeads);

/** MemAgent's settings with all defaults filled in; lengths are in tokens. */
export type MemAgentConfig = z.infer<typeof memAgentConfigSchema>;
/** MemAgent's settings as a recipe gives them. */
export type MemAgentConfigInput = z.input<typeof memAgentConfigSchema>;

import { z } from "zod";
import { promptExampleSchema } from "../prompt-example.js";

/**
 * Settings of MemAgent (arXiv:2507.02259). The numbers of presets follow the two releases, their prompts are
 * our own words: `memagent` the official one,
 * `memagent-vime` the port with 2048-token chunks; `small` is for chat models below a billion parameters, `tiny` for
 * models of a hundred thousand.
 */
export const memAgentConfigSchema = z.strictObject({
  chunkTokens: z.int().min(1).default(5000).describe("document tokens read by one memory update; no overlap"),
  memoryTokens: z
    .int()
    .min(1)
    .default(1024)
    .describe("most tokens sampled for one memory, stop token included"),
  finalTokens: z
    .int()
    .min(1)
    .default(1024)
    .describe("most tokens sampled for the answer, stop token included"),
  maxChunks: z
    .int()
    .min(1)
    .optional()
    .describe("a document with more chunks overflows; absent: any number of chunks is read"),
  overflow: z
    .enum(["error", "head", "middle", "tail"])
    .default("error")
    .describe("beyond maxChunks: fail, keep the head, keep head and tail and drop the middle, keep the tail"),
  prompt: z
    .enum(["auto", "chat", "chatml", "text"])
    .default("text")
    .describe(
      "how prompts reach the model. chat: as a user's message of its own chat template; chatml: between <|im_start|> and <|im_end|>; text: as they are; auto: the first of these that the model has",
    ),
  enableThinking: z
    .boolean()
    .default(false)
    .describe("switch of chat templates of models that can think; others do not look at it"),
  memoryPrompt: z.string().describe("prompt of a memory update with {question}, {memory} and {section}"),
  finalPrompt: z.string().describe("prompt of the answer with {question} and {memory}"),
  memoryExamples: z
    .array(promptExampleSchema)
    .default([])
    .describe("turns before memoryPrompt that show how it is answered, for models too small to be told"),
  finalExamples: z.array(promptExampleSchema).default([]).describe("the same before finalPrompt"),
  initialMemory: z.string().default("No previous memory").describe("the memory that the first update reads"),
  specialTokens: z
    .array(z.string().min(1))
    .default([])
    .describe("texts inside the prompts that stand for special tokens, such as <|im_start|>"),
  stopTokens: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "special tokens that end a sampled text, left out of memory and answer; none: those of the chat format",
    ),
  thinkingEnd: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "mark that ends a model's thinking, such as </think>: text up to it never enters memory or answer",
    ),
  temperature: z.number().min(0).default(1).describe("sampling temperature; 0 is greedy"),
  topP: z.number().gt(0).max(1).default(1).describe("nucleus size"),
});

export type MemAgentConfig = z.infer<typeof memAgentConfigSchema>;
export type MemAgentConfigInput = z.input<typeof memAgentConfigSchema>;

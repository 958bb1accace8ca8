import { z } from "zod";
import { memAgentSettings } from "../memagent/config.js";

const own = memAgentSettings.pick({
  chunkTokens: true,
  chunkEnds: true,
  finalTokens: true,
  maxChunks: true,
  overflow: true,
  prompt: true,
  enableThinking: true,
  finalPrompt: true,
  finalExamples: true,
  specialTokens: true,
  stopTokens: true,
  thinkingEnd: true,
  temperature: true,
  topP: true,
});

/**
 * Settings of the reader that reads all sections of a pass at once. After PI-Mem (arXiv:2608.03048): the shared memory,
 * the vote for nothing new, the merge and the three passes are theirs as far as they are known; prompts and the tree of
 * merges are ours.
 */
export const parallelConfigSchema = own.extend({
  noteTokens: z.int().min(1).default(256).describe("most tokens sampled for the note of one section"),
  memoryTokens: z
    .int()
    .min(1)
    .default(1024)
    .describe("most tokens of the shared memory; longer notes are merged by the model"),
  mergeTokens: z
    .int()
    .min(2)
    .default(4096)
    .describe("most tokens of the notes that one merge reads; at least two notes are read, however long"),
  passes: z
    .int()
    .min(1)
    .max(3)
    .default(2)
    .describe(
      "most times that the document is read; a pass in which no section has anything new is the last",
    ),
  concurrency: z
    .int()
    .min(1)
    .max(4096)
    .default(32)
    .describe("most sections of an episode that are read at once"),
  nothing: z
    .string()
    .regex(/\S/, "must not be blank")
    .default("nothing new")
    .describe("a reply to memoryPrompt that says no more than this text, in any case, adds no note"),
  memoryPrompt: z
    .string()
    .describe("prompt of the note of a section with {question}, {memory} and {section}"),
  memoryExamples: own.shape.finalExamples.describe("example turns before memoryPrompt"),
  mergePrompt: z.string().describe("prompt of a merge with {question} and {notes}"),
  initialMemory: z.string().default("No previous memory").describe("the memory of the first pass"),
});

/** The settings of the parallel reader with all defaults filled in; lengths are in tokens. */
export type ParallelConfig = z.infer<typeof parallelConfigSchema>;
/** The settings of the parallel reader as a recipe gives them. */
export type ParallelConfigInput = z.input<typeof parallelConfigSchema>;

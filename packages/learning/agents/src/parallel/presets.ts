import { presetConfig } from "../preset-config.js";
import { smallFinalExamples, smallFinalPrompt } from "../small-examples.js";
import { type ParallelConfig, type ParallelConfigInput, parallelConfigSchema } from "./config.js";

const memoryPrompt = `A long article is cut into sections, and this is one of them; the others are read at the same time. Below are a problem, the memory that all share, and the section. Write down what this section says about the problem that the memory does not have yet. If it has nothing to add, answer only: nothing new

<problem>
{question}
</problem>

<memory>
{memory}
</memory>

<section>
{section}
</section>

Note:`;

const mergePrompt = `These notes were taken from the sections of one article, in its order. Write one memory of them that keeps everything that matters for the problem. Where notes disagree, the later one counts. Whatever you do not write down is lost.

<problem>
{question}
</problem>

<notes>
{notes}
</notes>

Memory:`;

const finalPrompt = `Solve the problem from the memory of an article that was read to its end. Put the answer into \\boxed{}.

<problem>
{question}
</problem>

<memory>
{memory}
</memory>

Your answer:`;

export const presets = {
  /** Sections of 5000 tokens, as MemAgent's. */
  parallel: {
    prompt: "auto",
    memoryPrompt,
    mergePrompt,
    finalPrompt,
    thinkingEnd: "</think>",
    chunkTokens: 5000,
    finalTokens: 1024,
  },
  /** Short sections and prompts, for chat models of some hundred million parameters. */
  small: {
    prompt: "auto",
    chunkTokens: 480,
    noteTokens: 48,
    memoryTokens: 128,
    mergeTokens: 384,
    finalTokens: 48,
    memoryPrompt:
      "Question: {question}\nKnown: {memory}\nText: {section}\nCopy the facts that help to answer the question, or write: nothing new",
    mergePrompt:
      "Question: {question}\nNotes: {notes}\nCopy the facts that help to answer the question: {question}",
    finalPrompt: smallFinalPrompt("{memory}", "{question}"),
    finalExamples: [...smallFinalExamples],
    initialMemory: "nothing",
    thinkingEnd: "</think>",
  },
  /** Prompts of a dozen tokens, for a model of a hundred thousand parameters. */
  tiny: {
    prompt: "text",
    chunkTokens: 16,
    noteTokens: 8,
    memoryTokens: 8,
    mergeTokens: 32,
    finalTokens: 8,
    nothing: "none",
    memoryPrompt: "question: {question}\nmemory:{memory}\nsection:{section}\nnew memory:",
    mergePrompt: "question: {question}\nsection:{notes}\nnew memory:",
    finalPrompt: "question: {question}\nmemory:{memory}\nanswer:",
    initialMemory: " none",
    specialTokens: [],
    stopTokens: ["<|end|>"],
  },
} satisfies Record<string, { readonly [K in keyof ParallelConfigInput]: unknown }>;

/** Names of the parallel reader's presets. */
export type ParallelPreset = keyof typeof presets;

/**
 * Replaces some of a preset's settings, and validates the result.
 * @throws {AgentError} BAD_CONFIG
 */
export function parallelConfig(
  preset: ParallelPreset = "parallel",
  overrides: Partial<ParallelConfigInput> = {},
): ParallelConfig {
  return presetConfig("parallel", parallelConfigSchema, presets, preset, overrides);
}

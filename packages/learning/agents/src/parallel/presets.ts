import { presets as memAgentPresets } from "../memagent/presets.js";
import { presetConfig } from "../preset-config.js";
import { smallFinalExamples, smallFinalPrompt } from "../prompts/small-examples.js";
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

// The answer is read from a memory, as MemAgent's is.
const { memagent, tiny } = memAgentPresets;

export const presets = {
  /** Sections of 5000 tokens, as MemAgent's. */
  parallel: {
    prompt: "auto",
    memoryPrompt,
    mergePrompt,
    finalPrompt: memagent.finalPrompt,
    thinkingEnd: "</think>",
    chunkTokens: memagent.chunkTokens,
    finalTokens: memagent.finalTokens,
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
    ...tiny,
    noteTokens: 8,
    mergeTokens: 32,
    nothing: "none",
    mergePrompt: "question: {question}\nsection:{notes}\nnew memory:",
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

import { presetConfig } from "../preset-config.js";
import {
  smallFinalExamples,
  smallFinalPrompt,
  smallMemoryPrompt,
  smallReadings,
} from "../prompts/small-examples.js";
import { type MemAgentConfig, type MemAgentConfigInput, memAgentConfigSchema } from "./config.js";

const memoryPrompt = `A long article is shown to you one section at a time. Below are a problem, what you noted from the earlier sections, and the section to read now. Write the memory anew: keep every earlier note that still matters for the problem and add what this section says about it. Whatever you do not write down is lost.

<problem>
{question}
</problem>

<memory>
{memory}
</memory>

<section>
{section}
</section>

Updated memory:`;

const finalPrompt = `Solve the problem from the memory of an article that you have read to its end. Put the answer into \\boxed{}.

<problem>
{question}
</problem>

<memory>
{memory}
</memory>

Your answer:`;

const chat = { prompt: "auto", memoryPrompt, finalPrompt, thinkingEnd: "</think>" } as const;

export const presets = {
  /** The numbers of the official release: chunks of 5000 tokens, at most 1024 tokens for memory and for answer. */
  memagent: { ...chat, chunkTokens: 5000, memoryTokens: 1024, finalTokens: 1024 },
  /** The numbers of the vime port: chunks of 2048 tokens, and short answers. */
  "memagent-vime": { ...chat, chunkTokens: 2048, memoryTokens: 1024, finalTokens: 256 },
  /** Has short sections and prompts with examples, for chat models of some hundred million parameters. */
  small: {
    prompt: "auto",
    chunkTokens: 480,
    memoryTokens: 64,
    finalTokens: 48,
    memoryPrompt: smallMemoryPrompt({ question: "{question}", notes: "{memory}", text: "{section}" }),
    memoryExamples: smallReadings.map(({ reply, question, notes, text }) => ({
      user: smallMemoryPrompt({ question, notes, text }),
      assistant: reply,
    })),
    finalPrompt: smallFinalPrompt("{memory}", "{question}"),
    finalExamples: [...smallFinalExamples],
    initialMemory: "none",
    thinkingEnd: "</think>",
  },
  /** Has prompts of a dozen tokens, for a model of a hundred thousand parameters. */
  tiny: {
    prompt: "text",
    chunkTokens: 16,
    memoryTokens: 8,
    finalTokens: 8,
    memoryPrompt: "question: {question}\nmemory:{memory}\nsection:{section}\nnew memory:",
    finalPrompt: "question: {question}\nmemory:{memory}\nanswer:",
    initialMemory: " none",
    specialTokens: [],
    stopTokens: ["<|end|>"],
  },
} satisfies Record<string, { readonly [K in keyof MemAgentConfigInput]: unknown }>;

/** Names of MemAgent's presets. */
export type MemAgentPreset = keyof typeof presets;

/**
 * Replaces some of a preset's settings, and validates the result.
 * @throws {AgentError} BAD_CONFIG
 */
export function memAgentConfig(
  preset: MemAgentPreset = "memagent",
  overrides: Partial<MemAgentConfigInput> = {},
): MemAgentConfig {
  return presetConfig("memagent", memAgentConfigSchema, presets, preset, overrides);
}

import { presetConfig } from "../preset-config.js";
import {
  smallFinalExamples,
  smallFinalPrompt,
  smallMemoryPrompt,
  smallReadings,
} from "../prompts/small-examples.js";
import { type ReMemR1Config, type ReMemR1ConfigInput, rememr1ConfigSchema } from "./config.js";

const memoryPrompt = `A long article is shown to you one section at a time. Below are a problem, an earlier note of yours that you asked for, what you noted last, and the section to read now.
- Think inside <thinking></thinking>.
- Write the memory anew inside <update></update>, once: keep every earlier note that still matters for the problem and add what this section says about it.
- When the evidence is still incomplete and an earlier note of yours may hold the rest, ask for it by its words inside <recall></recall>, at most once; it is shown with the next section.

<problem>
{question}
</problem>

<recalled_memory>
{recalled}
</recalled_memory>

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

<recalled_memory>
{recalled}
</recalled_memory>

<memory>
{memory}
</memory>

Your answer:`;

const chat = { prompt: "auto", memoryPrompt, finalPrompt, thinkingEnd: "</think>" } as const;

export const presets = {
  /** Follows the paper: only the update becomes the memory, and only a memory similar to the query is recalled. */
  rememr1: { ...chat, chunkTokens: 5000, memoryTokens: 2048, finalTokens: 2048 },
  /** Follows the code: whole replies are remembered, queries always recall something, and at most 8 chunks are read. */
  "rememr1-released": {
    ...chat,
    chunkTokens: 5000,
    memoryTokens: 2048,
    finalTokens: 2048,
    maxChunks: 8,
    overflow: "middle",
    memoryOf: "reply",
    similarityFloor: null,
    topP: 0.999,
  },
  /**
   * Has short sections and prompts with examples, for chat models of some hundred million parameters. These models
   * write no tags around their updates, so the whole reply without its recalls becomes the memory.
   */
  small: {
    prompt: "auto",
    chunkTokens: 480,
    memoryTokens: 80,
    finalTokens: 48,
    memoryPrompt: smallMemoryPrompt({
      question: "{question}",
      notes: "{memory}",
      earlier: "{recalled}",
      text: "{section}",
    }),
    memoryExamples: smallReadings.map(({ reply, recall, ...reading }) => ({
      user: smallMemoryPrompt({ ...reading, earlier: "none" }),
      assistant: `${reply} <recall>${recall}</recall>`,
    })),
    finalPrompt: smallFinalPrompt("{memory}\n{recalled}", "{question}"),
    finalExamples: [...smallFinalExamples],
    initialMemory: "none",
    nothingRecalled: "none",
    thinkingEnd: "</think>",
    memoryOf: "reply",
  },
  /** Has prompts of two dozen tokens, for a model of a hundred thousand parameters; each tag is one token. */
  tiny: {
    prompt: "text",
    chunkTokens: 8,
    memoryTokens: 11,
    finalTokens: 8,
    memoryPrompt:
      "question: {question}\nrecalled:{recalled}\nmemory:{memory}\nsection:{section}\nnew memory:",
    finalPrompt: "question: {question}\nrecalled:{recalled}\nmemory:{memory}\nanswer:",
    initialMemory: " none",
    nothingRecalled: " none",
    specialTokens: [],
    stopTokens: ["<|end|>"],
  },
} satisfies Record<string, { readonly [K in keyof ReMemR1ConfigInput]: unknown }>;

/** Names of ReMemR1's presets. */
export type ReMemR1Preset = keyof typeof presets;

/**
 * Replaces some of a preset's settings, and validates the result.
 * @throws {AgentError} BAD_CONFIG
 */
export function rememr1Config(
  preset: ReMemR1Preset = "rememr1",
  overrides: Partial<ReMemR1ConfigInput> = {},
): ReMemR1Config {
  return presetConfig("rememr1", rememr1ConfigSchema, presets, preset, overrides);
}

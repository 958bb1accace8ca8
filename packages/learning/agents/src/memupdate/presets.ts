import { presetConfig } from "../preset-config.js";
import { type MemUpdateConfig, type MemUpdateConfigInput, memUpdateConfigSchema } from "./config.js";

const systemPrompt = `You keep a store of memories of conversations. Tomorrow somebody who sees nothing but a few memories that a search finds will be asked questions about these conversations. Make the store better for that.

Look before you write: search for what is known, then correct what is wrong or vague, add what is missing, merge what is said twice, split what is mixed up, and delete what is useless. Write facts that memories bear out, each with its names and dates, so that it can be understood alone. Invent nothing.

When nothing is left to do, answer with DONE.`;

const userPrompt = `A question that the store should be able to answer: {question}`;

const answerPrompt = `Memories:
{memories}

Question: {question}
Answer from the memories, with as few words as possible.`;

const chat = { prompt: "auto", systemPrompt, userPrompt, answerPrompt, thinkingEnd: "</think>" } as const;

export const presets = {
  /** Follows the original's design, with six tools and 30 turns. */
  memupdate: chat,
  /**
   * Follows the original's code: it has three tools, results of at most 256 characters, and two turns, of which the
   * last changes nothing because its calls are not executed.
   */
  "memupdate-released": {
    ...chat,
    tools: ["search_memory", "manage_memory", "sample_memory"],
    maxTurns: 2,
    callsInLastTurn: false,
    maxCallsPerTurn: 1,
    turnTokens: 2048,
    episodeTokens: 2048,
    resultCharacters: 256,
    resultCut: "middle",
    malformed: "ignore",
  },
  /** Has prompts of a dozen tokens and calls as lines, for a model of a hundred thousand parameters. */
  tiny: {
    prompt: "text",
    callForm: "lines",
    lineTopK: 2,
    resultStyle: "compact",
    listTools: false,
    maxTurns: 3,
    maxCallsPerTurn: 2,
    turnTokens: 12,
    episodeTokens: 64,
    resultCharacters: 120,
    userPrompt: "question: {question}\ndo:",
    resultPrompt: "\n{results}\ndo:",
    answerPrompt: "memories:\n{memories}\nquestion: {question}\nanswer:",
    answerTokens: 8,
    doneWord: "done",
    idPrefix: "m",
    specialTokens: [],
    stopTokens: ["<|end|>"],
  },
} satisfies Record<string, { readonly [K in keyof MemUpdateConfigInput]: unknown }>;

/** Names of MemUpdate's presets. */
export type MemUpdatePreset = keyof typeof presets;

/**
 * Replaces some of a preset's settings, and validates the result.
 * @throws {AgentError} BAD_CONFIG
 */
export function memUpdateConfig(
  preset: MemUpdatePreset = "memupdate",
  overrides: Partial<MemUpdateConfigInput> = {},
): MemUpdateConfig {
  return presetConfig("memupdate", memUpdateConfigSchema, presets, preset, overrides);
}

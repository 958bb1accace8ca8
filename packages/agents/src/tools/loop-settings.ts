import { z } from "zod";

/** How calls are written, read and bounded: every agent with tools has these settings. */
export const toolLoopSchema = z.strictObject({
  callForm: z
    .enum(["hermes", "lines"])
    .default("hermes")
    .describe(
      'how calls are written. hermes: <tool_call>{"name", "arguments"}</tool_call>; lines: "search WORDS", "create TEXT", …, one per line',
    ),
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
  listTools: z
    .boolean()
    .default(true)
    .describe("whether the prompt lists the tools; false for models that learned them in training"),
  resultPrompt: z
    .string()
    .default("\n{results}\n")
    .describe("what follows a turn with calls when prompt is text, with {results}"),
});

export type ToolLoopSettings = Omit<z.infer<typeof toolLoopSchema>, "listTools" | "resultPrompt"> & {
  /** Word by which the model ends the turns; null: a turn without a call does. */
  readonly doneWord: string | null;
};

/** How an agent with tools is prompted. */
export interface ToolPromptSettings
  extends Pick<z.infer<typeof toolLoopSchema>, "callForm" | "listTools" | "resultPrompt"> {
  readonly prompt: "auto" | "chat" | "chatml" | "text";
  /** What the model is told before the tools are listed; null: nothing. */
  readonly systemPrompt: string | null;
  /** Holds {question}, the slot of what is asked. */
  readonly userPrompt: string;
  readonly enableThinking: boolean;
  readonly specialTokens: readonly string[];
  readonly stopTokens: readonly string[];
  readonly thinkingEnd: string | null;
}

import { z } from "zod";

/** Settings of all agents with tools: format, parsing and limits of calls. */
export const toolLoopSchema = z.strictObject({
  callForm: z
    .enum(["hermes", "lines"])
    .default("hermes")
    .describe(
      'format of calls. hermes: <tool_call>{"name", "arguments"}</tool_call>, and unless malformed is ignore also a reply that is one such object alone; lines: "search WORDS", "create TEXT", …, one per line',
    ),
  maxTurns: z.int().min(1).default(30).describe("most turns of the model in one episode"),
  callsInLastTurn: z
    .boolean()
    .default(true)
    .describe(
      "whether calls in the last turn (maxTurns) are executed; false: they are not, as in the original",
    ),
  maxCallsPerTurn: z
    .int()
    .min(1)
    .default(8)
    .describe("most calls per turn that are executed; further ones are refused"),
  turnTokens: z
    .int()
    .min(1)
    .default(1024)
    .describe("most tokens sampled in one turn, including the stop token"),
  episodeTokens: z
    .int()
    .min(1)
    .default(16_384)
    .describe("most tokens after the prompt, including tool results"),
  resultCharacters: z
    .int()
    .min(16)
    .default(4000)
    .describe("longest result of one call; a longer one is truncated with a note, and counted"),
  resultCut: z.enum(["end", "middle"]).default("end").describe("the part of a long result that is removed"),
  malformed: z
    .enum(["answer", "ignore"])
    .default("answer")
    .describe(
      "what to do with a malformed call. answer: report the error to the model; ignore: skip it, as the original does",
    ),
  listTools: z
    .boolean()
    .default(true)
    .describe("whether the prompt lists the tools; false for models that learned them during training"),
  resultPrompt: z
    .string()
    .default("\n{results}\n")
    .describe("text after a turn with calls, with {results}; used if prompt is text"),
});

export type ToolLoopSettings = Omit<z.infer<typeof toolLoopSchema>, "listTools" | "resultPrompt"> & {
  /** The word by which the model ends the turns; null if only a turn without a call ends them. */
  readonly doneWord: string | null;
};

/** The settings of the prompts of an agent with tools. */
export interface ToolPromptSettings
  extends Pick<z.infer<typeof toolLoopSchema>, "callForm" | "listTools" | "resultPrompt"> {
  readonly prompt: "auto" | "chat" | "chatml" | "text";
  /** The system prompt before the list of tools; null if there is none. */
  readonly systemPrompt: string | null;
  /** The user prompt; it contains the slot {question}. */
  readonly userPrompt: string;
  readonly enableThinking: boolean;
  readonly specialTokens: readonly string[];
  readonly stopTokens: readonly string[];
  readonly thinkingEnd: string | null;
}

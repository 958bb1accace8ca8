import { aroundUserTurn, type ChatFormat, type ChatTurn, chatMl } from "../chat-format.js";
import { AgentError } from "../error.js";
import type { MemAgentConfig } from "../memagent/config.js";
import type { Tokenizer } from "../sampler.js";
import type { PromptExample } from "./prompt-example.js";

/** The settings that define the texts of the prompts and their format. */
export type PromptSettings = Pick<
  MemAgentConfig,
  "prompt" | "memoryPrompt" | "finalPrompt" | "specialTokens" | "stopTokens"
> &
  Partial<Pick<MemAgentConfig, "memoryExamples" | "finalExamples" | "enableThinking">>;

/** The prompts in the format that the model reads, with slots that are not filled yet. */
export interface PromptTexts {
  readonly memoryPrompt: string;
  readonly finalPrompt: string;
  /** The texts in the prompts that represent special tokens. */
  readonly specialTokens: readonly string[];
  readonly stopTokens: readonly string[];
  /** True if the prompts are plain text and not in a chat format. */
  readonly plain: boolean;
}

/**
 * Returns the configuration's prompts inside a user's turn of the chat format, or unchanged if there is no format. The
 * prompts are never trimmed: white space at their ends is intended, and models were trained with it.
 * @param chat the model's own chat format; undefined if it has none
 * @throws {AgentError} BAD_CONFIG
 */
export function promptTexts(
  config: PromptSettings,
  tokenizer: Tokenizer,
  chat: ChatFormat | undefined,
): PromptTexts {
  const { memoryPrompt, finalPrompt, memoryExamples = [], finalExamples = [] } = config;
  const { specialTokens, stopTokens, enableThinking } = config;
  const format = chosenFormat(config, tokenizer, chat);
  if (format === undefined) {
    if (stopTokens.length === 0) {
      throw new AgentError(
        "BAD_CONFIG",
        "stopTokens: a plain prompt needs at least one special token that ends a reply; add one of the model's special tokens",
      );
    }
    return {
      memoryPrompt: `${asText(memoryExamples)}${memoryPrompt}`,
      finalPrompt: `${asText(finalExamples)}${finalPrompt}`,
      specialTokens,
      stopTokens,
      plain: true,
    };
  }
  const options = enableThinking === undefined ? {} : { enableThinking };
  const memory = aroundUserTurn(format, options, asTurns(memoryExamples));
  const final = aroundUserTurn(format, options, asTurns(finalExamples));
  const inTurn = (around: { before: string; after: string }, content: string) =>
    `${around.before}${content}${around.after}`;
  const written = `${memory.before}${memory.after}${final.before}${final.after}`;
  return {
    memoryPrompt: inTurn(memory, memoryPrompt),
    finalPrompt: inTurn(final, finalPrompt),
    specialTokens: [
      ...new Set([...specialTokens, ...format.specialTokens.filter((text) => written.includes(text))]),
    ],
    stopTokens: stopTokens.length > 0 ? stopTokens : format.stopTokens,
    plain: false,
  };
}

const asTurns = (examples: readonly PromptExample[]): ChatTurn[] =>
  examples.flatMap(({ user, assistant }): ChatTurn[] => [
    { role: "user", content: user },
    { role: "assistant", content: assistant },
  ]);

/** Returns the examples as plain text, with a blank line after each, for prompts that are not in a chat format. */
const asText = (examples: readonly PromptExample[]) =>
  examples.map(({ user, assistant }) => `${user}\n${assistant}\n\n`).join("");

/**
 * Returns the chat format that the settings select; undefined if the prompts are used as plain text.
 * @throws {AgentError} BAD_CONFIG if `prompt` is "chat" and the model has no chat template
 */
export function chosenFormat(
  { prompt }: Pick<PromptSettings, "prompt">,
  tokenizer: Tokenizer,
  chat: ChatFormat | undefined,
): ChatFormat | undefined {
  if (prompt === "text") return undefined;
  if (prompt === "chatml") return chatMl;
  if (chat !== undefined) return chat;
  if (prompt === "chat") {
    throw new AgentError(
      "BAD_CONFIG",
      "prompt: the model has no chat template; use prompt: chatml or text, or add tokenizer_config.json to the model's folder",
    );
  }
  const knowsMarks = chatMl.specialTokens.every((text) => tokenizer.specialTokenId(text) !== undefined);
  return knowsMarks ? chatMl : undefined;
}

import { aroundUserTurn, type ChatFormat, chatMl } from "./chat-format.js";
import { AgentError } from "./error.js";
import type { MemAgentConfig } from "./memagent/config.js";
import type { Tokenizer } from "./sampler.js";

/** The settings that say how prompts look and how they reach the model. */
export type PromptSettings = Pick<
  MemAgentConfig,
  "prompt" | "memoryPrompt" | "finalPrompt" | "specialTokens" | "stopTokens" | "enableThinking"
>;

/** The prompts as they reach the model, slots still open. */
export interface PromptTexts {
  readonly memoryPrompt: string;
  readonly finalPrompt: string;
  /** Texts in the prompts that stand for special tokens. */
  readonly specialTokens: readonly string[];
  readonly stopTokens: readonly string[];
}

/**
 * The configuration's prompts inside a user's turn of the model's chat format, or as they are.
 * @param chat the model's own format; undefined: it has none
 * @throws {AgentError} BAD_CONFIG
 */
export function promptTexts(
  config: PromptSettings,
  tokenizer: Tokenizer,
  chat: ChatFormat | undefined,
): PromptTexts {
  const { memoryPrompt, finalPrompt, specialTokens, stopTokens, enableThinking } = config;
  const format = chosenFormat(config, tokenizer, chat);
  if (format === undefined) {
    if (stopTokens.length === 0) {
      throw new AgentError(
        "BAD_CONFIG",
        "stopTokens: a plain prompt needs at least one special token that ends a reply; name one of the model's own",
      );
    }
    return { memoryPrompt, finalPrompt, specialTokens, stopTokens };
  }
  const { before, after } = aroundUserTurn(format, enableThinking === undefined ? {} : { enableThinking });
  const inTurn = (content: string) => `${before}${content.trim()}${after}`;
  const written = `${before}${after}`;
  return {
    memoryPrompt: inTurn(memoryPrompt),
    finalPrompt: inTurn(finalPrompt),
    specialTokens: [
      ...new Set([...specialTokens, ...format.specialTokens.filter((text) => written.includes(text))]),
    ],
    stopTokens: stopTokens.length > 0 ? stopTokens : format.stopTokens,
  };
}

/** undefined: the prompts are used as they are. */
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
      "prompt: the model has no chat template; use prompt: chatml or text, or give the model folder its tokenizer_config.json",
    );
  }
  const knowsMarks = chatMl.specialTokens.every((text) => tokenizer.specialTokenId(text) !== undefined);
  return knowsMarks ? chatMl : undefined;
}

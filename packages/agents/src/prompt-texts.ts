import { aroundUserTurn, type ChatFormat, type ChatTurn, chatMl } from "./chat-format.js";
import { AgentError } from "./error.js";
import type { MemAgentConfig } from "./memagent/config.js";
import type { PromptExample } from "./prompt-example.js";
import type { Tokenizer } from "./sampler.js";

/** The settings that say how prompts look and how they reach the model. */
export type PromptSettings = Pick<
  MemAgentConfig,
  "prompt" | "memoryPrompt" | "finalPrompt" | "specialTokens" | "stopTokens"
> &
  Partial<Pick<MemAgentConfig, "memoryExamples" | "finalExamples" | "enableThinking">>;

/** The prompts as they reach the model, slots still open. */
export interface PromptTexts {
  readonly memoryPrompt: string;
  readonly finalPrompt: string;
  /** Texts in the prompts that stand for special tokens. */
  readonly specialTokens: readonly string[];
  readonly stopTokens: readonly string[];
  /** Whether the prompts are plain text and no chat. */
  readonly plain: boolean;
}

/**
 * The configuration's prompts inside a user's turn of the model's chat format, or as they are. The prompts are taken byte for
 * byte: white space at their ends is the writer's, and models were trained with it.
 * @param chat the model's own format; undefined: it has none
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
        "stopTokens: a plain prompt needs at least one special token that ends a reply; name one of the model's own",
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

/** Where there are no turns: example after example, a blank line after each. */
const asText = (examples: readonly PromptExample[]) =>
  examples.map(({ user, assistant }) => `${user}\n${assistant}\n\n`).join("");

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

import type { ChatFormat } from "../chat-format.js";
import { promptTexts } from "../prompts/prompt-texts.js";
import { compileTemplate, plainIds, specialId } from "../prompts/template.js";
import { replyContent } from "../reply-content.js";
import type { Tokenizer } from "../sampler.js";
import type { ReMemR1Config } from "./config.js";

/** The prompts and stop tokens of one configuration as token ids. */
export interface ReMemR1Prompts {
  readonly initialMemory: readonly number[];
  readonly nothingRecalled: readonly number[];
  readonly stopTokenIds: readonly number[];
  bind(question: string): {
    memory(recalled: readonly number[], memory: readonly number[], section: readonly number[]): number[];
    final(recalled: readonly number[], memory: readonly number[]): number[];
  };
  /** Returns the sampled ids without thinking and without the stop token at their end. */
  content(sampled: readonly number[]): readonly number[];
}

/**
 * Encodes the prompts of a configuration.
 * @param chat the model's own chat format, for configurations whose prompt is "chat" or "auto"
 * @throws {AgentError} BAD_CONFIG
 */
export function rememr1Prompts(
  tokenizer: Tokenizer,
  config: ReMemR1Config,
  chat?: ChatFormat,
): ReMemR1Prompts {
  const texts = promptTexts(config, tokenizer, chat);
  const { specialTokens, plain } = texts;
  const memory = compileTemplate(tokenizer, "memoryPrompt", texts.memoryPrompt, {
    textSlots: ["question"],
    idSlots: ["recalled", "memory", "section"],
    specialTokens,
    plain,
  });
  const final = compileTemplate(tokenizer, "finalPrompt", texts.finalPrompt, {
    textSlots: ["question"],
    idSlots: ["recalled", "memory"],
    specialTokens,
    plain,
  });
  const stopTokenIds = texts.stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));
  return {
    initialMemory: plainIds(tokenizer, config.initialMemory),
    nothingRecalled: plainIds(tokenizer, config.nothingRecalled),
    stopTokenIds,
    bind(question) {
      const boundMemory = memory.bind({ question });
      const boundFinal = final.bind({ question });
      return {
        memory: (recalled, memoryIds, section) =>
          boundMemory.render({ recalled, memory: memoryIds, section }),
        final: (recalled, memoryIds) => boundFinal.render({ recalled, memory: memoryIds }),
      };
    },
    content: replyContent(tokenizer, stopTokenIds, config.thinkingEnd, [
      texts.memoryPrompt,
      texts.finalPrompt,
    ]),
  };
}

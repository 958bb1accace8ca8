import type { ChatFormat, ChatTurn, RenderOptions } from "../chat-format.js";
import { AgentError } from "../error.js";
import { chosenFormat } from "../prompts/prompt-texts.js";
import { compileTemplate, plainIds, specialId } from "../prompts/template.js";
import { replyContent } from "../reply-content.js";
import type { Tokenizer } from "../sampler.js";
import { type AroundResults, aroundResults, render, tryRender } from "./around-results.js";
import type { ToolPromptSettings } from "./loop-settings.js";
import { type ListedTools, toolList } from "./tool-list.js";

/** The prompts and stop tokens of an agent with tools as token ids. */
export interface ToolPrompts {
  readonly stopTokenIds: readonly number[];
  /**
   * Returns everything before the first turn.
   * @param memories what fills {memories}, for prompts with that slot
   */
  prompt(question: string, memories?: string): number[];
  /**
   * Returns the tokens between a turn with calls and the next turn.
   * @param results one text per call
   * @param stopped whether the turn ended with its stop token, which then is not written again
   */
  results(results: readonly string[], stopped: boolean): number[];
  /** Returns the sampled ids without thinking and without the stop token at their end. */
  content(sampled: readonly number[]): readonly number[];
}

/** The texts of one configuration in the format that the model reads, with slots that are not filled yet. */
interface Texts {
  readonly prompt: string;
  /** The texts before the first result, between two results, and after the last. */
  readonly results: AroundResults;
  readonly specialTokens: readonly string[];
  readonly stopTokens: readonly string[];
}

/**
 * Encodes the prompts of a configuration and its list of tools.
 * @param chat the model's own chat format, for configurations whose prompt is "chat" or "auto"
 * @param textSlots the slots of the user prompt
 * @throws {AgentError} BAD_CONFIG
 */
export function toolPrompts(
  tokenizer: Tokenizer,
  config: ToolPromptSettings,
  tools: ListedTools,
  chat?: ChatFormat,
  textSlots: readonly ("question" | "memories")[] = ["question"],
): ToolPrompts {
  const format = chosenFormat(config, tokenizer, chat);
  const texts = format === undefined ? plainTexts(config, tools) : chatTexts(config, tools, format);
  const { specialTokens } = texts;
  if (texts.stopTokens.length === 0) {
    throw new AgentError(
      "BAD_CONFIG",
      "stopTokens: a plain prompt needs at least one special token that ends a turn; add one of the model's special tokens",
    );
  }
  const prompt = compileTemplate(tokenizer, "userPrompt", texts.prompt, {
    textSlots,
    idSlots: [],
    specialTokens,
    plain: format === undefined,
  });
  const [before, between, after] = texts.results.map((text) =>
    compileTemplate(tokenizer, "resultPrompt", text, { textSlots: [], idSlots: [], specialTokens })
      .bind({})
      .render({}),
  ) as [number[], number[], number[]];
  const stopTokenIds = texts.stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));
  const closes = before[0] !== undefined && stopTokenIds.includes(before[0]);
  return {
    stopTokenIds,
    prompt: (question, memories = "") => prompt.bind({ question, memories }).render({}),
    results: (results, stopped) => [
      ...(stopped && closes ? before.slice(1) : before),
      ...results.flatMap((text, i) => [...(i === 0 ? [] : between), ...plainIds(tokenizer, text)]),
      ...after,
    ],
    content: replyContent(tokenizer, stopTokenIds, config.thinkingEnd, [texts.prompt]),
  };
}

function plainTexts(config: ToolPromptSettings, tools: ListedTools): Texts {
  const { systemPrompt, userPrompt, resultPrompt, specialTokens, stopTokens } = config;
  const [before, after, ...more] = resultPrompt.split("{results}");
  if (before === undefined || after === undefined || more.length > 0) {
    throw new AgentError(
      "BAD_CONFIG",
      "resultPrompt: must contain {results} exactly once; put it where the results belong",
    );
  }
  const parts = [systemPrompt, config.listTools ? toolList(config.callForm, tools) : null, userPrompt];
  return {
    prompt: parts.filter((part) => part !== null).join("\n\n"),
    results: [before, "\n", after],
    specialTokens,
    stopTokens,
  };
}

function chatTexts(config: ToolPromptSettings, tools: ListedTools, format: ChatFormat): Texts {
  const { systemPrompt, userPrompt, enableThinking, specialTokens, stopTokens } = config;
  const options: RenderOptions = { enableThinking };
  const user: ChatTurn = { role: "user", content: userPrompt };
  const told = (text: string | null): ChatTurn[] =>
    text === null ? [] : [{ role: "system", content: text }];
  // The template lists the tools itself if it can and calls have the format that templates describe.
  const own =
    config.listTools && config.callForm === "hermes" ? { ...options, tools: tools.definitions } : undefined;
  const rendered = own && tryRender(format, [...told(systemPrompt), user], own);
  const inTemplate =
    rendered !== undefined && tools.definitions.every((tool) => rendered.includes(`"${tool.function.name}"`));
  const list = config.listTools && !inTemplate ? toolList(config.callForm, tools) : null;
  const system = [systemPrompt, list].filter((part) => part !== null).join("\n\n");
  const opening = [...told(system === "" ? null : system), user];
  const used = inTemplate && own ? own : options;
  return {
    prompt: inTemplate ? rendered : render(format, opening, options),
    results: aroundResults(format, opening, used, inTemplate),
    specialTokens: [...new Set([...specialTokens, ...format.specialTokens])],
    stopTokens: stopTokens.length > 0 ? stopTokens : format.stopTokens,
  };
}

import {
  type AgentModel,
  compileTemplate,
  plainIds,
  promptTexts,
  specialId,
  wholeCharacters,
} from "@palimpsest/agents";
import { afterThinking } from "@palimpsest/rewards";
import { EvaluationError } from "../error.js";
import type { AnswerOptions, Prediction } from "../suite/system.js";
import type { ReaderConfig } from "./reader-config.js";

/** A model that answers one prompt at once. */
export interface Reader {
  readonly config: ReaderConfig;
  /** Returns the token ids of a text as it appears in a prompt. */
  encode(text: string): number[];
  decode(tokenIds: readonly number[]): string;
  /** Returns how many tokens the document may have when its prompt and answer together may have `limitTokens`. */
  room(question: string, limitTokens: number): number;
  /** @throws {EvaluationError} PROMPT_TOO_LONG */
  answer(
    question: string,
    documentIds: readonly number[],
    options: AnswerOptions,
  ): Promise<Pick<Prediction, "text" | "counts">>;
  /** Answers the question without showing any text. */
  answerClosed(question: string, options: AnswerOptions): Promise<Pick<Prediction, "text" | "counts">>;
}

/** @throws {AgentError} BAD_CONFIG when prompts and model do not match */
export function createReader(model: AgentModel, config: ReaderConfig): Reader {
  const { sampler, tokenizer, chat } = model;
  const { enableThinking, prompt, specialTokens, stopTokens } = config;
  const texts = promptTexts(
    {
      memoryPrompt: config.documentPrompt,
      finalPrompt: config.closedPrompt,
      prompt,
      specialTokens,
      stopTokens,
      enableThinking,
    },
    tokenizer,
    chat,
  );
  const rules = { textSlots: ["question"], specialTokens: texts.specialTokens, plain: texts.plain };
  const open = compileTemplate(tokenizer, "documentPrompt", texts.memoryPrompt, {
    ...rules,
    idSlots: ["document"],
  });
  const closed = compileTemplate(tokenizer, "closedPrompt", texts.finalPrompt, { ...rules, idSlots: [] });
  const stopTokenIds = texts.stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));

  const ask = async (promptTokenIds: number[], { signal, seed }: AnswerOptions) => {
    const { contextTokens, answerTokens, temperature, topP } = config;
    if (promptTokenIds.length + answerTokens > contextTokens) {
      throw new EvaluationError(
        "PROMPT_TOO_LONG",
        `document: a prompt of ${promptTokenIds.length} tokens and an answer of ${answerTokens} exceed contextTokens ${contextTokens}; raise it if the model's context is longer`,
      );
    }
    const request = { promptTokenIds, maxTokens: answerTokens, temperature, topP, stopTokenIds, seed };
    const { tokenIds, stopReason } = await sampler.generate(request, signal);
    signal.throwIfAborted();
    const last = tokenIds.at(-1);
    const ended = last !== undefined && stopTokenIds.includes(last);
    return {
      text: afterThinking(
        tokenizer.decode(ended ? tokenIds.slice(0, -1) : wholeCharacters(tokenizer, tokenIds)),
      ),
      counts: {
        conversations: 1,
        promptTokens: promptTokenIds.length,
        sampledTokens: tokenIds.length,
        truncated: stopReason === "length" ? 1 : 0,
      },
    };
  };
  return {
    config,
    encode: (text) => plainIds(tokenizer, text),
    decode: (tokenIds) => tokenizer.decode(tokenIds),
    room: (question, limitTokens) =>
      Math.max(
        0,
        limitTokens - config.answerTokens - open.bind({ question }).render({ document: [] }).length,
      ),
    answer: (question, documentIds, options) =>
      ask(open.bind({ question }).render({ document: documentIds }), options),
    answerClosed: (question, options) => ask(closed.bind({ question }).render({}), options),
  };
}

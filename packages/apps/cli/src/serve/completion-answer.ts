import { z } from "zod";
import type { Asked, ChoiceWriter } from "./answer.js";
import { ApiError } from "./api-error.js";
import { type ChoiceEnd, type ChoicePiece, checkChoices, choicesOf, roomFor } from "./choice.js";
import type { RequestBody } from "./request-body.js";
import { mostTopLogprobs, neutral, parseBody, sharedFields } from "./request-fields.js";
import type { ServedModel } from "./served-model.js";
import { type CompletionLogprobs, completionLogprobs } from "./token-logprobs.js";

/** Validates the body of a request to /v1/completions. @throws {ApiError}; {ModelError} TOKENIZER_INVALID */
export function askCompletion(model: ServedModel, { json }: RequestBody, mostChoices: number): Asked {
  const request = parseBody(completionRequestSchema, json);
  checkChoices(request.prompt.length, request.n, mostChoices);
  const prompts = request.prompt.map((prompt) => promptTokens(model, prompt));
  const choices = prompts.flatMap((promptTokenIds) => {
    const maxTokens = roomFor(
      model,
      { field: "prompt", tokens: promptTokenIds.length },
      { field: "max_tokens", tokens: request.max_tokens },
    );
    return choicesOf(model, promptTokenIds, { ...request, maxTokens });
  });
  return {
    choices,
    promptTokens: prompts.reduce((sum, { length }) => sum + length, 0),
    stream: request.stream,
    includeUsage: request.stream_options?.include_usage ?? false,
    idPrefix: "cmpl-",
    object: { whole: "text_completion", chunk: "text_completion" },
    writer: (index) =>
      new CompletionChoice(model, index, {
        logprobs: request.logprobs !== undefined,
        asIds: request.return_tokens_as_token_ids,
        tokenIds: request.return_token_ids,
      }),
  };
}

function promptTokens(model: ServedModel, prompt: string | readonly number[]): readonly number[] {
  const refuse = (why: string) => new ApiError("invalid_value", `prompt: ${why}`, { param: "prompt" });
  if (typeof prompt === "string") {
    const ids = model.tokenizer.encodePrompt(prompt);
    if (ids.length === 0)
      throw refuse("is empty, and the model needs a text to continue; give at least one token");
    return ids;
  }
  const outside = prompt.find((id) => id >= model.vocabSize);
  if (outside !== undefined)
    throw refuse(
      `token id ${outside} is not in the vocabulary of ${model.name}; ids are 0 to ${model.vocabSize - 1}`,
    );
  return prompt;
}

interface CompletionChoiceOptions {
  readonly logprobs: boolean;
  readonly asIds: boolean;
  readonly tokenIds: boolean;
}

class CompletionChoice implements ChoiceWriter {
  readonly #model: ServedModel;
  readonly #index: number;
  readonly #options: CompletionChoiceOptions;
  readonly #tokenIds: number[] = [];
  readonly #logprobs: CompletionLogprobs = {
    tokens: [],
    token_logprobs: [],
    top_logprobs: [],
    text_offset: [],
  };
  #text = "";
  #characters = 0;
  #reason = "";

  constructor(model: ServedModel, index: number, options: CompletionChoiceOptions) {
    this.#model = model;
    this.#index = index;
    this.#options = options;
  }

  begin(): readonly object[] {
    return [];
  }

  push(piece: ChoicePiece): object | undefined {
    const { logprobs, tokenIds } = this.#options;
    const told = logprobs && piece.tokenIds.length > 0 ? this.#logprobsOf(piece) : null;
    this.#text += piece.text;
    this.#tokenIds.push(...piece.tokenIds);
    if (piece.text === "" && told === null && !tokenIds) return undefined;
    return {
      ...this.#chunk(piece.text),
      logprobs: told,
      ...(tokenIds ? { token_ids: piece.tokenIds } : {}),
    };
  }

  #logprobsOf(piece: ChoicePiece): CompletionLogprobs {
    const told = completionLogprobs(this.#model.tokenizer, piece, {
      asIds: this.#options.asIds,
      offset: this.#characters,
    });
    this.#characters += this.#model.tokenizer.decode(piece.tokenIds).length;
    this.#logprobs.tokens.push(...told.tokens);
    this.#logprobs.token_logprobs.push(...told.token_logprobs);
    this.#logprobs.top_logprobs.push(...told.top_logprobs);
    this.#logprobs.text_offset.push(...told.text_offset);
    return told;
  }

  end({ reason }: ChoiceEnd): readonly object[] {
    this.#reason = reason;
    const ids = this.#options.tokenIds ? { token_ids: [] } : {};
    return [{ ...this.#chunk(""), finish_reason: reason, ...ids }];
  }

  whole(): object {
    return {
      index: this.#index,
      text: this.#text,
      logprobs: this.#options.logprobs ? this.#logprobs : null,
      finish_reason: this.#reason,
      ...(this.#options.tokenIds ? { token_ids: this.#tokenIds } : {}),
    };
  }

  #chunk(text: string): object {
    return { index: this.#index, text, logprobs: null, finish_reason: null };
  }
}

const tokenIds = z.array(z.int().min(0)).min(1);

/** The body of POST /v1/completions. */
const completionRequestSchema = z.strictObject({
  ...sharedFields,
  prompt: z
    .union([z.string(), tokenIds, z.array(z.string()).min(1), z.array(tokenIds).min(1)], {
      error: "must be a string, token ids, or a list of either",
    })
    .transform((prompt): readonly (string | readonly number[])[] => {
      if (typeof prompt === "string") return [prompt];
      // A list of numbers is one prompt; lists of texts or of lists of numbers are several.
      return prompt.every((item) => typeof item === "number") ? [prompt] : (prompt as (string | number[])[]);
    }),
  /** The default is that of OpenAI and vLLM, because clients rely on it. */
  max_tokens: z.int().min(1).default(16),
  logprobs: z.int().min(0).max(mostTopLogprobs).optional(),
  /** vLLM's field: the tokens of log-probs are formatted as `token_id:123`. */
  return_tokens_as_token_ids: z.boolean().default(false),
  echo: neutral(false, "the server does not repeat the prompt"),
  best_of: neutral(1, "the server returns every answer; use n"),
});

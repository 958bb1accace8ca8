import type { Asked, ChoiceWriter } from "./answer.js";
import { ApiError } from "./api-error.js";
import { asWritten, chatRequestSchema } from "./chat-request.js";
import { type ChoiceEnd, type ChoicePiece, checkChoices, choicesOf, roomFor } from "./choice.js";
import type { RequestBody } from "./request-body.js";
import { parseBody } from "./request-fields.js";
import type { ServedModel } from "./served-model.js";
import { chatLogprobs } from "./token-logprobs.js";
import { type ToolCall, ToolCallReader } from "./tool-calls.js";

/**
 * Validates the body of a request to /v1/chat/completions.
 * @throws {ApiError}; {ModelError} TEMPLATE_REFUSED, TOKENIZER_INVALID
 */
export function askChat(model: ServedModel, { json, text }: RequestBody, mostChoices: number): Asked {
  const request = parseBody(chatRequestSchema, json);
  const { tools = [], logprobs, top_logprobs = 0 } = request;
  const refuse = (param: string, why: string) =>
    new ApiError("unsupported_value", `${param}: ${why}`, { param });
  if (model.template === undefined)
    throw refuse("messages", `${model.name} has no chat template; use /v1/completions`);
  if (top_logprobs > 0 && !logprobs)
    throw refuse("top_logprobs", `is ${top_logprobs} without logprobs; set logprobs to true`);
  checkChoices(1, request.n, mostChoices);
  const usesTools = tools.length > 0 && request.tool_choice === "auto";
  if (usesTools && model.toolsRefusal !== undefined)
    throw refuse("tools", `the chat template of ${model.name} ${model.toolsRefusal}`);
  const written = asWritten(request, text);
  const promptTokenIds = model.template.encode(written.messages, {
    ...(usesTools ? { tools: written.tools } : {}),
    ...(written.variables === undefined ? {} : { variables: written.variables }),
  });
  const field = request.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  const maxTokens = roomFor(
    model,
    { field: "messages", tokens: promptTokenIds.length },
    { field, tokens: request[field] },
  );
  const choices = choicesOf(model, promptTokenIds, {
    ...request,
    maxTokens,
    logprobs: logprobs ? top_logprobs : undefined,
  });
  return {
    choices,
    promptTokens: promptTokenIds.length,
    stream: request.stream,
    includeUsage: request.stream_options?.include_usage ?? false,
    idPrefix: "chatcmpl-",
    object: { whole: "chat.completion", chunk: "chat.completion.chunk" },
    writer: (index) =>
      new ChatChoice(model, index, {
        usesTools,
        parallelCalls: request.parallel_tool_calls,
        logprobs,
        tokenIds: request.return_token_ids,
      }),
  };
}

interface ChatChoiceOptions {
  readonly usesTools: boolean;
  /** Whether an answer may have several calls. */
  readonly parallelCalls: boolean;
  readonly logprobs: boolean;
  readonly tokenIds: boolean;
}

class ChatChoice implements ChoiceWriter {
  readonly #model: ServedModel;
  readonly #index: number;
  readonly #options: ChatChoiceOptions;
  readonly #tools: ToolCallReader | undefined;
  readonly #tokenIds: number[] = [];
  readonly #logprobs: object[] = [];
  #content = "";
  #calls: readonly ToolCall[] = [];
  #reason = "";

  constructor(model: ServedModel, index: number, options: ChatChoiceOptions) {
    this.#model = model;
    this.#index = index;
    this.#options = options;
    this.#tools = options.usesTools ? new ToolCallReader() : undefined;
  }

  begin(): readonly object[] {
    return [this.#chunk({ role: "assistant", content: "" })];
  }

  push(piece: ChoicePiece): object | undefined {
    const content = this.#tools === undefined ? piece.text : this.#tools.push(piece.text);
    const logprobs = this.#options.logprobs ? chatLogprobs(this.#model.tokenizer, piece) : [];
    const tokenIds = this.#options.tokenIds ? piece.tokenIds : [];
    this.#content += content;
    this.#logprobs.push(...logprobs);
    this.#tokenIds.push(...tokenIds);
    if (content === "" && logprobs.length === 0 && tokenIds.length === 0) return undefined;
    return {
      ...this.#chunk({ content }),
      ...(logprobs.length === 0 ? {} : { logprobs: { content: logprobs, refusal: null } }),
      ...(this.#options.tokenIds ? { token_ids: tokenIds } : {}),
    };
  }

  end({ reason }: ChoiceEnd): readonly object[] {
    const { text, calls: all } = this.#tools?.end() ?? { text: "", calls: [] };
    const calls = this.#options.parallelCalls ? all : all.slice(0, 1);
    this.#content += text;
    this.#calls = calls;
    this.#reason = calls.length > 0 && reason === "stop" ? "tool_calls" : reason;
    return [
      ...(text === "" ? [] : [this.#chunk({ content: text })]),
      ...(calls.length === 0
        ? []
        : [this.#chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) })]),
      { ...this.#chunk({}), finish_reason: this.#reason },
    ];
  }

  whole(): object {
    const hasCalls = this.#calls.length > 0;
    return {
      index: this.#index,
      message: {
        role: "assistant",
        content: hasCalls && this.#content.trim() === "" ? null : this.#content,
        refusal: null,
        ...(hasCalls ? { tool_calls: this.#calls } : {}),
      },
      logprobs: this.#options.logprobs ? { content: this.#logprobs, refusal: null } : null,
      finish_reason: this.#reason,
      ...(this.#options.tokenIds ? { token_ids: this.#tokenIds } : {}),
    };
  }

  #chunk(delta: object): object {
    return { index: this.#index, delta, logprobs: null, finish_reason: null };
  }
}

import { checkKind, checkParts } from "@palimpsest/std/input";
import { z } from "zod";
import { ChatEndpoint, type ServedModel } from "./chat-endpoint.js";
import { type EndpointText, thoughtAway } from "./chat-reply.js";
import { type EngineConfigInput, engineConfigSchema, parseConfig } from "./config.js";
import { EndpointTokenizer, type PlainTokenizer } from "./endpoint-tokenizer.js";
import { EngineError } from "./error.js";
import type { GenerateRequest, GenerateResult } from "./generate.js";
import type { Retry, RetryClock } from "./http-client.js";

/*
 * Responsibility: presents a server of messages and texts as a sampler of token ids, so that agents run over any
 * OpenAI-compatible server.
 * Not responsible for: training. The ids are this process's own (endpoint-tokenizer.ts) and log-probs are NaN: what the
 * server does not report is not made up, and no queue or learner accepts it.
 * - ENDPOINT-1. A prompt of turns is sent to /v1/chat/completions as messages, one without turns to /v1/completions.
 * - ENDPOINT-2. What the model thought, in a field of its own or up to </think>, is left out of the reply.
 *     A model that can think is asked not to, unless the configuration wants it; servers that refuse the field are
 *     asked without it.
 *     A reply that holds nothing else, or that was filtered, refused or failed, is an error and never an empty text.
 * - ENDPOINT-3. A reply that was truncated, by the server or to fit maxTokens here, has stopReason "length".
 */

/** vLLM, SGLang and llama.cpp accept this field; other servers ignore it or refuse it by name. */
const thinkingField = "chat_template_kwargs";

const endpointSamplerConfigSchema = engineConfigSchema.extend({
  maxConcurrency: z.int().min(1).default(8).describe("maximum number of concurrent requests"),
  malformedAttempts: z
    .int()
    .min(1)
    .default(4)
    .describe("attempts of one request whose answers are malformed, such as JSON that does not parse"),
  enableThinking: z
    .boolean()
    .default(false)
    .describe("whether a model that can think does so; sent as chat_template_kwargs: {enable_thinking}"),
  temperature: z
    .enum(["required", "preferred"])
    .default("required")
    .describe(
      "what to do when a server refuses the parameter temperature, as hosted reasoning models do. required: the request fails; preferred: this request and all later ones are sent without a temperature",
    ),
  extraBody: z
    .record(z.string(), z.json())
    .superRefine((fields, context) => {
      for (const name of ["model", "messages", "prompt", "stream", "stream_options"])
        if (Object.hasOwn(fields, name))
          context.addIssue(`must not have ${name}, which is sent as it must be; leave it out`);
    })
    .default({})
    .describe("further fields of every request; they override the fields that are sent otherwise"),
});

/** Settings of a sampler over an OpenAI-compatible server. */
export type EndpointSamplerConfig = z.input<typeof endpointSamplerConfigSchema> & EngineConfigInput;

/** What a sampler over a server gets besides its settings. */
export interface EndpointSamplerOptions {
  /** Counts and truncates texts as the server's model does. Absent: about four letters of English, three of other alphabets or one ideograph per token. */
  readonly tokenizer?: PlainTokenizer;
  /** Called for every failed attempt that is retried. */
  readonly onRetry?: (retry: Retry) => void;
  /** A clock for tests. */
  readonly clock?: RetryClock;
}

/** What belongs into the second argument. */
const optionNames = ["tokenizer", "onRetry", "clock", "signal"];

/**
 * Any OpenAI-compatible server behind the interface that agents use: token ids in, token ids out. It cannot be used for
 * training.
 */
export class EndpointSampler {
  /** Its model is not trained here, so an empty reply of it never empties a memory. */
  readonly served = true;
  readonly tokenizer: EndpointTokenizer;
  readonly #endpoint: ChatEndpoint;
  readonly #extraBody: Readonly<Record<string, unknown>>;
  readonly #thinkingBody: { readonly [thinkingField]: object };
  readonly #mayLeaveOut: readonly string[];
  readonly #onRetry: EndpointSamplerOptions["onRetry"];

  /** @throws {EngineError} CONFIG_INVALID */
  constructor(config: EndpointSamplerConfig, options: EndpointSamplerOptions = {}) {
    const misplaced = optionNames.filter((name) => Object.hasOwn(config ?? {}, name));
    if (misplaced.length > 0)
      throw new EngineError(
        "CONFIG_INVALID",
        `engine: ${misplaced.join(", ")}: is no setting; pass it in the second argument`,
      );
    const refuse = (problem: string) => new EngineError("CONFIG_INVALID", problem);
    const parts = { "tokenizer?": "an object", "onRetry?": "a function", "clock?": "an object" } as const;
    checkParts(options, "options of EndpointSampler()", { ...parts, "signal?": "an object" }, refuse);
    for (const name of options.tokenizer === undefined ? [] : (["encode", "decode"] as const))
      checkKind(
        options.tokenizer?.[name],
        `options of EndpointSampler(): tokenizer.${name}`,
        "a function",
        refuse,
      );
    const { extraBody, enableThinking, temperature, ...engine } = parseConfig(
      endpointSamplerConfigSchema,
      config,
    );
    this.#extraBody = extraBody;
    this.#mayLeaveOut = [
      "seed",
      ...(thinkingField in extraBody ? [] : [thinkingField]),
      ...(temperature === "preferred" ? ["temperature"] : []),
    ].filter((field) => !(field in extraBody));
    this.#thinkingBody = { [thinkingField]: { enable_thinking: enableThinking } };
    const names = { temperature: 'temperature (setting temperature: "preferred")', ...engine.names };
    this.#endpoint = new ChatEndpoint({ ...engine, names }, options.clock);
    this.#onRetry = options.onRetry;
    this.tokenizer = new EndpointTokenizer(options.tokenizer);
  }

  /** How chats are written for this sampler. */
  get chat(): EndpointTokenizer["chat"] {
    return this.tokenizer.chat;
  }

  /** Returns the model that answers; a check before long work. @throws {EngineError} UNREACHABLE and others */
  async model(signal?: AbortSignal): Promise<ServedModel> {
    return await this.#endpoint.model({ signal, onRetry: this.#onRetry });
  }

  /**
   * Generates a reply. Log-probs are NaN, the policy version is 0 and its hash "".
   * @throws {EngineError}; the signal's reason when aborted
   */
  async generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult> {
    const { promptTokenIds, maxTokens, temperature, topP, topK, minP, stop, seed } = request;
    const messages = this.tokenizer.messagesOf(promptTokenIds);
    const reply = await this.#endpoint.generateText({
      ...(messages === undefined ? { prompt: this.tokenizer.decode(promptTokenIds) } : { messages }),
      maxTokens,
      temperature,
      seed,
      mayLeaveOut: this.#mayLeaveOut,
      extraBody: { ...(messages === undefined ? {} : this.#thinkingBody), ...this.#extraBody },
      ...(topP === undefined || topP === 1 ? {} : { topP }),
      ...(topK ? { topK } : {}),
      ...(minP ? { minP } : {}),
      ...(stop === undefined ? {} : { stop }),
      ...(signal === undefined ? {} : { signal }),
      ...(this.#onRetry === undefined ? {} : { onRetry: this.#onRetry }),
    });
    const sampled = this.#sampledIds(reply, request);
    if (sampled.tokenIds.length > 0) request.onTokens?.(sampled.tokenIds);
    return {
      ...sampled,
      rolloutLogprobs: sampled.tokenIds.map(() => Number.NaN),
      policyVersion: 0,
      weightsHash: "",
    };
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    await this.#endpoint.close();
  }

  /** The same as close(), for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Encodes the reply as ids (ENDPOINT-2, ENDPOINT-3). The stop token is the model's own, which a text does not show. */
  #sampledIds(
    { text, stopReason }: EndpointText,
    { maxTokens, stopTokenIds }: GenerateRequest,
  ): Pick<GenerateResult, "tokenIds" | "stopReason"> {
    const said = withoutMarks(withoutThinking(text));
    if (said.trim() === "" && text.trim() !== "")
      throw new EngineError("NO_ANSWER", `${this.#endpoint.shown("/chat/completions")}: ${thoughtAway}`);
    const stopIds = stopReason === "stop" ? stopTokenIds.slice(0, 1) : [];
    const whole = (ids: readonly number[]) => ids.length + stopIds.length <= maxTokens;
    // The server counted its own tokens, so a reply within its limit should be within ours.
    const asWords = this.tokenizer.encode(said, { specialTokens: "text" });
    const ids = whole(asWords) ? asWords : this.tokenizer.encodeDensely(said);
    if (whole(ids)) return { tokenIds: [...ids, ...stopIds], stopReason };
    return { tokenIds: ids.slice(0, maxTokens), stopReason: "length" };
  }
}

/** What agents are made of: `memAgent(await openEndpoint({ url }))`. */
export interface OpenEndpoint extends AsyncDisposable {
  /** The model's name at the server. */
  readonly name: string;
  /** Maximum tokens of prompt and reply together, if the server reports it. */
  readonly contextTokens?: number;
  readonly sampler: EndpointSampler;
  readonly tokenizer: EndpointTokenizer;
  readonly chat: EndpointTokenizer["chat"];
  close(): Promise<void>;
}

/**
 * Asks the server for its model, so that a wrong address is noticed before long work.
 * @param options.tokenizer counts and truncates texts as the server's model does; default: an estimate of tokens
 * @param options.onRetry is called for every failed attempt that is retried, before the wait
 * @param options.signal ends the request for the model; each later request has a signal of its own
 * @throws {EngineError}; the signal's reason
 */
export async function openEndpoint(
  config: EndpointSamplerConfig,
  options: EndpointSamplerOptions & { readonly signal?: AbortSignal } = {},
): Promise<OpenEndpoint> {
  const sampler = new EndpointSampler(config, options);
  try {
    const model = await sampler.model(options.signal);
    const { tokenizer, chat } = sampler;
    const close = () => sampler.close();
    return { ...model, sampler, tokenizer, chat, close, [Symbol.asyncDispose]: close };
  } catch (reason) {
    await sampler.close();
    throw reason;
  }
}

/** The marks between which models think, in the words of their makers. */
const thinkingMarks = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["\u25c1think\u25b7", "\u25c1/think\u25b7"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
] as const;
/** The end of a thought that the server's template has begun stands at the border of a line; in the middle of one it is quoted. */
const endOfBegun = /(?:^|\n)[ \t]*<\/think>|<\/think>[ \t]*\n/;

/** Returns what a reply says after its thinking; "" if that has not ended. */
function withoutThinking(text: string): string {
  const said = text.trimStart();
  const marks = thinkingMarks.find(([begin]) => said.startsWith(begin));
  if (marks !== undefined) {
    const end = said.indexOf(marks[1]);
    return end < 0 ? "" : said.slice(end + marks[1].length).trimStart();
  }
  const end = endOfBegun.exec(text);
  return end === null ? text : text.slice(end.index + end[0].length).trimStart();
}

/** Marks that servers leave around an answer when they do not know the model's chat format. */
const marksBefore = /^\s*(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>/;
const marksAfter = /(?:\s*(?:<\|[a-z_]{2,30}\|>|<end_of_turn>))+\s*$/;
const withoutMarks = (text: string) => text.replace(marksBefore, "").replace(marksAfter, "");

import { randomInt } from "node:crypto";
import { StopText } from "@palimpsest/memory/text";
import { joinSignals } from "@palimpsest/std";
import { ModelError } from "../base/error.js";
import type { ChatMessage, ChatOptions } from "./chat-message.js";
import type { ChatTemplate } from "./chat-template.js";
import { TextStream, type TokenDecoder } from "./text-stream.js";

/** A request to a sampler, either ModelSampler or one of the engines behind HTTP. */
export interface TokenRequest {
  readonly promptTokenIds: readonly number[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly stopTokenIds: readonly number[];
  readonly seed: number;
  /** Texts after which sampling stops; the sampled tokens include the text's own. */
  readonly stop?: readonly string[];
  /** Called with sampled tokens as they arrive, in order and with each token once. */
  readonly onTokens?: (tokenIds: readonly number[]) => void;
}

interface TokenResult {
  readonly tokenIds: readonly number[];
  readonly rolloutLogprobs: readonly number[];
  readonly stopReason: "stop" | "length" | "abort";
  readonly policyVersion: number;
  readonly weightsHash: string;
}

export interface TokenSampler {
  generate(request: TokenRequest, signal?: AbortSignal): Promise<TokenResult>;
}

interface TextTokenizer extends TokenDecoder {
  encode(text: string): number[];
  /** Token ids that precede a plain prompt; chat templates write their own. Default: none. */
  readonly beginTokenIds?: readonly number[];
  specialTokenId(text: string): number | undefined;
  /** The special token that ends a text or an answer, if the vocabulary names one. */
  readonly endToken?: string | undefined;
  /** Returns whether a token is special; those are left out of texts for readers. */
  isSpecial(tokenId: number): boolean;
}

interface TextSettings {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  /** Texts that end the answer; they are not part of it. */
  readonly stop?: readonly string[];
  /** Seed of the sampling. Default: a different one for each request. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

/** Either a conversation, rendered by the model's chat template, or a text to continue. */
export type TextRequest = TextSettings &
  (
    | ({ readonly messages: readonly ChatMessage[]; readonly prompt?: never } & ChatOptions)
    | { readonly prompt: string; readonly messages?: never }
  );

export interface GeneratedText {
  /** The answer without special tokens and without the stop text. */
  readonly text: string;
  /** All sampled tokens, including a stop token. */
  readonly tokenIds: readonly number[];
  /** Log-probabilities in nats before temperature and truncation, one per token. */
  readonly rolloutLogprobs: readonly number[];
  readonly stopReason: "stop" | "length";
  readonly usage: { readonly promptTokens: number; readonly sampledTokens: number };
  readonly policyVersion: number;
  readonly weightsHash: string;
}

/** An answer while it is generated: iterate once for the pieces of text, await `result` for the whole answer. */
export interface TextGeneration extends AsyncIterable<string> {
  readonly result: Promise<GeneratedText>;
}

export interface TextModelOptions {
  readonly sampler: TokenSampler;
  readonly tokenizer: TextTokenizer;
  /** The chat template. Without it, only `prompt` is supported, and not `messages`. */
  readonly template?: Pick<ChatTemplate, "encode">;
  /** Special tokens that end an answer; default: the tokenizer's end token. */
  readonly stopTokens?: readonly string[];
  /** Further end tokens by id, which generation_config.json of some models adds. */
  readonly stopTokenIds?: readonly number[];
  /** Maximum tokens of an answer when a request does not set it. Default 512. */
  readonly maxTokens?: number;
  /** Limit on prompt plus answer in tokens. An answer that reaches it ends as if it had reached its maxTokens. */
  readonly maxLength?: number;
}

/** A model that takes text and returns text, on top of any sampler of tokens. */
export class TextModel {
  readonly #options: TextModelOptions;
  readonly #stopTokenIds: readonly number[];

  /** @throws {ModelError} CONFIG_INVALID for a stop token that is not in the vocabulary */
  constructor(options: TextModelOptions) {
    this.#options = options;
    const { endToken } = options.tokenizer;
    const stopTokens = options.stopTokens ?? (endToken === undefined ? [] : [endToken]);
    const named = stopTokens.map((text) => {
      const id = options.tokenizer.specialTokenId(text);
      if (id !== undefined) return id;
      const message = `stopTokens: the tokenizer has no special token "${text}"; use one of the model's special tokens`;
      throw new ModelError("CONFIG_INVALID", message);
    });
    this.#stopTokenIds = [...new Set([...named, ...(options.stopTokenIds ?? [])])];
  }

  /**
   * Generates a whole answer.
   * @throws {ModelError} TEMPLATE_MISSING, TEMPLATE_REFUSED, REQUEST_INVALID; whatever the sampler throws
   * @throws the signal's reason when aborted
   */
  async generateText(request: TextRequest): Promise<GeneratedText> {
    return await this.#generate(request, () => undefined);
  }

  /** Starts generating an answer at once, and streams it. If the reader stops iterating, the rest is aborted. */
  streamText(request: TextRequest): TextGeneration {
    const left = joinSignals(request.signal);
    const pieces: string[] = [];
    let wake = () => {};
    let ended = false;
    const result = this.#generate({ ...request, signal: left.signal }, (piece) => {
      pieces.push(piece);
      wake();
    }).finally(() => {
      ended = true;
      left.forget();
      wake();
    });
    // A caller who only iterates sees the failure there and need not await `result` as well.
    result.catch(() => undefined);
    async function* read(): AsyncGenerator<string, void> {
      try {
        for (;;) {
          for (const piece of pieces.splice(0)) yield piece;
          if (ended && pieces.length === 0) break;
          if (!ended && pieces.length === 0) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
        await result;
      } finally {
        left.abort(new ModelError("CLOSED", "streamText: the reader stopped before the end of the stream"));
      }
    }
    return { result, [Symbol.asyncIterator]: read };
  }

  #promptIds(request: TextRequest): number[] {
    const { tokenizer, template } = this.#options;
    if (request.prompt !== undefined)
      return [...(tokenizer.beginTokenIds ?? []), ...tokenizer.encode(request.prompt)];
    if (template !== undefined) return template.encode(request.messages, request);
    throw new ModelError(
      "TEMPLATE_MISSING",
      "messages: the model has no chat template; give `prompt` instead, or create the text model with a `template`",
    );
  }

  /**
   * Returns the limit of the answer in tokens. A prompt that leaves no room still requests one token, so that the
   * sampler's error says what is too long.
   */
  #room(wanted: number | undefined, promptTokens: number): number {
    const { maxTokens = 512, maxLength = Number.POSITIVE_INFINITY } = this.#options;
    return Math.min(wanted ?? maxTokens, Math.max(1, maxLength - promptTokens));
  }

  async #generate(request: TextRequest, write: (piece: string) => void): Promise<GeneratedText> {
    const { sampler, tokenizer } = this.#options;
    request.signal?.throwIfAborted();
    const promptTokenIds = this.#promptIds(request);
    const stream = new TextStream(tokenizer);
    const stopText = new StopText(request.stop ?? []);
    const seen: number[] = [];
    let text = "";
    const put = (piece: string) => {
      text += piece;
      if (piece !== "") write(piece);
    };
    const take = (tokenIds: readonly number[]) => {
      seen.push(...tokenIds);
      put(stopText.push(stream.push(tokenIds.filter((id) => !tokenizer.isSpecial(id)))));
    };
    const sampled = await sampler.generate(
      {
        ...chosenSettings(request),
        promptTokenIds,
        maxTokens: this.#room(request.maxTokens, promptTokenIds.length),
        temperature: request.temperature ?? 1,
        stopTokenIds: this.#stopTokenIds,
        seed: request.seed ?? randomInt(2 ** 31),
        onTokens: take,
      },
      request.signal,
    );
    if (sampled.stopReason === "abort") {
      throw new ModelError(
        "CLOSED",
        "the sampler ended the generation before it was complete; repeat the request",
      );
    }
    // A sampler that does not stream has reported nothing yet; one that does has reported all of these.
    take(sampled.tokenIds.slice(seen.length));
    put(stopText.push(stream.end()));
    put(stopText.end());
    return {
      text,
      tokenIds: sampled.tokenIds,
      rolloutLogprobs: sampled.rolloutLogprobs,
      stopReason: stopText.reached === undefined ? sampled.stopReason : "stop",
      usage: { promptTokens: promptTokenIds.length, sampledTokens: sampled.tokenIds.length },
      policyVersion: sampled.policyVersion,
      weightsHash: sampled.weightsHash,
    };
  }
}

/** Returns only the settings that the caller chose, because a sampler that lacks a setting must not receive it. */
function chosenSettings({ topP, topK, minP, stop }: TextRequest): Partial<TokenRequest> {
  return {
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(minP === undefined ? {} : { minP }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
  };
}

import { z } from "zod";
import { ChatReply, type EndpointText } from "./chat-reply.js";
import { type EngineConfigInput, engineConfigSchema, parseConfig } from "./config.js";
import { EngineError } from "./error.js";
import { HttpClient, type PostOptions, type Retry, type RetryClock } from "./http-client.js";
import { TextQueue } from "./text-queue.js";

export interface EndpointMessage {
  readonly role: string;
  readonly content: string | null;
}

export interface EndpointSettings {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  /** Not part of OpenAI's protocol. vLLM, SGLang and llama.cpp accept it, as they do minP. */
  readonly topK?: number;
  readonly minP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly signal?: AbortSignal;
  /** The value of the session headers. */
  readonly session?: string;
  /** Called before every retry. */
  readonly onRetry?: (retry: Retry) => void;
  /** Further fields of the request's body, such as chat_template_kwargs. They replace none of the others. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** A conversation, for the server's chat template, or a text to continue. */
export type EndpointRequest = EndpointSettings &
  (
    | { readonly messages: readonly EndpointMessage[]; readonly prompt?: never }
    | { readonly prompt: string; readonly messages?: never }
  );

/** An answer that is being written: iterate it once for the pieces of text, and await `result` for the whole. */
export interface EndpointGeneration extends AsyncIterable<string> {
  readonly result: Promise<EndpointText>;
}

const modelsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: z.int().positive().nullish(),
      meta: z.object({ n_ctx: z.int().positive().nullish() }).nullish().catch(undefined),
    }),
  ),
});

/** A model in the server's list. */
export interface ServedModel {
  readonly name: string;
  /** Maximum tokens of prompt and answer together, which vLLM, SGLang and llama.cpp report. */
  readonly contextTokens?: number;
}

/**
 * Any server that speaks OpenAI's protocol, with text in and text out. It returns no token ids and no log-probs, so it
 * serves answers, evaluation and chat, and not training.
 */
export class ChatEndpoint {
  readonly #client: HttpClient;
  #model: string | undefined;
  /** OpenAI's newer models refuse the older name. */
  #limitField: "max_tokens" | "max_completion_tokens" = "max_tokens";

  /**
   * @param clock a clock for tests
   * @throws {EngineError} CONFIG_INVALID
   */
  constructor(config: EngineConfigInput, clock?: RetryClock) {
    const parsed = parseConfig(engineConfigSchema, config);
    this.#model = parsed.model;
    this.#client = new HttpClient(parsed, clock);
  }

  /** Returns the names of the models that the server serves. */
  async models(signal?: AbortSignal): Promise<string[]> {
    return (await this.#served(signal)).map(({ name }) => name);
  }

  /**
   * Returns the model that answers: the configured one, else the first in the server's list.
   * @throws {EngineError} CONFIG_INVALID when no name is configured and the list is empty
   */
  async model(options: Pick<PostOptions, "signal" | "onRetry"> = {}): Promise<ServedModel> {
    if (this.#model === undefined) {
      const [first] = await this.#served(options.signal, options.onRetry).catch(nameIt);
      if (first === undefined) {
        throw new EngineError(
          "CONFIG_INVALID",
          "model: is not set, and the server's list at /v1/models is empty; set model to the name under which the server serves it",
        );
      }
      this.#model = first.name;
      return first;
    }
    const name = this.#model;
    const served = await this.#served(options.signal, options.onRetry).catch((reason: unknown) => {
      // Servers without a list, or whose list fails, still answer for the models that they know.
      if (isWithoutList(reason)) return [];
      throw reason;
    });
    return served.find((model) => model.name === name) ?? { name };
  }

  /**
   * @throws {EngineError} any code but NOT_TRAINABLE and UNSUPPORTED
   * @throws the signal's reason when aborted
   */
  async generateText(request: EndpointRequest): Promise<EndpointText> {
    return await this.#withLimitField(async () => {
      const { path, body } = await this.#ask(request, false);
      return await this.#client.ask(path, body, request, (value) => {
        const reply = new ChatReply(path, request.stop);
        reply.take(value);
        return reply.whole(true);
      });
    });
  }

  /** Starts at once. Ending the iteration early ends the request. */
  streamText(request: EndpointRequest): EndpointGeneration {
    const queue = new TextQueue<EndpointText>(request.signal);
    queue.run((signal, write) =>
      this.#withLimitField(async () => {
        const { path, body } = await this.#ask({ ...request, signal }, true);
        return await this.#client.stream(path, body, { ...request, signal }, () => {
          const reply = new ChatReply(path, request.stop, write);
          return {
            take: (event) => {
              reply.take(event);
              return reply.written;
            },
            done: (complete) => reply.whole(complete),
          };
        });
      }),
    );
    return queue;
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async #ask(request: EndpointRequest, stream: boolean): Promise<{ path: string; body: object }> {
    const { messages, prompt, maxTokens, temperature, topP, topK, minP, stop, seed } = request;
    const given = {
      ...request.extraBody,
      model: await this.#modelName(request),
      messages,
      prompt,
      [this.#limitField]: maxTokens,
      temperature,
      top_p: topP,
      top_k: topK,
      min_p: minP,
      stop: stop?.length === 0 ? undefined : stop,
      seed,
      stream,
      stream_options: stream ? { include_usage: true } : undefined,
    };
    return { path: messages === undefined ? "/v1/completions" : "/v1/chat/completions", body: given };
  }

  /** Retries with the field's other name when the server requires it, and uses that name from then on. */
  async #withLimitField<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (reason) {
      const wanted =
        reason instanceof EngineError &&
        reason.code === "REFUSED" &&
        reason.message.includes("max_completion_tokens");
      if (!wanted || this.#limitField === "max_completion_tokens") throw reason;
      this.#limitField = "max_completion_tokens";
      return await call();
    }
  }

  async #modelName({ signal, onRetry }: EndpointSettings): Promise<string> {
    return this.#model ?? (await this.model({ signal, onRetry })).name;
  }

  async #served(signal: AbortSignal | undefined, onRetry?: PostOptions["onRetry"]): Promise<ServedModel[]> {
    const reply = modelsSchema.safeParse(await this.#client.get("/v1/models", { signal, onRetry }));
    if (!reply.success)
      throw new EngineError(
        "BAD_REPLY",
        "/v1/models: the response is not a list of models; check that the URL is that of a model server",
      );
    return reply.data.data.map(({ id, max_model_len, meta }) => {
      const contextTokens = max_model_len ?? meta?.n_ctx;
      return { name: id, ...(contextTokens ? { contextTokens } : {}) };
    });
  }
}

/** Returns whether only the request for the list failed, which a server need not offer. */
function isWithoutList(reason: unknown): reason is EngineError {
  return reason instanceof EngineError && ["REFUSED", "BAD_REPLY", "SERVER_FAILED"].includes(reason.code);
}

function nameIt(reason: unknown): never {
  if (!isWithoutList(reason)) throw reason;
  throw new EngineError(
    reason.code,
    `${reason.message.replace(/^\[[A-Z_]+\] /, "")}; set model, and this list is not requested`,
    {
      cause: reason,
      retryable: false,
      ...(reason.status === undefined ? {} : { status: reason.status }),
    },
  );
}

import { z } from "zod";
import { ChatReply, type EndpointText } from "./chat-reply.js";
import { type EngineConfigInput, engineConfigSchema, parseConfig } from "./config.js";
import { EngineError, withMessage } from "./error.js";
import { HttpClient, type PostOptions, type Retry, type RetryClock } from "./http-client.js";
import { TextQueue } from "./text-queue.js";

/** A message of an OpenAI-compatible chat. */
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
  /** Fields of the request that are left out of it and all later ones where the server refuses them by name. */
  readonly mayLeaveOut?: readonly string[];
  /** Further fields of the request's body, such as chat_template_kwargs. They replace settings, and not the conversation. */
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

const length = z.int().positive().nullish().catch(undefined);
/** An entry without a name is no model. Ollama's and Gemini's own lists have `name` for `id`. */
const modelSchema = z
  .object({
    id: z.string().optional(),
    name: z.string().optional(),
    max_model_len: length,
    meta: z.object({ n_ctx: length }).nullish().catch(undefined),
  })
  .transform(({ id, name = "", max_model_len, meta }): ServedModel => {
    const contextTokens = max_model_len ?? meta?.n_ctx;
    return { name: id ?? name, ...(contextTokens ? { contextTokens } : {}) };
  });
const listSchema = z.array(modelSchema).transform((models) => models.filter(({ name }) => name !== ""));
/** Together sends the list without an object around it, and Ollama null for an empty one. */
const modelsSchema = z.union([
  listSchema,
  z.object({ data: listSchema.nullable() }).transform(({ data }) => data ?? []),
  z.object({ models: listSchema }).transform(({ models }) => models),
]);

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
  readonly #names: Readonly<Record<string, string>>;
  #model: string | undefined;
  /** OpenAI's newer models refuse the older name. */
  #limitField: "max_tokens" | "max_completion_tokens" = "max_tokens";
  /** The fields that the server has refused. */
  readonly #leftOut = new Set<string>();

  /**
   * @param clock a clock for tests
   * @throws {EngineError} CONFIG_INVALID
   */
  constructor(config: EngineConfigInput, clock?: RetryClock) {
    const parsed = parseConfig(engineConfigSchema, config);
    this.#model = parsed.model;
    this.#names = parsed.names;
    this.#client = new HttpClient(parsed, "api", clock);
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
      const [first] = await this.#served(options.signal, options.onRetry).catch((reason: unknown) =>
        nameIt(reason, this.#modelSetting),
      );
      if (first === undefined) {
        throw new EngineError(
          "CONFIG_INVALID",
          `model: is not set, and the server's list at ${this.shown("/models")} is empty; set ${this.#modelSetting} to the name under which the server serves it`,
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
    return await this.#withoutRefused(request, () => this.#generate(request));
  }

  /** Starts at once. Ending the iteration early ends the request. */
  streamText(request: EndpointRequest): EndpointGeneration {
    const queue = new TextQueue<EndpointText>(request.signal);
    queue.run((signal, write) =>
      this.#withoutRefused(request, () => this.#generate({ ...request, signal }, write)),
    );
    return queue;
  }

  /** Returns the whole address of an endpoint, for messages. */
  shown(path: string): string {
    return this.#client.shown(path);
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  /** The same as close(), for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What the caller calls the name of the model: a setting, or a flag with its value. */
  get #modelSetting(): string {
    const { model = "model" } = this.#names;
    return model.startsWith("--") ? `${model} NAME` : model;
  }

  /**
   * Requests every answer as a stream, because what stands between here and a slow model ends connections that are
   * silent for minutes. A server that cannot stream answers with the whole.
   */
  async #generate(request: EndpointRequest, write?: (piece: string) => void): Promise<EndpointText> {
    const { messages, prompt, maxTokens, temperature, topP, topK, minP, stop, seed } = request;
    const path = messages === undefined ? "/completions" : "/chat/completions";
    const given = {
      [this.#limitField]: maxTokens,
      temperature,
      top_p: topP,
      top_k: topK,
      min_p: minP,
      stop: stop?.length === 0 ? undefined : stop,
      seed,
      ...request.extraBody,
      model: await this.#modelName(request),
      messages,
      prompt,
      stream: true,
      stream_options: { include_usage: true },
    };
    const body = Object.fromEntries(Object.entries(given).filter(([name]) => !this.#leftOut.has(name)));
    return await this.#client.stream(path, body, request, () => {
      const reply = new ChatReply(this.shown(path), request.stop, write);
      return {
        take: (event) => {
          reply.take(event);
          return write !== undefined && reply.written;
        },
        finished: () => reply.finished,
        done: (complete) => reply.whole(complete),
      };
    });
  }

  /**
   * Repeats a request without the fields that the server refuses by name and that may be left out, and under the name that
   * it wants for the limit of tokens; from then on all requests are like that. Each is reported once, as a retry.
   */
  async #withoutRefused<T>(request: EndpointRequest, call: () => Promise<T>): Promise<T> {
    const optional = [...streamFields, ...(request.mayLeaveOut ?? [])];
    for (let attempt = 1; ; attempt++) {
      // Another request may learn of a refusal while this one is under way.
      const sent = { leftOut: new Set(this.#leftOut), limitField: this.#limitField };
      try {
        return await call();
      } catch (reason) {
        if (!(reason instanceof EngineError) || reason.code !== "REFUSED" || !isAboutFields(reason))
          throw reason;
        const said = reason.said ?? reason.message;
        const names = (field: string) => new RegExp(`(?<![\\w-])${field}(?![\\w-])`).test(said);
        if (sent.limitField === "max_tokens" && names("max_completion_tokens")) {
          this.#limitField = "max_completion_tokens";
          continue;
        }
        const refused = optional.filter((field) => !sent.leftOut.has(field) && names(field));
        if (refused.length === 0) {
          const kept = keptFields.filter((field) => names(field));
          const isBare = kept.length > 0 && reason.message.endsWith(said);
          const fix = /extra|unknown|unrecognized|forbidden/i.test(said)
            ? `leave out ${kept.map((field) => this.#names[field] ?? field).join(" and ")}`
            : `set ${kept.join(" and ")} to what this model takes`;
          throw isBare ? withMessage(reason, `${reason.rawMessage}; ${fix}`) : reason;
        }
        const news = refused.filter((field) => !this.#leftOut.has(field));
        for (const field of refused) this.#leftOut.add(field);
        // Nobody asked for the other fields.
        for (const field of news)
          if (field === "seed" || field === "temperature")
            request.onRetry?.({
              path: this.shown("/chat/completions"),
              attempt,
              reason,
              waitMs: 0,
              leftOut: field,
            });
      }
    }
  }

  async #modelName({ signal, onRetry }: EndpointSettings): Promise<string> {
    return this.#model ?? (await this.model({ signal, onRetry })).name;
  }

  async #served(signal: AbortSignal | undefined, onRetry?: PostOptions["onRetry"]): Promise<ServedModel[]> {
    const reply = modelsSchema.safeParse(await this.#client.get("/models", { signal, onRetry }));
    if (!reply.success)
      throw new EngineError(
        "BAD_REPLY",
        `${this.shown("/models")}: the response is not a list of models; check that the URL is that of a model server`,
      );
    return reply.data;
  }
}

/** Fields that only say how an answer is sent. */
const streamFields = ["stream_options", "stream"];
/** Fields that say how to sample, which are never left out in silence. */
const keptFields = ["temperature", "top_p", "top_k", "min_p", "max_tokens", "max_completion_tokens"];

/** Returns whether a refusal may be about the fields of a request, and not about its key, model or address. */
const isAboutFields = ({ status }: EngineError) =>
  status === undefined || [400, 403, 405, 415, 422, 501].includes(status);

/** Returns whether only the request for the list failed, which a server need not offer. */
function isWithoutList(reason: unknown): reason is EngineError {
  return reason instanceof EngineError && ["REFUSED", "BAD_REPLY", "SERVER_FAILED"].includes(reason.code);
}

function nameIt(reason: unknown, setting: string): never {
  if (!isWithoutList(reason)) throw reason;
  throw new EngineError(
    reason.code,
    `${reason.rawMessage}; set ${setting} to the name under which the server serves its model, and this list is not needed`,
    {
      cause: reason,
      retryable: false,
      ...(reason.status === undefined ? {} : { status: reason.status }),
    },
  );
}

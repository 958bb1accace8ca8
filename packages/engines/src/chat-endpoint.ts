import { StopText } from "@palimpsest/memory/text";
import { z } from "zod";
import { type EngineConfigInput, engineConfigSchema, parseConfig } from "./config.js";
import { EngineError } from "./error.js";
import { HttpClient, type PostOptions, type Retry, type RetryClock } from "./http-client.js";
import { failureInStream } from "./reply.js";
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

export interface EndpointText {
  readonly text: string;
  readonly stopReason: "stop" | "length";
  /** Token counts as the server reports them; undefined when it does not. */
  readonly usage: { readonly promptTokens: number | undefined; readonly sampledTokens: number | undefined };
}

/** An answer that is being written: iterate it once for the pieces of text, and await `result` for the whole. */
export interface EndpointGeneration extends AsyncIterable<string> {
  readonly result: Promise<EndpointText>;
}

const chunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).nullish(),
        message: z.object({ content: z.string().nullish() }).nullish(),
        text: z.string().nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z.object({ prompt_tokens: z.int().nullish(), completion_tokens: z.int().nullish() }).nullish(),
});

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
        const reader = read(path, request.stop);
        reader.take(value);
        return reader.whole();
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
          const reader = read(path, request.stop, write);
          return {
            take: (event) => {
              reader.take(event);
              return reader.written;
            },
            done: () => reader.whole(),
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

/** Assembles an answer from its events, or from its single value, and ends it at a stop text itself. */
function read(path: string, stops: readonly string[] = [], write: (piece: string) => void = () => undefined) {
  const stop = new StopText(stops);
  let text = "";
  let finish: string | undefined;
  let usage: EndpointText["usage"] = { promptTokens: undefined, sampledTokens: undefined };
  const add = (piece: string) => {
    text += piece;
    if (piece !== "") write(piece);
  };
  return {
    /** Whether a part of the answer has been passed to the caller. */
    get written() {
      return text !== "";
    },
    take(value: unknown): void {
      const failure = failureInStream(path, value);
      if (failure !== undefined) throw failure;
      const parsed = chunkSchema.safeParse(value);
      if (!parsed.success) throw new EngineError("BAD_REPLY", `${path}: ${z.prettifyError(parsed.error)}`);
      const { choices, usage: counted } = parsed.data;
      if (counted !== undefined && counted !== null) {
        usage = {
          promptTokens: counted.prompt_tokens ?? undefined,
          sampledTokens: counted.completion_tokens ?? undefined,
        };
      }
      const [choice] = choices;
      finish = choice?.finish_reason ?? finish;
      add(stop.push(choice?.delta?.content ?? choice?.message?.content ?? choice?.text ?? ""));
    },
    whole(): EndpointText {
      if (finish === undefined) {
        throw new EngineError(
          "UNREACHABLE",
          `${path}: the response ended before the completion was finished; repeat the request`,
        );
      }
      add(stop.end());
      return { text, stopReason: finish === "length" && !stop.reached ? "length" : "stop", usage };
    },
  };
}

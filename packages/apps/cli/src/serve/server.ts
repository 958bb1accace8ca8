/**
 * Responsibility: serves one model with OpenAI's API: connections, routes, admission, deadlines and shutdown.
 * Not responsible for: the meaning of a request (chat-answer.ts, completion-answer.ts), or sampling (model/sampler).
 *
 * Invariants:
 * - APISERVER-1. Nothing is revealed, read or sampled for a request before the guard has admitted it.
 * - APISERVER-2. A request whose client has disconnected, or whose deadline has passed, is removed from the sampler
 *   before its next token.
 * - APISERVER-3. At most maxBatch + maxWaiting choices are in the sampler. A request beyond that is answered 429 and has
 *   no effect.
 * - APISERVER-4. A server that is stopping accepts no requests, gives running ones graceMs, and then ends the rest with
 *   an error response.
 * - APISERVER-5. A finished answer that is not read is kept for unreadMs, and a running one up to 8 MiB; beyond that the
 *   connection is closed.
 */

import { once, setMaxListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { joinSignals } from "@palimpsest/std";
import { type Logger, type Metrics, openListener, type WebListener } from "@palimpsest/telemetry";
import { formatAddress } from "@palimpsest/wire";
import { Admission } from "./admission.js";
import type { Asked } from "./answer.js";
import { answerStream, answerWhole, sendJson } from "./answering.js";
import { ApiError } from "./api-error.js";
import { askChat } from "./chat-answer.js";
import { askCompletion } from "./completion-answer.js";
import { answerCrossOrigin } from "./cross-origin.js";
import { type RequestBody, readJson } from "./request-body.js";
import { RequestMeter } from "./serve-metrics.js";
import type { ServedModel } from "./served-model.js";
import type { ServeSettings } from "./settings.js";
import { answerWeightLoading, isWeightLoading } from "./weight-loading.js";

export interface ModelServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly settings: ServeSettings;
  /** Throws for a request that is not admitted. */
  readonly guard: (request: IncomingMessage) => void;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** Folder from which other weights may be loaded. Without it the weights cannot be changed. */
  readonly weightsFrom?: string | undefined;
  /** Origins of pages that may read answers in a browser. Default: none. */
  readonly origins?: readonly string[];
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const bounds = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  /** Milliseconds between Node's checks for connections past their timeout. Its default, 30 s, is thrice that timeout. */
  connectionsCheckingInterval: 2_000,
};
const maxConnections = 1024;

type Ask = (model: ServedModel, body: RequestBody, mostChoices: number) => Asked;
const asks: Readonly<Record<string, Ask>> = {
  "/v1/chat/completions": askChat,
  "/v1/completions": askCompletion,
};

export class ModelServer {
  readonly #model: ServedModel;
  readonly #options: ModelServerOptions;
  #web: WebListener | undefined;
  readonly #admission: Admission;
  readonly #stop = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(model: ServedModel, options: ModelServerOptions) {
    this.#model = model;
    this.#options = options;
    setMaxListeners(0, this.#stop.signal);
    const { settings, metrics } = options;
    const open = metrics.gauge("palimpsest_serve_open_choices");
    this.#admission = new Admission(settings.maxBatch + settings.maxWaiting, (count) => open.set(count));
  }

  /** @throws the listen error, such as EADDRINUSE */
  static async start(model: ServedModel, options: ModelServerOptions): Promise<ModelServer> {
    const server = new ModelServer(model, options);
    const { host, port, tls } = options;
    server.#web = await openListener((request, response) => void server.#serve(request, response), {
      host,
      port,
      bounds,
      connections: maxConnections,
      tls: tls && { ...tls, handshakeTimeout: bounds.headersTimeout },
    });
    return server;
  }

  /** The base URL for clients, without /v1. */
  get url(): string {
    const { host, tls } = this.#options;
    return `${tls ? "https" : "http"}://${formatAddress(host, this.#web?.port ?? 0)}`;
  }

  /** Uses a renewed certificate for new connections. */
  replaceTls(tls: { readonly cert: Buffer; readonly key: Buffer }): void {
    this.#web?.replaceTls(tls);
  }

  /** Shuts down as in APISERVER-4, but leaves the model open. A second close waits for the first. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const server = this.#web?.server;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    server.closeIdleConnections();
    const late = setTimeout(
      () => this.#stop.abort(new ApiError("stopping", "the server has stopped before the answer was done")),
      this.#options.settings.graceMs,
    );
    await this.#admission.drain();
    clearTimeout(late);
    server.closeIdleConnections();
    // Connections without a running request are closed after this time, because nothing waits for them.
    const idle = setTimeout(() => server.closeAllConnections(), bounds.headersTimeout);
    await closed;
    clearTimeout(idle);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (answerCrossOrigin(this.#options.origins ?? [], request, response)) return;
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const ask = asks[path];
    const meter = new RequestMeter(this.#options.metrics, ask === undefined ? "other" : path);
    let failure: unknown;
    try {
      this.#options.guard(request);
      const { weightsFrom, settings } = this.#options;
      if (weightsFrom !== undefined && isWeightLoading(path)) {
        const { maxBodyBytes } = settings;
        const loading = { model: this.#model, within: weightsFrom, maxBodyBytes };
        await answerWeightLoading(path, request, response, loading);
      } else if (ask === undefined) await this.#tell(path, request, response);
      else await this.#answer(ask, request, response, meter);
    } catch (reason) {
      failure = reason;
      if (!response.headersSent && !response.destroyed) refuse(request, response, ApiError.from(reason));
    }
    // The connection is closed, because an open one would delay the end of a server that is stopping.
    if (this.#admission.stopping) endWith(request, response);
    const left = response.destroyed && !response.writableFinished;
    const status =
      failure === undefined || !response.headersSent ? response.statusCode : ApiError.from(failure).status;
    meter.done(left ? "left" : status);
    this.#log({ path, status: left ? "left" : status, seconds: meter.seconds }, failure);
  }

  /** Answers the requests that sample nothing: models, health and metrics. */
  async #tell(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics } = this.#options;
    const card = this.#card();
    const page = pages.find((known) => known === path);
    const name = path.startsWith("/v1/models/") ? decoded(path.slice("/v1/models/".length)) : undefined;
    if (page === undefined && name === undefined) {
      const message = `${path}: is not served; see /v1/models, /v1/chat/completions, /v1/completions, /health and /metrics`;
      throw new ApiError("unknown_url", message);
    }
    if (request.method !== "GET" && request.method !== "HEAD") throw wrongMethod(path, request, "GET");
    if (name !== undefined) {
      if (name !== this.#model.name) throw unknownModel(name, this.#model.name);
      sendJson(response, 200, card);
    } else if (page === "/v1/models") sendJson(response, 200, { object: "list", data: [card] });
    else if (page === "/metrics") {
      const text = await metrics.registry.metrics();
      response.writeHead(200, { "content-type": metrics.registry.contentType });
      response.end(text);
    } else if (this.#admission.stopping) sendJson(response, 503, { status: "stopping" });
    else sendJson(response, 200, { status: "ok" });
  }

  #card(): object {
    const { name, createdAtMs, maxLength, fingerprint } = this.#model;
    return {
      id: name,
      object: "model",
      created: Math.floor(createdAtMs / 1000),
      owned_by: "palimpsest",
      max_model_len: maxLength,
      system_fingerprint: fingerprint,
    };
  }

  async #answer(
    ask: Ask,
    request: IncomingMessage,
    response: ServerResponse,
    meter: RequestMeter,
  ): Promise<void> {
    const { settings } = this.#options;
    if (request.method !== "POST") throw wrongMethod(request.url ?? "", request, "POST");
    const body = await readJson(request, settings.maxBodyBytes);
    const named = (body.json as { readonly model?: unknown } | null)?.model ?? this.#model.name;
    if (named !== this.#model.name) throw unknownModel(named, this.#model.name);
    // The bound of the choices includes the queue's, because a request that can never fit would be retried forever.
    const asked = ask(
      this.#model,
      body,
      Math.min(settings.maxChoices, settings.maxBatch + settings.maxWaiting),
    );
    const ended = joinSignals(this.#stop.signal);
    const deadline = setTimeout(() => {
      const message = `the answer took longer than ${settings.deadlineMs} ms; ask for fewer tokens`;
      ended.abort(new ApiError("deadline_exceeded", message));
    }, settings.deadlineMs);
    const onLeft = () => {
      ended.abort(new Error("the client has left"));
      response.destroy();
    };
    response.once("close", onLeft);
    // An answer that is queued behind another one on its connection has no socket yet, and would not notice its close.
    request.socket.once("close", onLeft);
    const { signal } = ended;
    try {
      const answering = { model: this.#model, response, signal, onFirstToken: () => meter.firstToken() };
      await this.#admission.run(asked.choices.length, () =>
        asked.stream ? answerStream(asked, answering) : answerWhole(asked, answering),
      );
    } finally {
      response.off("close", onLeft);
      request.socket.off("close", onLeft);
      clearTimeout(deadline);
      ended.forget();
      if (response.writableEnded && !response.writableFinished && !response.destroyed) {
        const unread = setTimeout(() => request.socket.destroy(), settings.unreadMs);
        response.once("close", () => clearTimeout(unread));
      }
    }
  }

  /** Logs the end of a request, but never the content of requests or answers. */
  #log(
    fields: { readonly path: string; readonly status: number | "left"; readonly seconds: number },
    failure: unknown,
  ): void {
    const { logger } = this.#options;
    const code = failure === undefined ? undefined : ApiError.from(failure).code;
    if (code === undefined || fields.status === "left") logger.info(fields, "request done");
    else if (code === "model_failed") logger.error({ ...fields, err: failure }, "request failed");
    else logger.info({ ...fields, code }, "request refused");
  }
}

/** Closes the connection after the answer was sent. */
function endWith({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.writableFinished) socket.destroySoon();
  else response.once("finish", () => socket.destroySoon());
}

/** Decodes a model's name. An invalid percent-encoding is left unchanged, because it names no model. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const pages = ["/v1/models", "/health", "/healthz", "/metrics"] as const;

function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  // The connection is closed, because the rest of an unread body would be parsed as the next request.
  const close = request.complete ? {} : { connection: "close" };
  sendJson(response, error.status, error.toJSON(), { ...error.headers, ...close });
}

function wrongMethod(path: string, request: IncomingMessage, wanted: string): ApiError {
  return new ApiError("method_not_allowed", `${path}: method ${request.method} is not served; use ${wanted}`);
}

function unknownModel(named: unknown, served: string): ApiError {
  const message = `model: is ${JSON.stringify(named)}, and this server has only ${JSON.stringify(served)}; request that, or leave it out`;
  return new ApiError("model_not_found", message, { param: "model" });
}

import { backoffMs, delay, Semaphore, withDeadline } from "@palimpsest/std";
import { Agent, type Dispatcher, fetch, type Response } from "undici";
import type { EngineConfig } from "./config.js";
import { connectionFailure, isClosed } from "./connection-failure.js";
import { environmentAgent, environmentProxy } from "./environment-proxies.js";
import { EngineError, withMessage } from "./error.js";
import { bytesOf, contentTypeOf, failureOf, judgeStatus, readText } from "./reply.js";
import { ServerAddress } from "./server-address.js";
import { readEvents } from "./server-sent-events.js";

/*
 * Responsibility: sends requests to one server: bounded in number, retried where that helps, and with a deadline.
 * Not responsible for: what the requests say and what the answers mean.
 * - HTTPCLIENT-1. 408, 429, 5xx and cut connections are retried up to maxAttempts, after a random wait below backoffMs · 2^n, or
 *   as long as the server's Retry-After asks, unless that exceeds timeoutMs. Malformed answers are retried up to
 *   malformedAttempts. Other refusals, certificates that are not trusted and names that do not exist are not retried.
 * - HTTPCLIENT-2. An answer of which a part was passed on is never requested again, so that nobody reads the same token twice.
 * - HTTPCLIENT-3. After an abort no further attempt begins, and the signal's reason is thrown.
 * - HTTPCLIENT-4. The API key is in the headers of requests and nowhere else: not in errors, and not in what is logged.
 * - HTTPCLIENT-5. Servers of text and MLflow are reached through the proxies of HTTP_PROXY, HTTPS_PROXY and NO_PROXY; the engines
 *   of a run and its reward service are reached directly.
 * - HTTPCLIENT-6. A connection that was kept open and is closed without a byte of the reply counts as closed before the
 *   request came. The request is repeated once on a new connection, which is no attempt of its own and not told.
 */

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  /** The value of the session headers. */
  readonly session?: string | undefined;
  /** True when the request is part of a call of `alone`, which already has its turn. */
  readonly inTurn?: boolean;
  /** The deadline of this request and of each attempt, in place of the settings' own, and the name of its setting. */
  readonly deadline?: { readonly ms: number; readonly name: string };
  /** Called before every retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A failed attempt that will be retried. */
export interface Retry {
  /** The address that was asked. */
  readonly path: string;
  /** Which attempt failed, counted from 1. */
  readonly attempt: number;
  readonly reason: EngineError;
  /** How long the next attempt waits. */
  readonly waitMs: number;
  /** The field that the server refused; later requests are sent without it. */
  readonly leftOut?: string;
}

/** What waiting between attempts needs. Tests supply their own. */
export interface RetryClock {
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

const realClock: RetryClock = {
  wait: async (ms, signal) => {
    await delay(ms, signal);
    signal.throwIfAborted();
  },
  random: Math.random,
};

/** A server that speaks another protocol than those of models. */
export interface PlainServer {
  readonly usesProxies: boolean;
  /** Default: that of a model's reply. */
  readonly maxReplyBytes?: number;
}

/** Asks one server: a model's, or another with JSON. */
export class HttpClient {
  readonly #config: Omit<EngineConfig, "apiKey">;
  readonly #apiKey: string | undefined;
  /** A call that runs alone takes all places. */
  readonly #places: Semaphore;
  readonly #clock: RetryClock;
  readonly #closing = new AbortController();
  readonly #address: ServerAddress;
  readonly #dispatcher: Dispatcher;
  /** Whether a reply has begun, so that connections may have been kept. */
  #answered = false;
  readonly #usesProxies: boolean;
  readonly #plain: PlainServer | undefined;

  /**
   * @param base api: paths are those of OpenAI's protocol below its base, such as /chat/completions, and the
   *   environment's proxies are used; root: they are the server's own, from its root; a plain server has whole paths
   */
  constructor(
    { apiKey, ...config }: EngineConfig,
    base: "api" | "root" | PlainServer,
    clock: RetryClock = realClock,
  ) {
    this.#config = config;
    this.#apiKey = apiKey;
    this.#clock = clock;
    this.#plain = typeof base === "object" ? base : undefined;
    this.#address = new ServerAddress(config.url, typeof base === "object" ? "origin" : base);
    this.#usesProxies = this.#plain?.usesProxies ?? base === "api";
    this.#dispatcher = this.#newDispatcher();
    this.#places = new Semaphore({ most: config.maxConcurrency, maxWaiting: config.maxQueue, full });
  }

  #newDispatcher(): Dispatcher {
    // Deadlines are this client's own, since a slow model may be silent for longer than the library would wait.
    const patient = { headersTimeout: 0, bodyTimeout: 0 };
    return this.#usesProxies ? environmentAgent(this.#address.origin, patient) : new Agent(patient);
  }

  /** Returns the whole address of an endpoint, for messages. */
  shown(path: string): string {
    return this.#scrub(this.#address.shown(path));
  }

  /** Posts a body and returns one JSON value; `undefined` for an answer without a body. */
  async post(path: string, body: unknown, options: PostOptions = {}): Promise<unknown> {
    return await this.ask(path, body, options, (value) => value);
  }

  /**
   * @param read interprets the JSON value; when it throws a retryable error, the attempt has failed (HTTPCLIENT-1)
   */
  async ask<T>(path: string, body: unknown, options: PostOptions, read: (value: unknown) => T): Promise<T> {
    return await this.#request("POST", path, body, options, async (response) =>
      read(await this.#json(path, response)),
    );
  }

  async get(path: string, options: PostOptions = {}): Promise<unknown> {
    return await this.#request("GET", path, undefined, options, (response) => this.#json(path, response));
  }

  async #json(path: string, response: Response): Promise<unknown> {
    const address = this.shown(path);
    return parseJson(address, response, await readText(address, response, this.#plain?.maxReplyBytes));
  }

  /** Posts a body and returns the answer as text, whatever its content type. */
  async postForText(path: string, body: unknown, options: PostOptions = {}): Promise<string> {
    return await this.#request("POST", path, body, options, (response) =>
      readText(this.shown(path), response),
    );
  }

  /** Returns the answer as text, whatever its content type. */
  async text(path: string, options: PostOptions = {}): Promise<string> {
    return await this.#request("GET", path, undefined, options, (response) =>
      readText(this.shown(path), response),
    );
  }

  /**
   * Reads the data of server-sent events, one by one, and returns what `done` says after the last.
   * @param start begins an attempt. `take` returns true when it passed something to the caller; from then on there is no
   *   retry (HTTPCLIENT-2). `done` is told whether the server marked the end. Where the answer is `finished`, a connection
   *   that breaks before its end takes nothing away
   */
  async stream<T>(
    path: string,
    body: unknown,
    options: PostOptions,
    start: () => { take(event: unknown): boolean; finished?(): boolean; done(complete: boolean): T },
  ): Promise<T> {
    return await this.#request("POST", path, body, options, async (response, attempt) => {
      const address = this.shown(path);
      const { take, finished, done } = start();
      // A server that cannot stream answers with the whole, and some send events under another content type.
      const text =
        contentTypeOf(response) === "text/event-stream" ? undefined : await readText(address, response);
      if (text?.trim() === "")
        throw new EngineError(
          "BAD_REPLY",
          `${address}: answered with status ${response.status} and no body; repeat the request, or look into the server's log`,
        );
      if (text !== undefined && !/^(data|event|id|retry|error)?:/.test(text.trimStart())) {
        const values = isLines(text) ? valuesOf(address, text) : [parseJson(address, response, text)];
        for (const value of values) take(value);
        return done(values.length === 1);
      }
      const bytes = text === undefined ? bytesOf(address, response) : [new TextEncoder().encode(text)];
      let complete = false;
      try {
        for await (const data of readEvents(address, bytes)) {
          for (const value of valuesOf(address, data)) {
            if (value === theEnd) complete = true;
            else if (take(value)) attempt.handedOn = true;
          }
        }
      } catch (reason) {
        // A broken connection is a TypeError of the library; an abort is not.
        if (!(reason instanceof TypeError) || finished?.() !== true) throw reason;
      }
      return done(complete);
    });
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineError("CLOSED", "the engine was closed"));
    await this.#places.close(closed);
    await this.#dispatcher.destroy();
  }

  /** Runs several requests with no other request between them. */
  async alone<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await this.#places.run(call, { amount: Number.POSITIVE_INFINITY, signal });
  }

  async #request<T>(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    options: PostOptions,
    read: (response: Response, attempt: { handedOn: boolean }) => Promise<T>,
  ): Promise<T> {
    const { ms: timeoutMs, name: setting } = options.deadline ?? {
      ms: this.#config.timeoutMs,
      name: "timeoutMs",
    };
    const late = () => this.#late("no response", setting, timeoutMs, path);
    const call = async () =>
      await withDeadline(
        { timeoutMs, signals: [options.signal, this.#closing.signal], late },
        async (signal) => {
          const startedAtMs = performance.now();
          let malformed = 0;
          for (let attempt = 1; ; attempt++) {
            const state = { handedOn: false };
            try {
              return await this.#attempt(method, path, body, options, signal, (response) =>
                read(response, state),
              );
            } catch (reason) {
              signal.throwIfAborted();
              const error = this.#asEngineError(path, reason);
              const inVain = performance.now() - startedAtMs + (error.retryAfterMs ?? 0) >= timeoutMs;
              if (error.code === "BAD_REPLY") malformed += 1;
              if (!this.#mayTryAgain(error, attempt, malformed) || state.handedOn || inVain) {
                throw this.#lastWord(error, attempt, state.handedOn);
              }
              const waitMs = this.#waitMs(attempt, error.retryAfterMs);
              options.onRetry?.({ path: this.shown(path), attempt, reason: error, waitMs });
              await this.#backOff(waitMs, signal);
            }
          }
        },
      );
    return options.inTurn === true ? await call() : await this.#places.run(call, { signal: options.signal });
  }

  async #attempt<T>(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    { session, deadline }: PostOptions,
    signal: AbortSignal,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { headers, sessionHeaders } = this.#config;
    const { ms: attemptTimeoutMs, name: setting } = deadline ?? {
      ms: this.#config.attemptTimeoutMs,
      name: "attemptTimeoutMs",
    };
    const late = () => this.#late("no complete response", setting, attemptTimeoutMs, path);
    return await withDeadline(
      { timeoutMs: attemptTimeoutMs, signals: [signal], late },
      async (attemptSignal) => {
        const ask = async (dispatcher: Dispatcher): Promise<T> => {
          let begun = false;
          try {
            const response = await fetch(this.#address.at(path), {
              method,
              dispatcher,
              // Following a redirect would send prompts to a server that nobody named.
              redirect: "manual",
              headers: {
                ...(body === undefined ? {} : { "content-type": "application/json" }),
                ...headers,
                ...(this.#apiKey === undefined ? {} : this.#authorization(this.#apiKey)),
                ...(session === undefined
                  ? {}
                  : Object.fromEntries(sessionHeaders.map((name) => [name, session]))),
              },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
              signal: attemptSignal,
            });
            begun = true;
            this.#answered = true;
            if (!response.ok)
              throw await failureOf(
                this.shown(path),
                response,
                (text) => this.#scrub(text),
                this.#name("apiKey"),
                this.#plain && judgeStatus,
              );
            return await read(response);
          } catch (reason) {
            // fetch does not say which of the two signals ended it.
            if (attemptSignal.aborted) throw attemptSignal.reason;
            if (begun && !(reason instanceof EngineError)) throw this.#unreached(path, reason, begun);
            if (begun || dispatcher !== this.#dispatcher || !(this.#answered && isClosed(reason)))
              throw reason;
            const fresh = this.#newDispatcher();
            try {
              return await ask(fresh);
            } finally {
              await fresh.destroy();
            }
          }
        };
        return await ask(this.#dispatcher);
      },
    );
  }

  /** Returns whether the error may be retried (HTTPCLIENT-1). */
  #mayTryAgain({ code, retryable }: EngineError, attempt: number, malformed: number): boolean {
    const { maxAttempts, malformedAttempts } = this.#config;
    return retryable && attempt < maxAttempts && (code !== "BAD_REPLY" || malformed < malformedAttempts);
  }

  /** Returns a random part of a delay that doubles (HTTPCLIENT-1), so that requests that failed together do not return together. */
  #waitMs(attempt: number, retryAfterMs = 0): number {
    const { backoffMs: firstMs, maxBackoffMs: longestMs } = this.#config;
    const longest = backoffMs({ firstMs, longestMs }, attempt);
    return Math.max(retryAfterMs, Math.ceil(longest * this.#clock.random()));
  }

  async #backOff(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.wait(ms, signal);
    } catch (reason) {
      signal.throwIfAborted();
      throw reason;
    }
  }

  #asEngineError(path: string, reason: unknown): EngineError {
    if (!(reason instanceof EngineError)) return this.#unreached(path, reason, false);
    const message = this.#scrub(reason.rawMessage);
    return message === reason.rawMessage ? reason : withMessage(reason, message);
  }

  /** @param begun whether a part of the reply had come */
  #unreached(path: string, reason: unknown, begun: boolean): EngineError {
    const failure = connectionFailure(reason, this.#address.hostname, this.#proxy(), begun);
    const { why, fix, retryable, code = "UNREACHABLE" } = failure;
    return new EngineError(code, `${this.shown(path)}: ${this.#scrub(why)}; ${fix}`, {
      cause: reason,
      retryable,
    });
  }

  #late(what: string, setting: string, ms: number, path: string): EngineError {
    const name = this.#name(setting);
    const given = name.startsWith("--") ? `${name} ${ms / 1000}` : `${name} ${ms}`;
    return new EngineError(
      "TIMEOUT",
      `${this.shown(path)}: ${what} within ${given}; raise ${name} if the server needs longer`,
    );
  }

  /** Returns what the caller calls a setting. */
  #name(setting: string): string {
    return this.#config.names[setting] ?? setting;
  }

  /** Azure's older endpoints take a key in a header of their own. */
  #authorization(key: string): Record<string, string> {
    const azure = this.#address.hostname.endsWith(".azure.com");
    return { authorization: `Bearer ${key}`, ...(azure ? { "api-key": key } : {}) };
  }

  /** Returns the proxy that the environment names for this server, without its password; undefined if there is none. */
  #proxy(): string | undefined {
    const given = this.#usesProxies ? environmentProxy(this.#address.origin) : undefined;
    return given?.replace(/\/\/[^@/]*@/, "//");
  }

  #lastWord(error: EngineError, attempts: number, handedOn: boolean): EngineError {
    const { timeoutMs } = this.#config;
    const note = handedOn
      ? " (a part of the answer was passed on, so it was not requested again)"
      : error.retryable && (error.retryAfterMs ?? 0) >= timeoutMs
        ? `; it asks to wait ${Math.ceil((error.retryAfterMs ?? 0) / 1000)} s, and ${this.#name("timeoutMs")} ends the request before: repeat it then`
        : attempts > 1
          ? ` (the last of ${attempts} attempts)`
          : "";
    if (note === "") return error;
    return withMessage(error, `${error.rawMessage}${note}`);
  }

  /** Removes keys (HTTPCLIENT-4), because some servers repeat the key that they refuse. */
  #scrub(text: string): string {
    const named = Object.entries(this.#config.headers).filter(([name]) =>
      /auth|key|token|cookie/i.test(name),
    );
    const secrets = [this.#apiKey, ...named.map(([, value]) => value), ...this.#address.secrets];
    return secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, "***") : rest), text);
  }
}

/** Parses a body that should be JSON. Its content type does not count, because proxies and servers get it wrong. */
function parseJson(address: string, response: Response, text: string): unknown {
  if (text.trim() === "") return undefined;
  const type = contentTypeOf(response);
  if (type === "application/json" || type.endsWith("+json") || /^\s*[[{]/.test(text))
    return parseEvent(address, text);
  throw new EngineError(
    "BAD_REPLY",
    `${address}: answered with ${type || "no content type"} instead of JSON; check that this is the URL of the model's server`,
  );
}

/** What marks the end of a stream. */
const theEnd = "[DONE]";

/** Returns the values of an event: several where a server puts a single line end between events. */
function valuesOf(address: string, data: string): unknown[] {
  const lines = linesOf(data);
  return (isLines(data) ? lines : lines.length === 0 ? [] : [data]).map((text) =>
    text.trim() === theEnd ? theEnd : parseEvent(address, text),
  );
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** Returns whether a text is several values of JSON, each on a line. */
function isLines(text: string): boolean {
  const lines = linesOf(text);
  return lines.length > 1 && lines.every((line) => /^\s*([[{].*[\]}]|\[DONE\])\s*$/.test(line));
}

function parseEvent(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const excerpt = text.replace(/\s+/g, " ").trim().slice(0, 100);
    throw new EngineError("BAD_REPLY", `${path}: answered with JSON that does not parse: ${excerpt}`);
  }
}

const full = (waiting: number) =>
  new EngineError(
    "QUEUE_FULL",
    `${waiting} requests are already waiting; send fewer at once or raise maxQueue`,
  );
const closed = () => new EngineError("CLOSED", "the engine was closed; create another one");

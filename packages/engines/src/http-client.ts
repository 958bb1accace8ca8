import { setTimeout as wait } from "node:timers/promises";
import type { EngineConfig } from "./config.js";
import { withDeadline } from "./deadline.js";
import { EngineError } from "./error.js";
import { contentTypeOf, failureOf, readText } from "./reply.js";
import { readEvents } from "./server-sent-events.js";
import { Turnstile } from "./turnstile.js";

/*
 * Responsibility: sends requests to one server: bounded in number, retried where that helps, and with a deadline.
 * Not responsible for: what the requests say and what the answers mean.
 * - HTTPCLIENT-1. 408, 429, 5xx and cut connections are retried up to maxAttempts, after a random wait below backoffMs · 2^n, or
 *   as long as the server's Retry-After asks, unless that exceeds timeoutMs. Malformed answers are retried up to
 *   malformedAttempts. Other refusals are not retried.
 * - HTTPCLIENT-2. An answer of which a part was passed on is never requested again, so that nobody reads the same token twice.
 * - HTTPCLIENT-3. After an abort no further attempt begins, and the signal's reason is thrown.
 * - HTTPCLIENT-4. The API key is in the Authorization header and nowhere else: not in errors, and not in what is logged.
 */

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  /** The value of the session headers. */
  readonly session?: string | undefined;
  /** True when the request is part of a call of `alone`, which already has its turn. */
  readonly inTurn?: boolean;
  /** Called before every retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A failed attempt that will be retried. */
export interface Retry {
  readonly path: string;
  /** Which attempt failed, counted from 1. */
  readonly attempt: number;
  readonly reason: EngineError;
}

/** What waiting between attempts needs. Tests supply their own. */
export interface RetryClock {
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

const realClock: RetryClock = {
  wait: async (ms, signal) => {
    await wait(ms, undefined, { signal });
  },
  random: Math.random,
};

export class HttpClient {
  readonly #config: Omit<EngineConfig, "apiKey">;
  readonly #apiKey: string | undefined;
  readonly #turnstile: Turnstile;
  readonly #clock: RetryClock;
  readonly #closing = new AbortController();

  constructor({ apiKey, ...config }: EngineConfig, clock: RetryClock = realClock) {
    this.#config = config;
    this.#apiKey = apiKey;
    this.#clock = clock;
    this.#turnstile = new Turnstile({ maxRunning: config.maxConcurrency, maxWaiting: config.maxQueue });
  }

  /** Posts a body and returns one JSON value; `undefined` for an answer without a body. */
  async post(path: string, body: unknown, options: PostOptions = {}): Promise<unknown> {
    return await this.ask(path, body, options, (value) => value);
  }

  /**
   * @param read interprets the JSON value; when it throws a retryable error or BAD_REPLY, the attempt has failed (HTTPCLIENT-1)
   */
  async ask<T>(path: string, body: unknown, options: PostOptions, read: (value: unknown) => T): Promise<T> {
    return await this.#request("POST", path, body, options, async (response) =>
      read(parseJson(path, response, await readText(path, response))),
    );
  }

  async get(path: string, options: PostOptions = {}): Promise<unknown> {
    return await this.#request("GET", path, undefined, options, async (response) =>
      parseJson(path, response, await readText(path, response)),
    );
  }

  /** Returns the answer as text, whatever its content type. */
  async text(path: string, options: PostOptions = {}): Promise<string> {
    return await this.#request("GET", path, undefined, options, (response) => readText(path, response));
  }

  /**
   * Reads the data of server-sent events, one by one, and returns what `done` says after the last.
   * @param start begins an attempt. `take` returns true when it passed something to the caller; from then on there is no
   *   retry (HTTPCLIENT-2). `done` is told whether the server marked the end
   */
  async stream<T>(
    path: string,
    body: unknown,
    options: PostOptions,
    start: () => { take(event: unknown): boolean; done(complete: boolean): T },
  ): Promise<T> {
    return await this.#request("POST", path, body, options, async (response, attempt) => {
      if (contentTypeOf(response) !== "text/event-stream") {
        throw new EngineError(
          "BAD_REPLY",
          `${path}: answered with ${contentTypeOf(response) || "no content type"} instead of server-sent events; check that ${this.#config.url} is a model server that can stream`,
        );
      }
      const { take, done } = start();
      let complete = false;
      for await (const data of readEvents(path, response)) {
        if (data.trim() === "[DONE]") complete = true;
        else if (data.trim() !== "" && take(parseEvent(path, data))) attempt.handedOn = true;
      }
      return done(complete);
    });
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineError("CLOSED", "the engine was closed"));
    await this.#turnstile.close();
  }

  /** Runs several requests with no other request between them. */
  async alone<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await this.#turnstile.run(call, signal, true);
  }

  async #request<T>(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    options: PostOptions,
    read: (response: Response, attempt: { handedOn: boolean }) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs } = this.#config;
    const late = () =>
      new EngineError(
        "TIMEOUT",
        `${path}: no response within timeoutMs ${timeoutMs}; raise timeoutMs if the server needs longer`,
      );
    const call = async () =>
      await withDeadline(timeoutMs, [options.signal, this.#closing.signal], late, async (signal) => {
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
            options.onRetry?.({ path, attempt, reason: error });
            await this.#backOff(attempt, error.retryAfterMs, signal);
          }
        }
      });
    return options.inTurn === true ? await call() : await this.#turnstile.run(call, options.signal);
  }

  async #attempt<T>(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    { session }: PostOptions,
    signal: AbortSignal,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { url, headers, sessionHeaders, attemptTimeoutMs } = this.#config;
    const late = () =>
      new EngineError(
        "TIMEOUT",
        `${path}: no complete response within attemptTimeoutMs ${attemptTimeoutMs}; raise attemptTimeoutMs if the server needs longer`,
      );
    return await withDeadline(attemptTimeoutMs, [signal], late, async (attemptSignal) => {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          // Following a redirect would send prompts to a server that nobody named.
          redirect: "manual",
          headers: {
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
            ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
            ...(session === undefined
              ? {}
              : Object.fromEntries(sessionHeaders.map((name) => [name, session]))),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: attemptSignal,
        });
        if (!response.ok) throw await failureOf(path, response, (text) => this.#scrub(text));
        return await read(response);
      } catch (reason) {
        // fetch does not say which of the two signals ended it.
        if (attemptSignal.aborted) throw attemptSignal.reason;
        throw reason;
      }
    });
  }

  /** Returns whether the error may be retried (HTTPCLIENT-1). */
  #mayTryAgain({ code, retryable }: EngineError, attempt: number, malformed: number): boolean {
    const { maxAttempts, malformedAttempts } = this.#config;
    return attempt < maxAttempts && (code === "BAD_REPLY" ? malformed < malformedAttempts : retryable);
  }

  /** Waits a random part of a delay that doubles (HTTPCLIENT-1), so that requests that failed together do not return together. */
  async #backOff(attempt: number, retryAfterMs: number | undefined, signal: AbortSignal): Promise<void> {
    const { backoffMs, maxBackoffMs } = this.#config;
    const longest = Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
    const ms = Math.max(retryAfterMs ?? 0, Math.ceil(longest * this.#clock.random()));
    try {
      await this.#clock.wait(ms, signal);
    } catch (reason) {
      signal.throwIfAborted();
      throw reason;
    }
  }

  #asEngineError(path: string, reason: unknown): EngineError {
    if (reason instanceof EngineError) return reason;
    const cause = (reason as { cause?: { code?: unknown; message?: unknown } } | null)?.cause;
    const why = String(cause?.code ?? cause?.message ?? (reason instanceof Error ? reason.message : reason));
    return new EngineError(
      "UNREACHABLE",
      `${this.#config.url}${path}: ${this.#scrub(why)}; check that the server runs at this URL`,
    );
  }

  #lastWord(error: EngineError, attempts: number, handedOn: boolean): EngineError {
    const note = handedOn
      ? " (a part of the answer was passed on, so it was not requested again)"
      : attempts > 1
        ? ` (the last of ${attempts} attempts)`
        : "";
    if (note === "") return error;
    return new EngineError(error.code, `${error.message.replace(/^\[[A-Z_]+\] /, "")}${note}`, {
      cause: error.cause,
      retryable: error.retryable,
      retryAfterMs: error.retryAfterMs,
      ...(error.status === undefined ? {} : { status: error.status }),
    });
  }

  /** Removes the key (HTTPCLIENT-4), because some servers repeat the key that they refuse. */
  #scrub(text: string): string {
    return this.#apiKey === undefined ? text : text.replaceAll(this.#apiKey, "***");
  }
}

function parseJson(path: string, response: Response, text: string): unknown {
  if (text.trim() === "") return undefined;
  const type = contentTypeOf(response);
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new EngineError(
      "BAD_REPLY",
      `${path}: answered with ${type || "no content type"} instead of JSON; check that this is the URL of the model's server`,
    );
  }
  return parseEvent(path, text);
}

function parseEvent(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EngineError("BAD_REPLY", `${path}: answered with JSON that does not parse`);
  }
}

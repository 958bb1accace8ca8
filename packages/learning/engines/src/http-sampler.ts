import { z } from "zod";
import { engineConfigSchema, parseConfig } from "./config.js";
import { EngineError } from "./error.js";
import type { GenerateRequest, GenerateResult } from "./generate.js";
import { HttpClient, type PostOptions, type RetryClock } from "./http-client.js";
import { probeLogprobs } from "./logprobs-probe.js";
import { llamaCpp } from "./protocols/llama-cpp.js";
import type { LogprobsMode, Sampled, TokenProtocol } from "./protocols/protocol.js";
import { sglang } from "./protocols/sglang.js";
import { vllm } from "./protocols/vllm.js";
import { failureInReply } from "./reply.js";
import { type ServerKind, serverKinds } from "./server-kind.js";
import { startedAt } from "./server-process.js";
import { VersionRuns } from "./version-runs.js";
import {
  type AdaptersOnDisk,
  dropAdapters,
  loadAdaptersOn,
  offersAdapters,
  offersReload,
  reloadOn,
  type WeightsOnDisk,
} from "./weight-reload.js";

/*
 * Responsibility: presents a model behind HTTP as a sampler: token ids in, token ids and log-probs out.
 * Not responsible for: connections and retries (http-client.ts), the servers' dialects (protocols/), or text
 * (chat-endpoint.ts).
 * - HTTPSAMPLER-1. A result has one log-prob per token, or there is no result: what a server does not report is an error that says
 *   what cannot be trained.
 * - HTTPSAMPLER-2. One result is sampled by one set of weights: a load waits for the running requests and holds back the next
 *   ones; after a load that failed there are no results until the next one. With `weightUpdates: "in-flight"` vLLM stops
 *   running requests where they are, and they go on with the new weights: a result says which version sampled which of its
 *   tokens, by what had arrived when the new ones were in place. Adapters have a name for each version, which requests
 *   name, so that loading them waits for nothing, and those that no request names are dropped.
 * - HTTPSAMPLER-3. Nothing after the end of a reply is kept, where the end is a stop token, a stop text or the limit; the stop
 *   token itself is kept.
 * - HTTPSAMPLER-4. A log-prob is reported as what it is: before temperature and truncation, or after both.
 */

/** The schema of a sampler over an inference server. */
export const httpSamplerConfigSchema = engineConfigSchema.extend({
  kind: z
    .enum([...serverKinds, "openai"])
    .describe(
      "kind of server, which determines the endpoints used; openai: the plain protocol, which returns no token ids",
    ),
  originalLogprobs: z
    .boolean()
    .default(false)
    .describe("whether an SGLang server runs with SGLANG_RETURN_ORIGINAL_LOGPROB=1"),
  weightUpdates: z
    .enum(["drained", "in-flight"])
    .default("drained")
    .describe(
      "when weights are loaded: drained: once running requests are done; in-flight, for vLLM: between two of its steps, with running requests kept",
    ),
  loadTimeoutMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(1_800_000)
    .describe("deadline of loading weights, in milliseconds"),
});

/** Settings of a sampler over an inference server. */
export type HttpSamplerConfig = z.input<typeof httpSamplerConfigSchema>;

const protocols: Readonly<Record<ServerKind, TokenProtocol>> = { vllm, sglang, llamacpp: llamaCpp };

/** What a caller of the sampler needs. `session` returns one whose requests go to the same replica each time. */
export interface SessionSampler {
  generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult>;
}

/** A sampler over an inference server that takes and returns token ids. */
export class HttpSampler implements SessionSampler {
  readonly kind: ServerKind;
  readonly #protocol: TokenProtocol;
  readonly #client: HttpClient;
  readonly #model: string | undefined;
  #logprobsMode: LogprobsMode;
  readonly #loadTimeoutMs: number;
  readonly #isInFlight: boolean;
  /** Requests that are answered while weights may be loaded. */
  readonly #underWay = new Set<VersionRuns>();
  #loading: Promise<unknown> = Promise.resolve();
  #policyVersion = 0;
  #weightsHash = "";
  /** The adapters that new requests are sampled with. */
  #adapters: AdaptersOnDisk | undefined;
  /** Number of requests that run, by the name of their adapters. */
  readonly #running = new Map<string, number>();
  /** Why the server's weights are unknown: a load of them failed. */
  #failedLoad: unknown;
  /** Whether the server was told the name of its weights, so that its answers can be checked against it. */
  #named = false;

  /**
   * @param clock a clock for tests
   * @throws {EngineError} CONFIG_INVALID; NOT_TRAINABLE for kind "openai"
   */
  constructor(config: HttpSamplerConfig, clock?: RetryClock) {
    const { kind, originalLogprobs, loadTimeoutMs, weightUpdates, ...settings } = parseConfig(
      httpSamplerConfigSchema,
      config,
    );
    if (kind === "openai") {
      throw new EngineError(
        "NOT_TRAINABLE",
        "kind: is openai, but OpenAI's protocol returns text without token ids, which training needs; serve the model with vLLM, SGLang or llama.cpp, or use ChatEndpoint if the text is enough",
      );
    }
    if (weightUpdates === "in-flight" && kind !== "vllm")
      throw new EngineError(
        "CONFIG_INVALID",
        `weightUpdates: is in-flight, but kind is ${kind}, which cannot keep running requests; set it to drained, or serve the model with vLLM`,
      );
    this.#isInFlight = weightUpdates === "in-flight";
    this.kind = kind;
    this.#protocol = protocols[kind];
    this.#model = settings.model;
    this.#loadTimeoutMs = loadTimeoutMs;
    this.#logprobsMode = kind === "sglang" && !originalLogprobs ? "processed_logprobs" : "raw_logprobs";
    this.#client = new HttpClient(settings, "root", clock);
  }

  get policyVersion(): number {
    return this.#adapters?.policyVersion ?? this.#policyVersion;
  }

  get weightsHash(): string {
    return this.#adapters?.weightsHash ?? this.#weightsHash;
  }

  /**
   * @throws {EngineError} any code but CONFIG_INVALID
   * @throws the signal's reason when aborted
   */
  async generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult> {
    return await this.#generate(request, { signal });
  }

  /** Returns the same sampler for one episode. Its requests carry the name, so that a router keeps them together. */
  session(name: string): SessionSampler {
    return { generate: (request, signal) => this.#generate(request, { signal, session: name }) };
  }

  /**
   * Makes the server load weights from a folder in the Hugging Face layout that it can read (HTTPSAMPLER-2).
   * @throws {EngineError} UNSUPPORTED when the server has no such endpoint or does not enable it
   */
  async reloadWeights(weights: WeightsOnDisk, signal?: AbortSignal): Promise<void> {
    const load = async (): Promise<void> => {
      const named = () => {
        for (const runs of this.#underWay) runs.note(this.#policyVersion);
        this.#failedLoad = undefined;
        this.#adapters = undefined;
        this.#policyVersion = weights.policyVersion;
        this.#weightsHash = weights.weightsHash;
        this.#named = this.kind === "sglang";
      };
      const onLoaded = this.#isInFlight ? named : undefined;
      try {
        await reloadOn(this.kind, this.#client, weights, { ...this.#loadLimits(signal), onLoaded });
      } catch (reason) {
        const refused = reason instanceof EngineError && ["UNSUPPORTED", "REFUSED"].includes(reason.code);
        if (!refused) this.#failedLoad = reason;
        throw reason;
      }
      if (!this.#isInFlight) named();
    };
    if (!this.#isInFlight) return await this.#client.alone(load, signal);
    const loaded = this.#loading.then(load);
    this.#loading = loaded.catch(() => undefined);
    await loaded;
  }

  /**
   * Makes the server load adapters over the weights that it has, while it samples; later requests are sampled with them.
   * @throws {EngineError} UNSUPPORTED when the server has no such endpoint or does not enable it
   */
  async loadAdapters(adapters: AdaptersOnDisk, signal?: AbortSignal): Promise<void> {
    await loadAdaptersOn(this.kind, this.#client, adapters, this.#loadLimits(signal));
    const before = this.#adapters?.name;
    this.#adapters = adapters;
    if (before !== undefined) this.#dropUnused(before);
  }

  /** Returns whether the server has the endpoint that `loadAdapters` uses. @throws {EngineError} while the server does not answer */
  async offersAdapters(signal?: AbortSignal): Promise<boolean> {
    return await offersAdapters(this.kind, this.#client, signal);
  }

  #loadLimits(signal: AbortSignal | undefined) {
    return { signal, deadline: { ms: this.#loadTimeoutMs, name: "loadTimeoutMs" } };
  }

  #dropUnused(name: string): void {
    if (name === this.#adapters?.name || (this.#running.get(name) ?? 0) > 0) return;
    this.#running.delete(name);
    // Adapters that stay cost the server a few MiB; the next load may well succeed.
    void dropAdapters(this.kind, this.#client, name).catch(() => undefined);
  }

  /**
   * Returns whether the server has the endpoints that `reloadWeights` uses. It asks with a method that changes nothing,
   * which servers refuse for an endpoint that they have.
   * @throws {EngineError} while the server does not answer
   */
  async offersReload(signal?: AbortSignal): Promise<boolean> {
    return await offersReload(this.kind, this.#client, signal);
  }

  /** Records which weights the server was started with, because it does not report that itself. */
  assumeWeights({ policyVersion, weightsHash }: WeightsOnDisk): void {
    this.#policyVersion = policyVersion;
    this.#weightsHash = weightsHash;
    this.#named = false;
    this.#adapters = undefined;
    this.#failedLoad = undefined;
  }

  /**
   * Determines with two short requests which log-probs the server reports; results name them accordingly from then on.
   * Before that, vLLM and llama.cpp are assumed to report the model's own, SGLang those after the temperature unless
   * `originalLogprobs` is set. llama.cpp can return either: after the probe, those after temperature and truncation are
   * used.
   * @throws {EngineError} NOT_TRAINABLE when they are not log-probs; what `generate` throws
   */
  async probeLogprobs(signal?: AbortSignal): Promise<LogprobsMode> {
    const post = (path: string, body: object) => this.#client.post(path, body, { signal });
    this.#logprobsMode = await probeLogprobs(this.#protocol, this.#model, post);
    return this.#logprobsMode;
  }

  /** @throws {EngineError} while the server accepts no requests */
  async checkHealth(signal?: AbortSignal): Promise<void> {
    await this.#client.text("/health", { signal, inTurn: true });
  }

  /**
   * Returns what distinguishes the server's process from the one after a restart; undefined when the server does not
   * report it.
   * @throws {EngineError} UNREACHABLE and others
   */
  async serverProcess(signal?: AbortSignal): Promise<string | undefined> {
    return await startedAt(this.#client, signal);
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  /** The same as close(), for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #generate(request: GenerateRequest, options: PostOptions): Promise<GenerateResult> {
    const adapters = this.#adapters;
    if (adapters === undefined) return await this.#sampled(request, undefined, options);
    const { name } = adapters;
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    try {
      return await this.#sampled(request, adapters, options);
    } catch (reason) {
      const refused = reason instanceof EngineError && (reason.status === 404 || reason.status === 400);
      if (!refused || !reason.message.includes(name)) throw reason;
      throw new EngineError(
        "OTHER_WEIGHTS",
        `${this.#protocol.path}: the server no longer has the adapters "${name}"; load them again`,
        { cause: reason },
      );
    } finally {
      this.#running.set(name, (this.#running.get(name) ?? 1) - 1);
      this.#dropUnused(name);
    }
  }

  async #sampled(
    request: GenerateRequest,
    adapters: AdaptersOnDisk | undefined,
    options: PostOptions,
  ): Promise<GenerateResult> {
    const runs = new VersionRuns();
    if (!this.#isInFlight || adapters !== undefined)
      return await this.#answered(request, adapters, options, runs);
    this.#underWay.add(runs);
    try {
      const result = await this.#answered(request, adapters, options, runs);
      const versionRuns = runs.note(this.#policyVersion);
      const [oldest = result] = versionRuns;
      const told = versionRuns.length > 1 ? { versionRuns } : {};
      return { ...result, policyVersion: oldest.policyVersion, ...told };
    } finally {
      this.#underWay.delete(runs);
    }
  }

  async #answered(
    request: GenerateRequest,
    adapters: AdaptersOnDisk | undefined,
    options: PostOptions,
    runs: VersionRuns,
  ): Promise<GenerateResult> {
    const { path } = this.#protocol;
    // Only a stream says what had been sampled when weights were loaded.
    const stream = (request.onTokens !== undefined || this.#isInFlight) && this.#protocol.streams !== false;
    const logprobs = modeOf(request, this.#logprobsMode);
    const asked = { model: this.#model, adapter: adapters?.name, stream, logprobs };
    const body = this.#protocol.body(request, asked);
    const sampled = stream
      ? await this.#client.stream(path, body, options, () => this.#reader(request, runs))
      : await this.#whole(request, body, logprobs, options);
    if (this.#failedLoad !== undefined) {
      throw new EngineError(
        "OTHER_WEIGHTS",
        `${path}: the server's weights are unknown since a load of them failed; load weights again`,
        { cause: this.#failedLoad },
      );
    }
    if (adapters !== undefined && sampled.servedAs !== undefined && sampled.servedAs !== adapters.name) {
      throw new EngineError(
        "OTHER_WEIGHTS",
        `${path}: sampled by "${sampled.servedAs}", but the adapters "${adapters.name}" were asked for; check that the server takes adapters`,
      );
    }
    if (this.#named && sampled.weightVersion !== undefined) {
      const expected = String(this.#policyVersion);
      if (sampled.weightVersion !== expected) {
        throw new EngineError(
          "OTHER_WEIGHTS",
          `${path}: sampled by weights "${sampled.weightVersion}", but "${expected}" were loaded; make sure that no other program loads weights into this server`,
        );
      }
    }
    return {
      tokenIds: sampled.tokenIds,
      ...this.#told(request, logprobs, sampled.logprobs),
      stopReason: sampled.end,
      policyVersion: adapters?.policyVersion ?? this.#policyVersion,
      weightsHash: adapters?.weightsHash ?? this.#weightsHash,
    };
  }

  /** Requests an answer in one piece, with the log-probs that the server returns only when asked again. */
  async #whole(
    request: GenerateRequest,
    body: object,
    mode: LogprobsMode,
    options: PostOptions,
  ): Promise<Whole> {
    const protocol = this.#protocol;
    const reply = await this.#client.post(protocol.path, body, options);
    const sampled = wholeOf(protocol.path, request, protocol.read(reply));
    const post = (path: string, asked: object) => this.#client.post(path, asked, options);
    const logprobs = await protocol.missingLogprobs?.(request, sampled, { logprobs: mode, post });
    if (sampled.tokenIds.length > 0) request.onTokens?.(sampled.tokenIds);
    return { ...sampled, logprobs: logprobs ?? sampled.logprobs };
  }

  /** Returns the log-probs under the names of what they are (HTTPSAMPLER-4). */
  #told(
    request: GenerateRequest,
    mode: LogprobsMode,
    logprobs: readonly number[],
  ): Pick<GenerateResult, "rolloutLogprobs" | "sampledLogprobs"> {
    if (mode === "raw_logprobs") return { rolloutLogprobs: logprobs };
    const unknown = { rolloutLogprobs: logprobs.map(() => Number.NaN) };
    if (this.#protocol.truncatesLogprobs !== false || !isTruncated(request))
      return { ...unknown, sampledLogprobs: logprobs };
    return request.temperature === 1 ? { rolloutLogprobs: logprobs } : unknown;
  }

  /** Collects the events of one attempt and passes its tokens on. */
  #reader(request: GenerateRequest, runs: VersionRuns): { take(event: unknown): boolean; done(): Whole } {
    const { path } = this.#protocol;
    let tokenIds: number[] = [];
    let logprobs: number[] = [];
    let end: Sampled["end"];
    let weightVersion: string | undefined;
    let servedAs: string | undefined;
    let handedOn = 0;
    let over = false;
    runs.restart();
    return {
      take: (event) => {
        const failure = failureInReply(path, event);
        if (failure !== undefined) throw failure;
        const sampled = this.#protocol.read(event);
        if (sampled === undefined) return handedOn > 0;
        tokenIds = sampled.cumulative ? [...sampled.tokenIds] : [...tokenIds, ...sampled.tokenIds];
        logprobs = sampled.cumulative ? [...sampled.logprobs] : [...logprobs, ...sampled.logprobs];
        end = sampled.end ?? end;
        weightVersion = sampled.weightVersion ?? weightVersion;
        servedAs = sampled.servedAs ?? servedAs;
        const kept = cutAtStop(request, tokenIds);
        const fresh = over ? [] : kept.slice(handedOn);
        over ||= kept.length < tokenIds.length || isStop(request, kept.at(-1));
        handedOn += fresh.length;
        runs.received = handedOn;
        if (fresh.length > 0) request.onTokens?.(fresh);
        return handedOn > 0;
      },
      done: () => wholeOf(path, request, { tokenIds, logprobs, end, weightVersion, servedAs }),
    };
  }
}

interface Whole extends Sampled {
  readonly end: "stop" | "length";
}

const isTruncated = ({ topP = 1, topK = 0, minP = 0 }: GenerateRequest) => topP < 1 || topK > 0 || minP > 0;

/**
 * At temperature 0 servers report the model's own log-probs, and without temperature and truncation both kinds are
 * equal.
 */
function modeOf(request: GenerateRequest, mode: LogprobsMode): LogprobsMode {
  const { temperature } = request;
  return temperature === 0 || (temperature === 1 && !isTruncated(request)) ? "raw_logprobs" : mode;
}

const isStop = ({ stopTokenIds }: GenerateRequest, id: number | undefined) =>
  id !== undefined && stopTokenIds.includes(id);

/** Truncates a reply at its stop token (HTTPSAMPLER-3). */
function cutAtStop(request: GenerateRequest, tokenIds: readonly number[]): readonly number[] {
  const at = tokenIds.findIndex((id) => isStop(request, id));
  return at < 0 ? tokenIds : tokenIds.slice(0, at + 1);
}

/** Checks that an answer is complete (HTTPSAMPLER-1, HTTPSAMPLER-3). */
function wholeOf(path: string, request: GenerateRequest, sampled: Sampled | undefined): Whole {
  if (sampled === undefined)
    throw new EngineError(
      "BAD_REPLY",
      `${path}: the response contains no completion; check that \`kind\` names the server that runs there`,
    );
  const { end } = sampled;
  if (end === undefined) {
    throw new EngineError(
      "UNREACHABLE",
      `${path}: the response ended before the completion was finished; repeat the request`,
    );
  }
  if (end === "abort") {
    throw new EngineError(
      "SERVER_FAILED",
      `${path}: the server ended the request before it was finished; repeat the request`,
    );
  }
  const tokenIds = cutAtStop(request, sampled.tokenIds);
  if (tokenIds.length > request.maxTokens) {
    throw new EngineError(
      "BAD_REPLY",
      `${path}: the server returned ${tokenIds.length} tokens, but maxTokens is ${request.maxTokens}`,
    );
  }
  if (sampled.logprobs.length < tokenIds.length) {
    throw new EngineError(
      "NOT_TRAINABLE",
      `${path}: the server returned ${sampled.logprobs.length} log-probs for ${tokenIds.length} tokens, but training needs one per token`,
    );
  }
  return {
    ...sampled,
    tokenIds,
    logprobs: sampled.logprobs.slice(0, tokenIds.length),
    end: isStop(request, tokenIds.at(-1)) ? "stop" : end,
  };
}

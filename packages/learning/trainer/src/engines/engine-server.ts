/** Responsibility: one server that samples: where it is, whether it answers, how it gets weights.
 *  Not responsible for: episodes, and what happens to them while it is down. */

import { join } from "node:path";
import { EngineError, HttpSampler } from "@palimpsest/engines";
import { delay, withDeadline } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { type EngineSettings, loadOf } from "../recipe/engine-settings.js";
import { claimPort, type PortClaim } from "./engine-port.js";
import { EngineProcess, runToEnd } from "./engine-process.js";
import type { WrittenPolicy } from "./engine-weights.js";

const probeMs = 500;
/** How often a log says that weights are still being loaded. */
const tellAgainMs = 30_000;
/** Attempts per request to a server that is up; waiting for one that is down happens elsewhere. */
const maxAttempts = 2;
/** Timeout of one check whether a server is up. */
const defaultAnswerMs = 10_000;

export interface EngineServerOptions {
  readonly engine: EngineSettings;
  /** Index of the recipe's engine. */
  readonly place: number;
  readonly apiKey: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder for the server's output. */
  readonly folder: string;
  readonly logger: Logger;
  /** Sampling temperature for training. */
  readonly temperature: number;
  /** Whether running requests are kept while weights are loaded. Default drained. */
  readonly weightUpdates?: "drained" | "in-flight" | undefined;
  /** Longest time until a server answers that it is up; default 10 s. */
  readonly answerMs?: number;
}

export class EngineServer {
  readonly #options: EngineServerOptions;
  #process: EngineProcess | undefined;
  /** The folder from which `prepare` has made a file, as long as servers come up with it. */
  #prepared: string | undefined;
  /** The port of a server that the run starts. */
  #claim: PortClaim | undefined;
  #sampler: HttpSampler | undefined;
  #url = "";
  /** The server's name for its process when the weights were loaded. */
  #loadedIn: string | undefined;

  constructor(options: EngineServerOptions) {
    this.#options = options;
    const { addresses } = options.engine;
    const address = addresses?.[options.place];
    if (address !== undefined) this.#sampler = this.#samplerAt(address);
  }

  /** A name for messages. */
  get name(): string {
    const { engine, place } = this.#options;
    return `${engine.kind} ${engine.addresses?.[place] ?? place}`;
  }

  get sampler(): HttpSampler {
    if (this.#sampler === undefined) throw away(`${this.name}: has not been started`);
    return this.#sampler;
  }

  /**
   * Gives the server these weights; of a policy with adapters these alone if it `hasBase`. If the run started the server and it has ended or does not answer, it is restarted first.
   * @throws {EngineError} NOT_TRAINABLE if its log-probs are not those at the run's temperature; others; the signal's reason
   */
  async load(
    policy: WrittenPolicy,
    signal: AbortSignal,
    { hasBase = false }: { readonly hasBase?: boolean } = {},
  ): Promise<void> {
    const { logger } = this.#options;
    const startedAt = performance.now();
    const { policyVersion, weightsHash } = policy.adapters ?? policy;
    const seconds = () => (performance.now() - startedAt) / 1000;
    const told = setInterval(() => {
      const facts = { engine: this.name, policyVersion, seconds: seconds() };
      logger.info(facts, "the engine is still loading weights");
    }, tellAgainMs);
    try {
      await this.#loadInto(policy, hasBase, signal);
    } finally {
      clearInterval(told);
    }
    logger.info(
      { engine: this.name, policyVersion, weightsHash, seconds: seconds() },
      "the engine has loaded weights",
    );
  }

  async #loadInto(policy: WrittenPolicy, hasBase: boolean, signal: AbortSignal): Promise<void> {
    const { engine } = this.#options;
    const { folder: path, policyVersion, weightsHash, adapters } = policy;
    if (adapters === undefined || !hasBase) {
      if (engine.start !== undefined && (loadOf(engine) === "restart" || !(await this.#isThere(signal)))) {
        await this.#start(policy, signal);
      } else {
        if (engine.start === undefined) await this.#answers(signal);
        await this.sampler.reloadWeights({ path, policyVersion, weightsHash }, signal);
      }
      this.#loadedIn = await this.sampler.serverProcess(signal);
    }
    if (adapters !== undefined) {
      const { folder, ...named } = adapters;
      await this.sampler.loadAdapters({ path: folder, ...named }, signal);
    }
    if (!hasBase) await this.#checkLogprobs(signal);
  }

  /**
   * Checks that the process that loaded the weights is still running: a restarted one has others.
   * @throws {EngineError} UNREACHABLE and others while it is down
   */
  async confirm(signal: AbortSignal): Promise<void> {
    if (this.#process !== undefined) {
      if (this.#process.running) return;
      throw away(`${this.name}: the server has ended: ${this.#process.said}`);
    }
    const now = await this.sampler.serverProcess(signal);
    if (now === this.#loadedIn) return;
    throw away(
      `${this.name}: the server was restarted by somebody else, and no longer has the run's weights`,
    );
  }

  /**
   * Does the same as `confirm`, and checks that the server answers, because one that hangs is running, too.
   * @throws {EngineError} UNREACHABLE; the signal's reason
   */
  async check(signal: AbortSignal): Promise<void> {
    await this.confirm(signal);
    await this.#answers(signal);
  }

  async close(): Promise<void> {
    await this.#sampler?.close();
    await this.#process?.stop();
    this.#process = undefined;
    await this.#claim?.release();
    this.#claim = undefined;
  }

  /** Returns whether a server that the run started is running and answers. @throws the signal's reason */
  async #isThere(signal: AbortSignal): Promise<boolean> {
    if (this.#process?.running !== true) return false;
    return await this.#answers(signal).then(
      () => true,
      () => {
        signal.throwIfAborted();
        return false;
      },
    );
  }

  async #start({ folder, policyVersion, weightsHash }: WrittenPolicy, signal: AbortSignal): Promise<void> {
    const { engine, environment: own, place } = this.#options;
    const { start } = engine;
    if (start === undefined) return;
    await this.close();
    const file = `${folder}.prepared`;
    const environment = { ...own, ...start.environment };
    const log = (name: string) => join(this.#options.folder, `${name}-${place}.log`);
    const filled = (texts: readonly string[], port = "") =>
      texts.map((text) =>
        text.replaceAll("{port}", port).replaceAll("{model}", folder).replaceAll("{file}", file),
      );
    if (start.prepare !== undefined && this.#prepared !== folder) {
      const { command, arguments: args } = start.prepare;
      const program = { command, arguments: filled(args), environment, logFile: log("prepare") };
      await runToEnd(program, { timeoutMs: engine.startTimeoutMs, signal });
      this.#prepared = folder;
    }
    // Claimed only now: preparing the file may take minutes, in which another program may take the port.
    this.#claim = await claimPort();
    const args = filled(start.arguments, String(this.#claim.port));
    const server = { command: start.command, arguments: args, environment, logFile: log("engine") };
    this.#process = new EngineProcess(server);
    this.#sampler = this.#samplerAt(`http://127.0.0.1:${this.#claim.port}`);
    try {
      await this.#comesUp(this.#process, signal);
    } catch (reason) {
      this.#prepared = undefined;
      // A server that never came up must not keep its memory and its GPU.
      await this.close();
      throw reason;
    }
    this.#sampler.assumeWeights({ path: folder, policyVersion, weightsHash });
  }

  #samplerAt(url: string): HttpSampler {
    const { engine, apiKey, weightUpdates = "drained" } = this.#options;
    this.#url = url;
    return new HttpSampler({
      url,
      kind: engine.kind === "llama-cpp" ? "llamacpp" : engine.kind,
      originalLogprobs: engine.originalLogprobs,
      maxConcurrency: engine.maxRequests,
      maxQueue: 1_000_000,
      attemptTimeoutMs: engine.requestTimeoutMs,
      timeoutMs: maxAttempts * engine.requestTimeoutMs,
      maxAttempts,
      loadTimeoutMs: engine.loadTimeoutMs,
      weightUpdates,
      ...(engine.model === undefined ? {} : { model: engine.model }),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
  }

  /** Probes the server each time, because a restarted one may have other flags. */
  async #checkLogprobs(signal: AbortSignal): Promise<void> {
    const { temperature, engine } = this.#options;
    if (temperature === 1 || (await this.sampler.probeLogprobs(signal)) === "processed_logprobs") return;
    throw new EngineError(
      "NOT_TRAINABLE",
      `rollout.temperature: is ${temperature}, but the server at ${this.#url} reports log-probs at temperature 1; ${logprobsRemedy[engine.kind]}`,
    );
  }

  /** Waits until a server that the run started answers. @throws {EngineError} UNREACHABLE if it ends, or the time is over */
  async #comesUp(process: EngineProcess, signal: AbortSignal): Promise<void> {
    const { startTimeoutMs } = this.#options.engine;
    const deadlineAt = performance.now() + startTimeoutMs;
    for (;;) {
      try {
        return await this.#answers(signal);
      } catch (reason) {
        signal.throwIfAborted();
        if (!process.running)
          throw away(
            `${this.name}: the server ended before it answered: ${process.said || "it printed nothing"}`,
          );
        const said = reason instanceof Error ? reason.message : String(reason);
        if (performance.now() > deadlineAt)
          throw away(
            `${this.name}: the server did not answer within startTimeoutMs ${startTimeoutMs}: ${said}; it printed: ${process.said || "nothing"}`,
          );
      }
      await delay(probeMs, signal);
      signal.throwIfAborted();
    }
  }

  /** @throws {EngineError} UNREACHABLE; the signal's reason */
  async #answers(signal: AbortSignal): Promise<void> {
    const { answerMs = defaultAnswerMs } = this.#options;
    let isLate = false;
    const late = () => {
      isLate = true;
      return new Error("the server is late");
    };
    try {
      await withDeadline({ timeoutMs: answerMs, signals: [signal], late }, (within) =>
        this.sampler.checkHealth(within),
      );
    } catch (reason) {
      signal.throwIfAborted();
      const said = reason instanceof Error ? reason.message : String(reason);
      throw away(`${this.name}: ${isLate ? `does not answer within ${answerMs} ms` : said}`);
    }
  }
}

/** How to make a server return the log-probs after the temperature. */
export const logprobsRemedy: Readonly<Record<EngineSettings["kind"], string>> = {
  vllm: "start it with --logprobs-mode processed_logprobs",
  sglang: "start it without SGLANG_RETURN_ORIGINAL_LOGPROB",
  "llama-cpp": "use a newer llama.cpp, which has post_sampling_probs",
  openai: "use another kind",
};

const away = (message: string) => new EngineError("UNREACHABLE", message);

/** Responsibility: a server as the sampler of a rollout actor: its weights, which are written to disk, loaded by the server and
 *  not kept here; whether it is up; what it has sampled.
 *  Not responsible for: which episodes come (engine-intake.ts).
 *
 *  Invariants:
 *  ENGINE-2 (T5). A sample carries the version and hash of the weights that were loaded into the server process that
 *    produced it. After a restart of the server nothing is sampled before the weights are loaded again, and episodes that ran
 *    across it begin again, also if weights were loaded meanwhile.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { GenerateRequest, GenerateResult } from "@palimpsest/agents";
import { EngineError } from "@palimpsest/engines";
import { type HeldParameters, parameterShapes } from "@palimpsest/model";
import { readToken } from "@palimpsest/rewards";
import { makeFolder } from "@palimpsest/std/files";
import type { Logger } from "@palimpsest/telemetry";
import type { EngineSettings } from "../recipe/engine-settings.js";
import type { Parameters } from "../weights/weights.js";
import { EngineServer } from "./engine-server.js";
import { type EngineModel, EngineWeights, type WrittenPolicy } from "./engine-weights.js";
import type { PolicySampler, SampledSoFar } from "./policy-sampler.js";
import { weightsRoot } from "./weights-root.js";

export interface EngineSamplerOptions {
  readonly engine: EngineSettings;
  /** Sampling temperature for training. */
  readonly temperature: number;
  readonly weightUpdates?: "drained" | "in-flight" | undefined;
  /** Index of the recipe's engine. */
  readonly place: number;
  readonly runId: string;
  readonly model: Omit<EngineModel, "weightsType">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Ends everything that waits for the server. */
  readonly signal: AbortSignal;
}

export class EngineSampler implements PolicySampler {
  readonly #server: EngineServer;
  readonly #weights: EngineWeights;
  readonly #signal: AbortSignal;
  /** The policy that the server has, or must get when it is back. */
  #policy: WrittenPolicy | undefined;
  /** Whether the server may have other weights. */
  #lost = true;
  /** How often weights were loaded into a server whose weights were not known. */
  #unknownLoads = 0;
  #loading: Promise<void> = Promise.resolve();
  readonly #counted = { sampledTokens: 0, prefillTokens: 0, secondsBusy: 0 };
  #running = 0;
  #busySince = 0;

  private constructor(server: EngineServer, weights: EngineWeights, signal: AbortSignal) {
    this.#server = server;
    this.#weights = weights;
    this.#signal = signal;
  }

  /** Opens no connection; loading the first weights does. @throws {EngineError} CONFIG_INVALID; {RewardError} without the key */
  static async open(options: EngineSamplerOptions): Promise<EngineSampler> {
    const { engine, temperature, weightUpdates, place, runId, model, environment, logger, signal } = options;
    const { weightsType } = engine;
    const values = Object.values(parameterShapes(model.config)).reduce(
      (sum, shape) => sum + shape.reduce((product, size) => product * size, 1),
      0,
    );
    const root = weightsRoot(engine, values * (weightsType === "float32" ? 4 : 2));
    const folder = join(root, runId, `engine-${place}`);
    // Removes what an earlier process of this actor left behind.
    await rm(folder, { recursive: true, force: true });
    makeFolder(folder);
    const weights = await EngineWeights.open(folder, { ...model, weightsType });
    const apiKey = await readToken({ tokenEnv: engine.tokenEnv }, environment);
    const server = new EngineServer({
      ...{ engine, temperature, weightUpdates, place, apiKey, environment, folder, logger },
    });
    const sampler = new EngineSampler(server, weights, signal);
    if (engine.adapters === "served") sampler.setAdapters = sampler.#setAdapters;
    return sampler;
  }

  get name(): string {
    return this.#server.name;
  }

  get policyVersion(): number {
    return this.#newest?.policyVersion ?? -1;
  }

  get weightsHash(): string {
    return this.#newest?.weightsHash ?? "";
  }

  get #newest() {
    return this.#policy?.adapters ?? this.#policy;
  }

  get stats(): SampledSoFar {
    return this.#counted;
  }

  /** @throws {EngineError} */
  async generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult> {
    // A load that fails says so to those who asked for it; whoever samples learns that the weights are unknown.
    for (let awaited: unknown; awaited !== this.#loading; ) {
      awaited = this.#loading;
      await this.#loading.catch(() => undefined);
    }
    if (this.#lost)
      throw new EngineError(
        "UNREACHABLE",
        `${this.name}: the weights that it has loaded are unknown; load weights again`,
      );
    if (this.#running++ === 0) this.#busySince = performance.now();
    try {
      const result = await this.#server.sampler.generate(request, signal);
      this.#counted.sampledTokens += result.tokenIds.length;
      this.#counted.prefillTokens += request.promptTokenIds.length;
      return result;
    } finally {
      if (--this.#running === 0) this.#counted.secondsBusy += (performance.now() - this.#busySince) / 1000;
    }
  }

  /** Runs work that samples, and returns its value only if the weights were the loaded ones until its end (ENGINE-2). */
  async under<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#unknownLoads;
    try {
      const value = await work();
      await this.#server.confirm(this.#signal);
      if (this.#unknownLoads === before) return value;
      throw new EngineError(
        "OTHER_WEIGHTS",
        `${this.name}: weights were loaded again while an episode ran, because the server had lost them; run it again`,
      );
    } catch (reason) {
      // Where they were lost before, they may be known again.
      if (isAway(reason) && this.#unknownLoads === before) this.#lost = true;
      throw reason;
    }
  }

  /** @throws {EngineError}: `back` then loads them as soon as the server is up */
  async setWeights(parameters: HeldParameters, policyVersion: number, weightsHash = ""): Promise<void> {
    await this.#change(await this.#weights.write(parameters, policyVersion, weightsHash));
  }

  /** Sets adapters over the weights that were set before; absent where the recipe wants them merged. */
  setAdapters?: NonNullable<PolicySampler["setAdapters"]>;

  async #setAdapters(adapters: Parameters, policyVersion: number, weightsHash = ""): Promise<void> {
    const base = this.#policy;
    if (base === undefined) throw new Error("adapters are set before the weights that they belong to");
    await this.#change(await this.#weights.writeAdapters(base, adapters, policyVersion, weightsHash));
  }

  async #change(policy: WrittenPolicy): Promise<void> {
    this.#policy = policy;
    await this.#inTurn(this.#signal, (signal) => this.#server.confirm(signal), true);
    await this.#weights.keepOnly(policy);
  }

  /**
   * Waits until the server is up, and loads the weights if it may have others.
   * @throws {EngineError}; the signal's reason
   */
  async back(signal: AbortSignal): Promise<void> {
    await this.#inTurn(signal, (within) => this.#server.check(within), false);
  }

  /** @param same rejects if the server may have lost its weights @param isNew whether it has yet to get the policy */
  async #inTurn(
    signal: AbortSignal,
    same: (signal: AbortSignal) => Promise<void>,
    isNew: boolean,
  ): Promise<void> {
    this.#loading = this.#loading
      .catch(() => undefined)
      .then(async () => {
        const policy = this.#policy;
        if (policy === undefined) return;
        if (!this.#lost) {
          await same(signal).catch(() => {
            this.#lost = true;
          });
          if (!this.#lost && !isNew) return;
        }
        const wasLost = this.#lost;
        if (wasLost) this.#unknownLoads += 1;
        // Until the load has succeeded it is not known what the server has.
        this.#lost = true;
        await this.#server.load(policy, signal, { hasBase: !wasLost });
        this.#lost = false;
      });
    await this.#loading;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#weights.remove();
  }
}

/** Returns whether the engine is down, restarting, or has wrong weights, so that the request is not to blame. */
export function isAway(reason: unknown): boolean {
  return reason instanceof EngineError && ["UNREACHABLE", "OTHER_WEIGHTS", "CLOSED"].includes(reason.code);
}

/** Returns whether the engine may be about to fail: either the request or the engine may be to blame. */
export function isAiling(reason: unknown): boolean {
  return reason instanceof EngineError && ["SERVER_FAILED", "OVERLOADED", "TIMEOUT"].includes(reason.code);
}

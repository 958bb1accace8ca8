import { setImmediate } from "node:timers/promises";
import { type Backend, type FunctionStats, JitError, type JitMode } from "@palimpsest/jit";
import { checkKind } from "@palimpsest/std/input";
import type { ChosenPrecision } from "../base/chosen-precision.js";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import type { LoraConfig } from "../base/lora.js";
import { checkFinite, checkParameters, type HeldParameters, hashWeights } from "../base/parameters.js";
import { Batch } from "./batch/batch.js";
import { DeviceCalls } from "./batch/device-calls.js";
import { Generation } from "./batch/generation.js";
import { SamplerMeter, type SamplerStats } from "./batch/sampler-stats.js";
import { StopMatcher } from "./batch/stop-matcher.js";
import {
  type KnownWeights,
  type PolicyName,
  type PolicyValues,
  WeightChanges,
} from "./batch/weight-changes.js";
import type { CachePool } from "./calls/cache-pool.js";
import type { SamplingDevice } from "./calls/sampling-device.js";
import {
  checkRequest,
  type GenerateRequest,
  type GenerateResult,
  type SamplerConfig,
  type SamplerConfigInput,
} from "./draw/request.js";
import { withMemoryAdvice } from "./sampler-memory.js";
import { parseLimits, type SamplerParts, samplerParts } from "./sampler-parts.js";

/*
 * Responsibility: continuous batching over one model. Requests arrive at any time, wait in a bounded queue, get a part of
 * the cache, have their prompts read in pieces, are sampled in one batch, and leave it when they stop.
 * Not responsible for: what the device computes (sampler-functions.ts, table-read.ts, table-decode.ts), which page or slot
 * stores what (page-pool.ts, slot-pool.ts), which requests a device call serves (device-calls.ts), chat templates, text.
 *
 * SAMPLER-1. A request's tokens depend on its prompt, seed, temperature, truncation and the weights; not on the rest of the batch,
 *     nor on how much of its prompt others had read. (Rounding may differ: kernels add in another order at another shape.)
 * SAMPLER-2. One result is sampled by one set of weights: new weights wait until the running requests are done, and
 *     no request starts meanwhile. The result names the version and hash that sampled it. What was read by old
 *     weights is never used with new ones. New weights wait for nothing but running requests, and between two changes
 *     waiting requests start: neither starves the other. With `weightUpdates: "in-flight"` they wait only for prompts that are half
 *     read; replies under way keep what old weights read, which no other request uses, and their results name the version of
 *     each token. With "staged" they wait until they are on the device, while requests go on and start.
 * SAMPLER-3. At most maxQueue requests wait; one more rejects with QUEUE_FULL and changes nothing.
 * SAMPLER-4. An aborted request rejects with the signal's reason before another token is sampled for it.
 * SAMPLER-5. The event loop runs between two device calls, so that the process's network and timers keep working.
 * SAMPLER-6. Requests start in the order of their arrival; running requests are continued in turn.
 * SAMPLER-7. While requests sample, at most `prefillTokens` prompt tokens, including padding, are read between two sampling
 *     calls. With a table of slots on a GPU, unless it is set, prompts are read until the requests that sample have waited four
 *     times as long as their last call, or two seconds: a token costs less the more of them a call samples.
 * SAMPLER-8. A value that is not finite fails only the request that it was computed for: its pages or slot are not kept, and are
 *     zeroed before the next call, because no mask hides a NaN.
 * SAMPLER-9. With `batchInvariant`, on a CPU in mode graph, a request's tokens and log-probs are the same bits regardless of what
 *     else is in its calls, how much of its prompt others had read, and the order in which requests came.
 * SAMPLER-10. A device call that fails rejects all running and waiting requests. Nothing that was in the cache is used again. If the
 *     call destroyed the state the sampler closes; otherwise it keeps working for the next request.
 * SAMPLER-11. Guesses (`speculate`) change when tokens come, not which: each is drawn at its own position from the model's own
 *     distribution, and dropped if the token before it was guessed wrong. (As in SAMPLER-1, rounding may differ.)
 */

/** How long new weights are copied between two calls: as long as the last one took, so that half of the time is for sampling. */
const [shortestStagingMs, longestStagingMs] = [10, 200];
/** How long the process may do nothing but receive more of them meanwhile. */
const fetchingMs = 3;

export interface ModelSamplerOptions extends SamplerConfigInput {
  readonly backend: Backend;
  readonly config: ModelConfig;
  /** By the names of `parameterShapes`. What a sampler keeps in bfloat16 may be given as such, in its bits: half of the bytes. */
  readonly parameters: HeldParameters;
  readonly policyVersion?: number;
  /** Default: computed from the parameters. */
  readonly weightsHash?: string;
  /** Adapters will be set by `setAdapters`: the weights are kept on the device as their base, besides the merged ones. */
  readonly lora?: LoraConfig | undefined;
  readonly mode?: "auto" | JitMode;
  /** Decodes token ids; requests with `stop` need it. */
  readonly decode?: (tokenIds: readonly number[]) => string;
}

/** @throws {ModelError} CONFIG_INVALID, TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, MEMORY_EXHAUSTED */
export function createSampler(options: ModelSamplerOptions): ModelSampler {
  const refuse = (problem: string) => new ModelError("CONFIG_INVALID", problem);
  checkKind(options, "options of createSampler()", "an object", refuse);
  for (const part of ["backend", "config", "parameters"] as const)
    checkKind(options[part], `options of createSampler(): ${part}`, "an object", refuse);
  return new ModelSampler(options);
}

export class ModelSampler {
  readonly #model: ModelConfig;
  readonly #limits: SamplerConfig;
  readonly #weights: WeightChanges;
  readonly #decodeText: ModelSamplerOptions["decode"];
  readonly #device: SamplingDevice;
  readonly #pool: CachePool;
  readonly #meter: SamplerMeter;
  readonly #chosen: ChosenPrecision;
  readonly #batch: Batch;
  readonly #calls: DeviceCalls;
  #pump: Promise<void> | undefined;
  #closed = false;
  /** The failure that closed it, unless its owner did. */
  #closedBy: unknown;

  constructor(options: ModelSamplerOptions) {
    const { backend, config, parameters, policyVersion, weightsHash, mode, decode, lora, ...limits } =
      options;
    this.#limits = parseLimits(limits, config);
    checkParameters(config, parameters);
    checkFinite(parameters);
    this.#model = config;
    this.#decodeText = decode;
    let made: SamplerParts | undefined;
    try {
      made = samplerParts(backend, mode ?? "auto", config, this.#limits, lora);
      for (const _ of made.device.writeWeights(parameters));
    } catch (error) {
      made?.device.dispose();
      throw withMemoryAdvice(error, this.#limits, "the sampler was not created");
    }
    const { chosen, device, pool, shapes } = made;
    this.#chosen = chosen;
    this.#device = device;
    this.#pool = pool;
    const meter = new SamplerMeter(shapes.maxRows);
    this.#meter = meter;
    const weights = new WeightChanges(
      { model: config, lora, device },
      { policyVersion: policyVersion ?? 0, weightsHash: weightsHash ?? hashWeights(parameters) },
    );
    this.#weights = weights;
    const batch = new Batch(pool, this.#limits.maxBatch, meter);
    this.#batch = batch;
    this.#calls = new DeviceCalls({ device, shapes, batch, meter, policy: () => weights.current });
  }

  get mode(): JitMode {
    return this.#device.mode;
  }

  /** The type in which matrices are stored and multiplied, and why. */
  get precision(): ChosenPrecision {
    return this.#chosen;
  }

  get policyVersion(): number {
    return this.#weights.current.policyVersion;
  }

  get weightsHash(): string {
    return this.#weights.current.weightsHash;
  }

  get stats(): SamplerStats {
    return this.#meter.read({ queueDepth: this.#batch.waiting.length, running: this.#batch.running.length });
  }

  /**
   * @throws {ModelError} REQUEST_INVALID, QUEUE_FULL, CLOSED, MEMORY_EXHAUSTED; NOT_FINITE if the model gives NaN
   * @throws the signal's reason when aborted, and what the request's onTokens throws
   */
  async generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult> {
    signal?.throwIfAborted();
    this.#checkOpen();
    const decode = this.#decodeText;
    checkRequest(request, {
      vocabSize: this.#model.vocabSize,
      maxLength: this.#limits.maxLength,
      canDecode: decode !== undefined,
    });
    if (this.#batch.waiting.length >= this.#limits.maxQueue) {
      const message = `${this.#batch.waiting.length} requests are already waiting; send fewer at once or raise maxQueue`;
      throw new ModelError("QUEUE_FULL", message);
    }
    const { stop = [] } = request;
    const stops = decode === undefined || stop.length === 0 ? undefined : new StopMatcher(stop, decode);
    return await new Promise<GenerateResult>((resolve, reject) => {
      const onAbort = () => {
        this.#batch.forget(generation);
        generation.settle({ error: signal?.reason });
      };
      const generation = new Generation(request, stops, (outcome) => {
        signal?.removeEventListener("abort", onAbort);
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome);
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#batch.add(generation);
      this.#wake();
    });
  }

  /**
   * Replaces the weights once the running requests are done, or between two calls (SAMPLER-2), and resolves when they are in place.
   * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, MEMORY_EXHAUSTED, CLOSED
   */
  async setWeights(
    parameters: HeldParameters,
    policyVersion: number,
    weightsHash: string = hashWeights(parameters),
    known: KnownWeights = {},
  ): Promise<void> {
    await this.#change({ parameters, isFinite: known.isFinite ?? false }, { policyVersion, weightsHash });
  }

  /**
   * Tells that values of parameters are there that `setWeights` will be given, in the same record. With `weightUpdates: "staged"` they are
   * copied to the device meanwhile, so that the change itself copies little; else nothing happens.
   * @param names whose values must not change any more
   * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, CLOSED
   */
  stageWeights(parameters: HeldParameters, names: Iterable<string>): void {
    this.#checkOpen();
    this.#weights.announce(parameters, names);
    this.#wake();
  }

  /** Forgets what `stageWeights` was told, because values have changed. */
  forgetStaged(): void {
    this.#weights.forget();
  }

  /**
   * Replaces the adapters and merges them into the base; if the base has not changed, only adapters are written. Otherwise
   * works like `setWeights`. The arrays must not be modified afterwards.
   * @throws {ModelError} as `setWeights`; CONFIG_INVALID if the sampler was created without `lora`
   */
  async setAdapters(
    adapters: Readonly<Record<string, Float32Array>>,
    policyVersion: number,
    weightsHash: string = hashWeights(adapters),
  ): Promise<void> {
    await this.#change({ adapters }, { policyVersion, weightsHash });
  }

  #change(values: PolicyValues, name: PolicyName): Promise<void> {
    this.#checkOpen();
    this.#weights.check(values);
    const changed = this.#weights.add({ ...values, ...name });
    this.#wake();
    return changed;
  }

  /** The cost of each compiled function so far; in mode xla the first call includes its compilation. */
  get functionStats(): Readonly<Record<string, FunctionStats>> {
    return this.#device.functionStats;
  }

  /**
   * Compiles functions that requests will need, one per turn of the event loop, while a run starts up. It ends when requests
   * arrive, since they compile what they need. It does nothing in modes that compile nothing.
   * @throws {ModelError} MEMORY_EXHAUSTED; {JitError} EXECUTION_FAILED
   */
  async prepare(): Promise<void> {
    for (const prepare of this.#device.preparations()) {
      await setImmediate();
      if (this.#closed || this.#hasWork()) return;
      try {
        prepare();
      } catch (error) {
        throw this.#failed(error);
      }
    }
  }

  /** Rejects waiting and running requests with CLOSED and frees the device's memory. Closing twice does nothing. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#failAll(new ModelError("CLOSED", "the sampler was closed"));
    }
    await this.#pump;
    this.#device.dispose();
  }

  #wake(): void {
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
      // A request may have arrived after the loop had found no more work.
      if (!this.#closed && this.#hasWork()) this.#wake();
    });
  }

  async #run(): Promise<void> {
    // The first turn lets all requests of this tick arrive, so that they start together.
    for (await setImmediate(); !this.#closed && this.#hasWork(); await setImmediate()) {
      try {
        await this.#turn();
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  /** SAMPLER-10. @returns the error for the callers */
  #failed(error: unknown): unknown {
    const told = withMemoryAdvice(error, this.#limits);
    if (error instanceof JitError && error.losesState) {
      this.#closed = true;
      this.#closedBy = told;
    }
    this.#failAll(told);
    // What was read before may have been overwritten.
    this.#pool.clear();
    return told;
  }

  #hasWork(): boolean {
    if (this.#weights.isWaiting || this.#weights.isStageable) return true;
    return this.#batch.waiting.length > 0 || this.#batch.running.length > 0;
  }

  /** Makes one device call, after applying new weights if they are due. */
  async #turn(): Promise<void> {
    this.#batch.zeroUnsound((pages) => this.#device.zeroPages(pages));
    const isBlocking = this.#weights.isWaiting && this.#weights.isReady;
    const isDue = isBlocking && this.#mayChange();
    if (isDue) {
      await this.#applyWeights();
      if (this.#closed) return;
    }
    // Requests start after a change even if the next one is waiting already (SAMPLER-2).
    if (isDue || !isBlocking) this.#batch.admit();
    const startedAt = performance.now();
    this.#calls.next();
    if (!this.#weights.isStaging) return;
    const calledAt = performance.now();
    // Otherwise each step of a fetch would wait for a call, and there are ten for each part of the weights.
    do await setImmediate();
    while (this.#batch.running.length > 0 && performance.now() < calledAt + fetchingMs);
    if (!this.#closed)
      this.#weights.stage(Math.min(longestStagingMs, Math.max(shortestStagingMs, calledAt - startedAt)));
  }

  #mayChange(): boolean {
    if (this.#limits.weightUpdates !== "drained") return !this.#batch.isReading;
    return this.#batch.running.length === 0;
  }

  async #applyWeights(): Promise<void> {
    this.#pool.clear();
    try {
      await this.#weights.apply((error) => withMemoryAdvice(error, this.#limits));
    } catch (error) {
      // Some tensors may be new and some old, so nothing may be sampled from them.
      this.#closed = true;
      this.#closedBy = error;
      this.#failAll(error);
    }
  }

  #failAll(error: unknown): void {
    this.#batch.fail(error);
    this.#weights.fail(error);
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    const reason = this.#closedBy instanceof Error ? ` by a failure (${this.#closedBy.message})` : "";
    throw new ModelError("CLOSED", `the sampler was closed${reason}; create another one with createSampler`, {
      cause: this.#closedBy,
    });
  }
}

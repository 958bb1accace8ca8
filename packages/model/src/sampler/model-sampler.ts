import { setImmediate } from "node:timers/promises";
import { type Backend, type FunctionStats, JitError, type JitMode } from "@palimpsest/jit";
import type { ChosenPrecision } from "../chosen-precision.js";
import type { ModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import type { LoraConfig } from "../lora.js";
import { checkFinite, checkParameters, hashWeights } from "../parameters.js";
import type { CachePool } from "./cache-pool.js";
import type { CallPlan } from "./call-plan.js";
import { Generation } from "./generation.js";
import { pieceForm, readBatch } from "./read-batch.js";
import {
  checkRequest,
  type GenerateRequest,
  type GenerateResult,
  type SamplerConfig,
  type SamplerConfigInput,
} from "./request.js";
import { withMemoryAdvice } from "./sampler-memory.js";
import { parseLimits, samplerParts } from "./sampler-parts.js";
import { SamplerMeter, type SamplerStats } from "./sampler-stats.js";
import type { SampledRow, SamplingDevice } from "./sampling-device.js";
import { StopMatcher } from "./stop-matcher.js";
import { type PolicyName, type PolicyValues, WeightChanges } from "./weight-changes.js";

/*
 * Responsibility: continuous batching over one model. Requests arrive at any time, wait in a bounded queue, get a part of
 * the cache, have their prompts read in pieces, are sampled in one batch, and leave it when they stop.
 * Not responsible for: what the device computes (sampler-functions.ts, table-read.ts, table-decode.ts), which page or slot
 * stores what (page-pool.ts, slot-pool.ts), chat templates, text.
 *
 * M1. A request's tokens depend on its prompt, seed, temperature, truncation and the weights; not on the rest of the batch,
 *     nor on how much of its prompt others had read. (Rounding may differ: kernels add in another order at another shape.)
 * M2. One result is sampled by one set of weights: new weights wait until the running requests are done, and
 *     no request starts meanwhile. The result names the version and hash that sampled it. What was read by old
 *     weights is never used with new ones. New weights wait for nothing but running requests, and between two changes
 *     waiting requests start: neither starves the other.
 * M3. At most maxQueue requests wait; one more rejects with QUEUE_FULL and changes nothing.
 * M4. An aborted request rejects with the signal's reason before another token is sampled for it.
 * M5. The event loop runs between two device calls, so that the process's network and timers keep working.
 * M6. Requests start in the order of their arrival; running requests are continued in turn.
 * M7. While requests sample, at most `prefillTokens` prompt tokens, including padding, are read between two sampling
 *     calls.
 * M8. A value that is not finite fails only the request that it was computed for: its pages or slot are not kept, and are
 *     zeroed before the next call, because no mask hides a NaN.
 * M9. With `batchInvariant`, on a CPU in mode graph, a request's tokens and log-probs are the same bits regardless of what
 *     else is in its calls, how much of its prompt others had read, and the order in which requests came.
 * M10. A device call that fails rejects all running and waiting requests. Nothing that was in the cache is used again. If the
 *     call destroyed the state the sampler closes; otherwise it keeps working for the next request.
 * M11. Guesses (`speculate`) change when tokens come, not which: each is drawn at its own position from the model's own
 *     distribution, and dropped if the token before it was guessed wrong. (As in M1, rounding may differ.)
 */

/** Tokens between two turns of the event loop: about a tenth of a second. */
const stepsAlone = 4;

export interface ModelSamplerOptions extends SamplerConfigInput {
  readonly backend: Backend;
  readonly config: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
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
  return new ModelSampler(options);
}

export class ModelSampler {
  readonly #model: ModelConfig;
  readonly #limits: SamplerConfig;
  readonly #weights: WeightChanges;
  readonly #decodeText: ModelSamplerOptions["decode"];
  readonly #shapes: CallPlan;
  readonly #device: SamplingDevice;
  readonly #pool: CachePool;
  readonly #meter: SamplerMeter;
  readonly #chosen: ChosenPrecision;
  #waiting: Generation[] = [];
  /** Requests that own a part of the cache, in the order in which they are continued. */
  #running: Generation[] = [];
  /** Prompt tokens read since the last call that sampled. */
  #readSinceDecode = 0;
  #pump: Promise<void> | undefined;
  /** Pages or slots to be zeroed before the next call; undefined: none, and the spare page is clean too. */
  #unsound: number[] | undefined;
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
    let made: SamplingDevice | undefined;
    try {
      const parts = samplerParts(backend, mode ?? "auto", config, this.#limits, lora);
      made = parts.device;
      this.#shapes = parts.shapes;
      this.#pool = parts.pool;
      this.#chosen = parts.chosen;
      this.#device = parts.device;
      this.#device.writeWeights(parameters);
    } catch (error) {
      made?.dispose();
      throw withMemoryAdvice(error, this.#limits, "the sampler was not made");
    }
    this.#meter = new SamplerMeter(this.#shapes.maxRows);
    this.#weights = new WeightChanges(
      { model: config, lora, device: this.#device },
      { policyVersion: policyVersion ?? 0, weightsHash: weightsHash ?? hashWeights(parameters) },
    );
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
    return this.#meter.read({ queueDepth: this.#waiting.length, running: this.#running.length });
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
    if (this.#waiting.length >= this.#limits.maxQueue) {
      const message = `${this.#waiting.length} requests wait already; send fewer at once or raise maxQueue`;
      throw new ModelError("QUEUE_FULL", message);
    }
    const { stop = [] } = request;
    const stops = decode === undefined || stop.length === 0 ? undefined : new StopMatcher(stop, decode);
    return await new Promise<GenerateResult>((resolve, reject) => {
      const onAbort = () => {
        this.#forget(generation);
        generation.settle({ error: signal?.reason });
      };
      const generation = new Generation(request, stops, (outcome) => {
        signal?.removeEventListener("abort", onAbort);
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome);
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(generation);
      this.#wake();
    });
  }

  /**
   * Replaces the weights once the running requests are done (M2), and resolves when they are in place.
   * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, MEMORY_EXHAUSTED, CLOSED
   */
  async setWeights(
    parameters: Readonly<Record<string, Float32Array>>,
    policyVersion: number,
    weightsHash: string = hashWeights(parameters),
  ): Promise<void> {
    await this.#change({ parameters }, { policyVersion, weightsHash });
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
        this.#turn();
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  /** M10. @returns the error for the callers */
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
    return this.#waiting.length > 0 || this.#weights.isWaiting || this.#running.length > 0;
  }

  /** Makes one device call, after applying new weights if they are due. */
  #turn(): void {
    if (this.#unsound !== undefined) {
      this.#device.zeroPages(this.#unsound);
      this.#unsound = undefined;
    }
    if (this.#weights.isWaiting && this.#running.length === 0) this.#applyWeights();
    if (!this.#weights.isWaiting) this.#admit();
    const readable = this.#running.find(
      (generation) => generation.isReading && this.#pool.state(this.#leaseOf(generation)) === "filled",
    );
    const sampling = this.#running.find((generation) => !generation.isReading);
    // While some requests sample: what may be read before their next call; otherwise whatever one call fits.
    const budget =
      sampling === undefined ? Number.POSITIVE_INFINITY : this.#shapes.prefillTokens - this.#readSinceDecode;
    if (readable !== undefined && pieceForm(readable, this.#shapes).padded <= budget)
      this.#read(readable, budget);
    else if (sampling !== undefined) this.#continue(sampling);
  }

  #applyWeights(): void {
    this.#pool.clear();
    try {
      this.#weights.apply((error) => withMemoryAdvice(error, this.#limits));
    } catch (error) {
      // Some tensors may be new and some old, so nothing may be sampled from them.
      this.#closed = true;
      this.#closedBy = error;
      this.#failAll(error);
    }
  }

  /** Gives cache room to waiting requests, oldest first, as long as there is some. */
  #admit(): void {
    let started = 0;
    for (const generation of this.#waiting) {
      if (this.#running.length >= this.#limits.maxBatch) break;
      const { promptTokenIds, maxTokens } = generation.request;
      const lease = this.#pool.reserve(promptTokenIds, promptTokenIds.length + maxTokens);
      if (lease === undefined) break;
      generation.lease = lease;
      generation.readTokens = lease.sharedTokens;
      this.#running.push(generation);
      this.#meter.addStarted((performance.now() - generation.arrivedAtMs) / 1000, lease.sharedTokens);
      started++;
    }
    this.#waiting = this.#waiting.slice(started);
  }

  /** Reads the next piece of a prompt, and of others that can share its call, `budget` tokens at most. */
  #read(first: Generation, budget: number): void {
    const readable = this.#running.filter(
      (generation) => generation.isReading && this.#pool.state(this.#leaseOf(generation)) === "filled",
    );
    const plan = readBatch(first, readable, this.#shapes, budget);
    const { generations: batch, pieces, length } = plan;
    const rows = batch.map((generation, i) => generation.deviceRow(pieces[i]));
    const tokens = pieces.reduce((sum, piece) => sum + piece, 0);
    const sampled = this.#meter.time(rows.length, tokens, () => this.#device.read(rows, length));
    this.#readSinceDecode += plan.paddedTokens;
    this.#notePoisoned(batch, sampled);
    batch.forEach((generation, i) => {
      if (generation.lease === undefined) return; // Another request's onTokens aborted it.
      generation.readTokens += pieces[i] as number;
      this.#pool.filled(this.#leaseOf(generation), generation.readTokens);
      // A NaN within a prompt cannot go away, so the request fails at once.
      if (!generation.isReading || generation.isPoisoned) this.#take(generation, sampled[i] as SampledRow);
    });
  }

  /** Samples for the next running request, and for others with as many steps and a similar attended length. */
  #continue(next: Generation): void {
    const stepsOf = (generation: Generation) =>
      this.#device.needsHost(generation.request) ? 0 : this.#shapes.stepsFor(generation.remainingTokens);
    const pastOf = ({ writtenTokens }: Generation) => this.#shapes.pastClass(writtenTokens);
    const [steps, past] = [stepsOf(next), pastOf(next)];
    const alike = this.#running.filter(
      (generation) => !generation.isReading && stepsOf(generation) === steps && pastOf(generation) === past,
    );
    const batch = alike.slice(0, this.#shapes.maxRows);
    if (alike.length === 1 && this.#running.every((other) => other === next) && this.#verify(next)) return;
    if (this.#sampleAlone(next)) return;
    const taken = new Set(batch);
    // Moves them to the back, so that all requests are served in turn.
    this.#running = [...this.#running.filter((generation) => !taken.has(generation)), ...batch];
    const rows = batch.map((generation) => generation.deviceRow());
    // Drawing on the host goes token by token.
    const sampled = this.#meter.time(rows.length, 0, () => this.#device.decode(rows, Math.max(1, steps)));
    this.#readSinceDecode = 0;
    this.#notePoisoned(batch, sampled);
    batch.forEach((generation, i) => {
      this.#take(generation, sampled[i] as SampledRow);
    });
  }

  /** Samples a request that runs alone in the single-request decoder; returns false if the device has none ready. */
  #sampleAlone(generation: Generation): boolean {
    if (this.#device.sampleAlone === undefined || this.#running.length > 1 || this.#waiting.length > 0)
      return false;
    const steps = Math.min(stepsAlone, generation.remainingTokens);
    const row = generation.deviceRow();
    const sampled = this.#meter.time(1, 0, () => this.#device.sampleAlone?.(row, steps));
    if (sampled === undefined) return false;
    this.#readSinceDecode = 0;
    this.#notePoisoned([generation], [sampled]);
    this.#take(generation, sampled);
    return true;
  }

  /** Checks guesses for the only running request in one pass; returns false if there are none. */
  #verify(generation: Generation): boolean {
    const { guesses = 0 } = this.#device;
    const { request } = generation;
    const row = guesses === 0 || this.#device.needsHost(request) ? undefined : generation.guessedRow(guesses);
    if (row === undefined) return false;
    const sampled = this.#meter.time(1, 0, () => this.#device.verify?.(row) ?? []);
    this.#readSinceDecode = 0;
    this.#notePoisoned([generation], [sampled]);
    const held = generation.verified(row, sampled);
    this.#meter.addGuessed(row.tokenIds.length - 1, held.length - 1);
    this.#take(generation, held);
    return true;
  }

  /** Marks poisoned requests before any tokens are taken, because a callback may abort other requests. */
  #notePoisoned(batch: readonly Generation[], sampled: readonly SampledRow[]): void {
    batch.forEach((generation, i) => {
      const finite = sampled[i]?.every(
        ({ rolloutLogprob, sampledLogprob }) =>
          Number.isFinite(rolloutLogprob) && Number.isFinite(sampledLogprob),
      );
      if (finite === true) return;
      generation.isPoisoned = true;
      this.#unsound ??= [];
    });
  }

  #take(generation: Generation, sampled: SampledRow): void {
    if (generation.lease === undefined) return; // Another request's onTokens aborted it.
    const before = generation.sampledTokens;
    try {
      const result = generation.take(sampled);
      if (result === undefined) return;
      this.#forget(generation);
      generation.settle({ ...result, ...this.#weights.current });
    } catch (error) {
      this.#forget(generation);
      generation.settle({ error });
    } finally {
      this.#meter.addSampled(generation.sampledTokens - before);
    }
  }

  /** Removes it from the queue or from the batch. */
  #forget(generation: Generation): void {
    const { lease } = generation;
    if (lease === undefined) {
      this.#waiting = this.#waiting.filter((other) => other !== generation);
      return;
    }
    this.#release(generation);
    // Requests that waited for what this one was about to read start again, before all others.
    const stranded = this.#running.filter((other) => this.#pool.state(this.#leaseOf(other)) === "broken");
    for (const other of stranded) this.#release(other);
    this.#waiting.unshift(...stranded);
  }

  #release(generation: Generation): void {
    this.#running = this.#running.filter((other) => other !== generation);
    const lease = this.#leaseOf(generation);
    if (generation.isPoisoned) this.#unsound = [...(this.#unsound ?? []), ...this.#pool.discard(lease)];
    else this.#pool.release(lease, generation.writtenTokenIds);
    generation.isPoisoned = false;
    generation.lease = undefined;
    generation.readTokens = 0;
  }

  #leaseOf({ lease }: Generation): NonNullable<Generation["lease"]> {
    if (lease === undefined) throw new Error("internal: a request in the batch has no part of the cache");
    return lease;
  }

  #failAll(error: unknown): void {
    for (const generation of [...this.#waiting, ...this.#running]) {
      this.#forget(generation);
      generation.settle({ error });
    }
    this.#weights.fail(error);
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    const reason = this.#closedBy instanceof Error ? ` by a failure (${this.#closedBy.message})` : "";
    throw new ModelError("CLOSED", `the sampler was closed${reason}; make another with createSampler`, {
      cause: this.#closedBy,
    });
  }
}

import { setImmediate } from "node:timers/promises";
import type { Backend, JitMode } from "@palimpsest/jit";
import type { ModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { checkFinite, checkParameters, hashWeights } from "../parameters.js";
import {
  checkRequest,
  type FinishReason,
  type GenerateRequest,
  type GenerateResult,
  type SamplerConfig,
  type SamplerConfigInput,
  samplerConfigSchema,
} from "./request.js";
import { type SampledRow, SamplerDevice } from "./sampler-device.js";
import { SamplerMeter, type SamplerStats } from "./sampler-stats.js";

/*
 * Job: many generations at once over one model. Requests arrive at any time, wait in a bounded queue, get a
 * slot of the KV cache, leave it when they stop.
 * Not its job: what the device computes (sampler-functions.ts), chat templates, text.
 *
 * M1. A request's tokens depend on its prompt, seed, temperature and the weights; not on its batch mates.
 * M2. One result is sampled by one set of weights: new weights wait until the running requests are done, and
 *     no request starts meanwhile. The result names the version and hash that sampled it.
 * M3. At most maxQueue requests wait; one more rejects with QUEUE_FULL and changes nothing.
 * M4. An aborted request rejects with the signal's reason before another token is sampled for it.
 * M5. Between two device calls the event loop turns, so that network and timers of the process go on.
 * M6. Prompts of one length bucket are read together; the oldest waiting request is always among the next.
 */

export interface ModelSamplerOptions extends SamplerConfigInput {
  readonly backend: Backend;
  readonly config: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  readonly policyVersion?: number;
  /** Default: computed from the parameters. */
  readonly weightsHash?: string;
  readonly mode?: "auto" | JitMode;
}

interface Generation {
  readonly request: GenerateRequest;
  readonly lengthBucket: number;
  readonly tokenIds: number[];
  readonly logprobs: number[];
  /** Resolves or rejects the caller's promise and forgets the signal; later calls do nothing. */
  readonly settle: (outcome: GenerateResult | { readonly error: unknown }) => void;
}

interface Weights {
  readonly parameters: Readonly<Record<string, Float32Array>>;
  readonly policyVersion: number;
  readonly weightsHash: string;
}

interface WeightChange extends Weights {
  readonly applied: () => void;
  readonly failed: (error: unknown) => void;
}

/** @throws {ModelError} CONFIG_INVALID, TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE */
export function createSampler(options: ModelSamplerOptions): ModelSampler {
  return new ModelSampler(options);
}

export class ModelSampler {
  readonly #model: ModelConfig;
  readonly #limits: SamplerConfig;
  readonly #device: SamplerDevice;
  readonly #meter: SamplerMeter;
  #waiting: Generation[] = [];
  readonly #slots: (Generation | undefined)[];
  #current: Omit<Weights, "parameters">;
  #changes: WeightChange[] = [];
  #pump: Promise<void> | undefined;
  #closed = false;

  constructor(options: ModelSamplerOptions) {
    const { backend, config, parameters, policyVersion, weightsHash, mode, ...limits } = options;
    const parsed = samplerConfigSchema.safeParse(limits);
    if (!parsed.success) {
      const fields = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      throw new ModelError("CONFIG_INVALID", `sampler: ${fields.join("; ")}`, { cause: parsed.error });
    }
    this.#limits = parsed.data;
    if (this.#limits.maxLength > config.maxPositions) {
      const message = `sampler: maxLength ${this.#limits.maxLength} exceeds the model's maxPositions ${config.maxPositions}`;
      throw new ModelError("CONFIG_INVALID", message);
    }
    checkParameters(config, parameters);
    checkFinite(parameters);
    this.#model = config;
    this.#slots = new Array<undefined>(this.#limits.maxBatch).fill(undefined);
    this.#meter = new SamplerMeter(this.#limits.maxBatch);
    const { maxBatch: slots, maxLength, stepsPerCall } = this.#limits;
    this.#device = new SamplerDevice({
      backend,
      mode: mode ?? "auto",
      config,
      slots,
      maxLength,
      stepsPerCall,
    });
    this.#device.writeWeights(parameters);
    this.#current = {
      policyVersion: policyVersion ?? 0,
      weightsHash: weightsHash ?? hashWeights(parameters),
    };
  }

  get mode(): JitMode {
    return this.#device.mode;
  }

  get policyVersion(): number {
    return this.#current.policyVersion;
  }

  get weightsHash(): string {
    return this.#current.weightsHash;
  }

  get stats(): SamplerStats {
    return this.#meter.read(this.#waiting.length, this.#running().length);
  }

  /**
   * @throws {ModelError} REQUEST_INVALID, QUEUE_FULL, CLOSED; NOT_FINITE when the model gives NaN
   * @throws the signal's reason when aborted
   */
  async generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult> {
    signal?.throwIfAborted();
    this.#checkOpen();
    checkRequest(request, { vocabSize: this.#model.vocabSize, maxLength: this.#limits.maxLength });
    if (this.#waiting.length >= this.#limits.maxQueue) {
      const message = `${this.#waiting.length} requests wait already; send fewer at once or raise maxQueue`;
      throw new ModelError("QUEUE_FULL", message);
    }
    return await new Promise<GenerateResult>((resolve, reject) => {
      const onAbort = () => {
        this.#forget(generation);
        generation.settle({ error: signal?.reason });
      };
      const generation: Generation = {
        request,
        lengthBucket: this.#device.lengthBucket(request.promptTokenIds.length),
        tokenIds: [],
        logprobs: [],
        settle: (outcome) => {
          signal?.removeEventListener("abort", onAbort);
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(generation);
      this.#wake();
    });
  }

  /**
   * Resolves when the weights are in place, after the running requests are done (M2).
   * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, CLOSED
   */
  async setWeights(
    parameters: Readonly<Record<string, Float32Array>>,
    policyVersion: number,
    weightsHash: string = hashWeights(parameters),
  ): Promise<void> {
    this.#checkOpen();
    checkParameters(this.#model, parameters);
    checkFinite(parameters);
    await new Promise<void>((applied, failed) => {
      this.#changes.push({ parameters, policyVersion, weightsHash, applied, failed });
      this.#wake();
    });
  }

  /** Rejects what waits and runs with CLOSED and frees the device's memory. A second close does nothing. */
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
    });
  }

  async #run(): Promise<void> {
    // The first turn lets every request of this tick arrive, so that they start together.
    for (await setImmediate(); !this.#closed && this.#hasWork(); await setImmediate()) {
      try {
        this.#turn();
      } catch (error) {
        this.#failAll(error);
      }
    }
  }

  #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#changes.length > 0 || this.#running().length > 0;
  }

  /** One device call, or new weights. */
  #turn(): void {
    const running = this.#running();
    if (this.#changes.length > 0 && running.length === 0) this.#applyWeights();
    const batch = this.#changes.length > 0 ? [] : this.#nextBatch();
    if (batch.length > 0) this.#start(batch);
    else if (running.length > 0) this.#continue(running);
  }

  #applyWeights(): void {
    const changes = this.#changes;
    this.#changes = [];
    const newest = changes.at(-1) as WeightChange;
    try {
      this.#device.writeWeights(newest.parameters);
    } catch (error) {
      for (const { failed } of changes) failed(error);
      return;
    }
    this.#current = { policyVersion: newest.policyVersion, weightsHash: newest.weightsHash };
    for (const { applied } of changes) applied();
  }

  /** Takes from the queue what starts next, with the slots that it gets. */
  #nextBatch(): [number, Generation][] {
    const [oldest] = this.#waiting;
    const free = this.#slots.flatMap((generation, slot) => (generation === undefined ? slot : []));
    if (oldest === undefined || free.length === 0) return [];
    const alike = this.#waiting.filter((generation) => generation.lengthBucket === oldest.lengthBucket);
    const taken = alike.slice(0, this.#device.startSize(Math.min(alike.length, free.length)));
    const isTaken = new Set(taken);
    this.#waiting = this.#waiting.filter((generation) => !isTaken.has(generation));
    return taken.map((generation, i) => [free[i] as number, generation]);
  }

  #start(batch: readonly [number, Generation][]): void {
    for (const [slot, generation] of batch) this.#slots[slot] = generation;
    const rows = batch.map(([slot, generation]) => deviceRow(slot, generation));
    const promptTokens = rows.reduce((sum, row) => sum + row.promptTokenIds.length, 0);
    const length = (batch[0] as [number, Generation])[1].lengthBucket;
    const sampled = this.#meter.time(rows.length, promptTokens, () => this.#device.start(rows, length));
    batch.forEach(([slot, generation], i) => {
      this.#take(slot, generation, sampled[i] as SampledRow);
    });
  }

  #continue(running: readonly [number, Generation][]): void {
    const rows = running.map(([slot, generation]) => deviceRow(slot, generation));
    const sampled = this.#meter.time(rows.length, 0, () => this.#device.continue(rows));
    running.forEach(([slot, generation], i) => {
      this.#take(slot, generation, sampled[i] as SampledRow);
    });
  }

  /** Keeps sampled tokens up to the stop or the limit; what a call sampled beyond is dropped. */
  #take(slot: number, generation: Generation, sampled: SampledRow): void {
    const { request, tokenIds, logprobs } = generation;
    const before = tokenIds.length;
    let finish: FinishReason | undefined;
    for (let i = 0; i < sampled.tokenIds.length && finish === undefined; i++) {
      const token = sampled.tokenIds[i] as number;
      tokenIds.push(token);
      logprobs.push(sampled.logprobs[i] as number);
      if (request.stopTokenIds.includes(token)) finish = "stop";
      else if (tokenIds.length >= request.maxTokens) finish = "length";
    }
    this.#meter.addSampled(tokenIds.length - before);
    if (logprobs.some((logprob) => !Number.isFinite(logprob))) {
      this.#slots[slot] = undefined;
      const message = `the model of version ${this.policyVersion} gives ${logprobs.at(-1)} as a log-probability; its weights diverged`;
      generation.settle({ error: new ModelError("NOT_FINITE", message) });
    } else if (finish !== undefined) {
      this.#slots[slot] = undefined;
      generation.settle({ tokenIds, rolloutLogprobs: logprobs, stopReason: finish, ...this.#current });
    }
  }

  #running(): [number, Generation][] {
    return this.#slots.flatMap((generation, slot): [number, Generation][] =>
      generation === undefined ? [] : [[slot, generation]],
    );
  }

  #forget(generation: Generation): void {
    this.#waiting = this.#waiting.filter((other) => other !== generation);
    const slot = this.#slots.indexOf(generation);
    if (slot >= 0) this.#slots[slot] = undefined;
  }

  #failAll(error: unknown): void {
    const failed = [...this.#waiting, ...this.#running().map(([, generation]) => generation)];
    this.#waiting = [];
    this.#slots.fill(undefined);
    for (const generation of failed) generation.settle({ error });
    for (const { failed } of this.#changes.splice(0)) failed(error);
  }

  #checkOpen(): void {
    if (this.#closed)
      throw new ModelError("CLOSED", "the sampler was closed; make another with createSampler");
  }
}

function deviceRow(slot: number, generation: Generation) {
  const { promptTokenIds, temperature, seed } = generation.request;
  return { slot, promptTokenIds, temperature, seed, sampledTokenIds: generation.tokenIds };
}

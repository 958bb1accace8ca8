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
import { type DeviceRow, type SampledRow, SamplerDevice } from "./sampler-device.js";
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
 * M6. The oldest waiting request is among the next to start; running requests are continued in turn.
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
  /** Undefined while it waits. */
  slot: number | undefined;
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
  /** Those with a slot, in the order in which they are continued. */
  #running: Generation[] = [];
  readonly #freeSlots: number[];
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
    this.#freeSlots = Array.from({ length: this.#limits.maxBatch }, (_, slot) => slot);
    const { maxBatch: slots, maxLength, stepsPerCall, promptLengths } = this.#limits;
    this.#device = new SamplerDevice({
      backend,
      mode: mode ?? "auto",
      config,
      slots,
      maxLength,
      stepsPerCall,
      promptLengths,
    });
    this.#meter = new SamplerMeter(this.#device.maxRows);
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
    return this.#meter.read(this.#waiting.length, this.#running.length);
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
        slot: undefined,
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
      // A request may have arrived after the loop looked for work and before this.
      if (!this.#closed && this.#hasWork()) this.#wake();
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
    return this.#waiting.length > 0 || this.#changes.length > 0 || this.#running.length > 0;
  }

  /** One device call, after new weights where they are due. */
  #turn(): void {
    if (this.#changes.length > 0 && this.#running.length === 0) this.#applyWeights();
    const [oldest] = this.#waiting;
    const [next] = this.#running;
    if (this.#changes.length === 0 && oldest !== undefined && this.#freeSlots.length > 0) this.#start(oldest);
    else if (next !== undefined) this.#continue(next);
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

  /** Reads the prompt of the oldest waiting request, and of others whose padded length is the same. */
  #start({ lengthBucket }: Generation): void {
    const alike = this.#waiting.filter((generation) => generation.lengthBucket === lengthBucket);
    const batch = alike.slice(0, Math.min(this.#freeSlots.length, this.#device.maxRows));
    const taken = new Set(batch);
    this.#waiting = this.#waiting.filter((generation) => !taken.has(generation));
    for (const generation of batch) generation.slot = this.#freeSlots.pop();
    this.#running.push(...batch);
    const rows = batch.map(deviceRow);
    const promptTokens = rows.reduce((sum, row) => sum + row.promptTokenIds.length, 0);
    const sampled = this.#meter.time(rows.length, promptTokens, () => this.#device.start(rows, lengthBucket));
    this.#takeAll(batch, sampled);
  }

  /** Samples on for the next running request, and for others that take as many steps. */
  #continue(next: Generation): void {
    const stepsOf = ({ request, tokenIds }: Generation) =>
      this.#device.stepBucket(request.maxTokens - tokenIds.length);
    const steps = stepsOf(next);
    const alike = this.#running.filter((generation) => stepsOf(generation) === steps);
    const batch = alike.slice(0, this.#device.maxRows);
    const taken = new Set(batch);
    // To the back of the row, so that everybody's turn comes.
    this.#running = [...this.#running.filter((generation) => !taken.has(generation)), ...batch];
    const sampled = this.#meter.time(batch.length, 0, () =>
      this.#device.continue(batch.map(deviceRow), steps),
    );
    this.#takeAll(batch, sampled);
  }

  #takeAll(batch: readonly Generation[], sampled: readonly SampledRow[]): void {
    batch.forEach((generation, i) => {
      this.#take(generation, sampled[i] as SampledRow);
    });
  }

  /** Keeps sampled tokens up to the stop or the limit; what a call sampled beyond is dropped. */
  #take(generation: Generation, sampled: SampledRow): void {
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
    const wrong = logprobs.find((logprob) => !Number.isFinite(logprob));
    if (wrong !== undefined) {
      this.#forget(generation);
      const message = `the model of version ${this.policyVersion} gives ${wrong} as a log-probability; its weights diverged`;
      generation.settle({ error: new ModelError("NOT_FINITE", message) });
    } else if (finish !== undefined) {
      this.#forget(generation);
      generation.settle({ tokenIds, rolloutLogprobs: logprobs, stopReason: finish, ...this.#current });
    }
  }

  /** Takes it out of the queue or out of its slot. */
  #forget(generation: Generation): void {
    if (generation.slot === undefined) this.#waiting = this.#waiting.filter((other) => other !== generation);
    else {
      this.#running = this.#running.filter((other) => other !== generation);
      this.#freeSlots.push(generation.slot);
    }
  }

  #failAll(error: unknown): void {
    for (const generation of [...this.#waiting, ...this.#running]) {
      this.#forget(generation);
      generation.settle({ error });
    }
    for (const { failed } of this.#changes.splice(0)) failed(error);
  }

  #checkOpen(): void {
    if (this.#closed)
      throw new ModelError("CLOSED", "the sampler was closed; make another with createSampler");
  }
}

function deviceRow({ slot, request, tokenIds }: Generation): DeviceRow {
  const { promptTokenIds, temperature, seed } = request;
  return { slot: slot as number, promptTokenIds, temperature, seed, sampledTokenIds: tokenIds };
}

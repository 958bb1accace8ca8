import {
  type Backend,
  type HostArray,
  type JitFunction,
  type JitMode,
  type JitModule,
  jit,
} from "@palimpsest/jit";
import type { ModelConfig } from "../config.js";
import { bucketFor, geometricBuckets } from "./buckets.js";
import { drawUniform, greedyInverseTemperature } from "./draw.js";
import { packWeights } from "./packed-weights.js";
import { continueFunction, samplerState, startFunction } from "./sampler-functions.js";

/** Rows of one call at most: more rows take longer in proportion, and keep the event loop waiting. */
const maxRows = 64;
const smallestLength = 32;

export interface DeviceOptions {
  readonly backend: Backend;
  readonly mode: "auto" | JitMode;
  readonly config: ModelConfig;
  readonly slots: number;
  /** Longest prompt and sampled tokens of one request together. */
  readonly maxLength: number;
  readonly stepsPerCall: number;
  /** Lengths that prompts are padded to; maxLength - 1 is added. */
  readonly promptLengths: readonly number[] | undefined;
}

/** One request as the device sees it. */
export interface DeviceRow {
  readonly slot: number;
  readonly promptTokenIds: readonly number[];
  readonly sampledTokenIds: readonly number[];
  readonly temperature: number;
  readonly seed: number;
}

/** What one call sampled for one row. */
export interface SampledRow {
  readonly tokenIds: number[];
  readonly logprobs: number[];
}

/**
 * The compiled functions of a sampler at their bucketed shapes, and the cache and weights they share.
 * Knows nothing of queues, stops or promises. Calls are synchronous.
 */
export class SamplerDevice {
  readonly #module: JitModule;
  readonly #config: ModelConfig;
  readonly #spareSlot: number;
  readonly #startRows: readonly number[];
  readonly #continueRows: readonly number[];
  readonly #lengthBuckets: readonly number[];
  readonly #stepBuckets: readonly number[];

  constructor(options: DeviceOptions) {
    const { config, slots, stepsPerCall } = options;
    const longest = options.maxLength - 1;
    this.#config = config;
    this.#spareSlot = slots;
    const mostRows = Math.min(maxRows, slots);
    // A prompt costs as much as many steps, so its rows are padded less.
    this.#startRows = geometricBuckets(Math.ceil(mostRows / 8), mostRows, 2);
    this.#continueRows = geometricBuckets(Math.ceil(mostRows / 16), mostRows, 4);
    this.#lengthBuckets =
      options.promptLengths === undefined
        ? geometricBuckets(smallestLength, longest, 2)
        : [...options.promptLengths.filter((length) => length < longest).toSorted((a, b) => a - b), longest];
    this.#stepBuckets = geometricBuckets(Math.ceil(stepsPerCall / 4), stepsPerCall, 2);
    // A request that is nearly done runs past its end by up to one call.
    const cache = { slots, cacheLength: options.maxLength + stepsPerCall };
    const functions: Record<string, JitFunction> = {};
    for (const rows of this.#startRows) {
      for (const length of this.#lengthBuckets) {
        functions[startName(rows, length)] = startFunction(config, rows, length);
      }
    }
    for (const rows of this.#continueRows) {
      for (const steps of this.#stepBuckets) {
        functions[continueName(rows, steps)] = continueFunction(config, cache, rows, steps);
      }
    }
    this.#module = jit({
      backend: options.backend,
      mode: options.mode,
      state: samplerState(config, cache),
      functions,
    });
  }

  get mode(): JitMode {
    return this.#module.mode;
  }

  /** Most rows of one call. */
  get maxRows(): number {
    return this.#startRows.at(-1) as number;
  }

  /** Length that a prompt is padded to: prompts of one bucket are read together. */
  lengthBucket(promptLength: number): number {
    return bucketFor(this.#lengthBuckets, promptLength);
  }

  /** Tokens that one call samples for a request that may take `remaining` more. */
  stepBucket(remaining: number): number {
    return this.#stepBuckets.find((steps) => steps >= remaining) ?? (this.#stepBuckets.at(-1) as number);
  }

  writeWeights(parameters: Readonly<Record<string, Float32Array>>): void {
    this.#module.writeState(packWeights(this.#config, parameters));
  }

  /** Reads the prompts of 1 to maxRows rows and samples one token for each. One result a row, in order. */
  start(rows: readonly DeviceRow[], length: number): SampledRow[] {
    const bucket = bucketFor(this.#startRows, rows.length);
    const ids = new Int32Array(bucket * length);
    const lengths = new Int32Array(bucket).fill(1);
    rows.forEach((row, i) => {
      ids.set(row.promptTokenIds, i * length);
      lengths[i] = row.promptTokenIds.length;
    });
    const inputs = { ids, lengths, ...this.#rowInputs(rows, bucket, 1) };
    return sampledRows(this.#module.call(startName(bucket, length), inputs), rows.length, bucket, 1);
  }

  /** Samples on for 1 to maxRows rows that were started. One result of `steps` tokens a row, in order. */
  continue(rows: readonly DeviceRow[], steps: number): SampledRow[] {
    const bucket = bucketFor(this.#continueRows, rows.length);
    const ids = new Int32Array(bucket);
    const positions = new Int32Array(bucket);
    rows.forEach((row, i) => {
      ids[i] = row.sampledTokenIds.at(-1) as number;
      positions[i] = row.promptTokenIds.length + row.sampledTokenIds.length - 1;
    });
    const inputs = { ids, positions, ...this.#rowInputs(rows, bucket, steps) };
    return sampledRows(this.#module.call(continueName(bucket, steps), inputs), rows.length, bucket, steps);
  }

  dispose(): void {
    this.#module.dispose();
  }

  /** Rows of the bucket without a request write to the spare slot; what they sample is not looked at. */
  #rowInputs(rows: readonly DeviceRow[], bucket: number, steps: number): Record<string, HostArray> {
    const slots = new Int32Array(bucket).fill(this.#spareSlot);
    const uniforms = new Float32Array(steps * bucket);
    const inverseTemperature = new Float32Array(bucket).fill(1);
    rows.forEach(({ slot, temperature, seed, sampledTokenIds }, i) => {
      slots[i] = slot;
      inverseTemperature[i] = temperature === 0 ? greedyInverseTemperature : 1 / temperature;
      if (temperature === 0) return;
      for (let step = 0; step < steps; step++) {
        uniforms[step * bucket + i] = drawUniform(seed, sampledTokenIds.length + step);
      }
    });
    return { slots, uniforms, inverseTemperature };
  }
}

function sampledRows(
  outputs: Readonly<Record<string, HostArray>>,
  count: number,
  bucket: number,
  steps: number,
): SampledRow[] {
  const tokens = outputs["tokens"] as Int32Array;
  const logprobs = outputs["logprobs"] as Float32Array;
  return Array.from({ length: count }, (_, row) => {
    const entries = Array.from({ length: steps }, (_, step) => step * bucket + row);
    return {
      tokenIds: entries.map((entry) => tokens[entry] as number),
      logprobs: entries.map((entry) => logprobs[entry] as number),
    };
  });
}

function startName(rows: number, length: number): string {
  return `start_${rows}x${length}`;
}

function continueName(rows: number, steps: number): string {
  return `continue_${rows}x${steps}`;
}

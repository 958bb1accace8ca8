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
import { drawUniform } from "./draw.js";
import { packWeights } from "./packed-weights.js";
import { continueFunction, samplerState, startFunction } from "./sampler-functions.js";

const smallestRows = 4;
const smallestLength = 32;

export interface DeviceOptions {
  readonly backend: Backend;
  readonly mode: "auto" | JitMode;
  readonly config: ModelConfig;
  readonly slots: number;
  /** Longest prompt and sampled tokens of one request together. */
  readonly maxLength: number;
  readonly stepsPerCall: number;
}

/** One request as the device sees it. */
export interface DeviceRow {
  readonly slot: number;
  readonly promptTokenIds: readonly number[];
  readonly sampledTokenIds: readonly number[];
  readonly temperature: number;
  readonly seed: number;
}

/** The inputs that both kinds of call have. */
interface Feed {
  readonly slots: Int32Array;
  readonly uniforms: Float32Array;
  readonly temperature: Float32Array;
  // A call's inputs are looked up by name.
  readonly [name: string]: HostArray;
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
  readonly #slots: number;
  readonly #steps: number;
  readonly #rowBuckets: readonly number[];
  readonly #lengthBuckets: readonly number[];

  constructor(options: DeviceOptions) {
    const { config, slots, stepsPerCall: steps } = options;
    this.#config = config;
    this.#slots = slots;
    this.#steps = steps;
    this.#rowBuckets = geometricBuckets(smallestRows, slots, 4);
    this.#lengthBuckets = geometricBuckets(smallestLength, options.maxLength - 1, 2);
    // A request that is nearly done runs past its end by up to one call.
    const cache = { slots, cacheLength: options.maxLength + steps };
    const functions: Record<string, JitFunction> = {};
    for (const rows of this.#rowBuckets) {
      functions[continueName(rows)] = continueFunction(config, cache, rows, steps);
      for (const length of this.#lengthBuckets) {
        functions[startName(rows, length)] = startFunction(config, cache, rows, length, steps);
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

  /** Prompts of one bucket are read together; the bucket's length is its name. */
  lengthBucket(promptLength: number): number {
    return bucketFor(this.#lengthBuckets, promptLength);
  }

  /**
   * How many of `waiting` prompts to read in one call: a bucket that is at least half full, else all of a
   * smaller one.
   */
  startSize(waiting: number): number {
    const fitting = this.#rowBuckets.findLast((bucket) => bucket <= waiting) ?? 0;
    const above = this.#rowBuckets.find((bucket) => bucket >= waiting);
    return fitting === 0 || (above !== undefined && waiting * 2 >= above) ? waiting : fitting;
  }

  writeWeights(parameters: Readonly<Record<string, Float32Array>>): void {
    this.#module.writeState(packWeights(this.#config, parameters));
  }

  /** Reads the prompts of rows that have sampled nothing yet, and samples. One result a row, in order. */
  start(rows: readonly DeviceRow[], length: number): SampledRow[] {
    const bucket = bucketFor(this.#rowBuckets, rows.length);
    const ids = new Int32Array(bucket * length);
    const lengths = new Int32Array(bucket).fill(1);
    const feed = this.#feed(bucket);
    rows.forEach((row, i) => {
      ids.set(row.promptTokenIds, i * length);
      lengths[i] = row.promptTokenIds.length;
      this.#fill(feed, row, i, bucket);
    });
    const outputs = this.#module.call(startName(bucket, length), { ids, lengths, ...feed });
    return rows.map((_, i) => this.#sampled(outputs, i, bucket));
  }

  /** Samples on for rows that were started. One result a row, in order. */
  continue(rows: readonly DeviceRow[]): SampledRow[] {
    const highest = rows.reduce((largest, row) => Math.max(largest, row.slot), 0);
    const bucket = bucketFor(this.#rowBuckets, highest + 1);
    const ids = new Int32Array(bucket);
    const positions = new Int32Array(bucket);
    const feed = this.#feed(bucket);
    for (const row of rows) {
      ids[row.slot] = row.sampledTokenIds.at(-1) as number;
      positions[row.slot] = row.promptTokenIds.length + row.sampledTokenIds.length - 1;
      this.#fill(feed, row, row.slot, bucket);
    }
    const outputs = this.#module.call(continueName(bucket), { ids, positions, ...feed });
    return rows.map((row) => this.#sampled(outputs, row.slot, bucket));
  }

  dispose(): void {
    this.#module.dispose();
  }

  /** Idle rows write to the spare slot and take the likeliest token of nothing. */
  #feed(bucket: number): Feed {
    return {
      slots: new Int32Array(bucket).fill(this.#slots),
      uniforms: new Float32Array(bucket * this.#steps),
      temperature: new Float32Array(bucket),
    };
  }

  #fill(feed: Feed, row: DeviceRow, index: number, bucket: number): void {
    feed.slots[index] = row.slot;
    feed.temperature[index] = row.temperature;
    if (row.temperature === 0) return;
    for (let step = 0; step < this.#steps; step++) {
      feed.uniforms[step * bucket + index] = drawUniform(row.seed, row.sampledTokenIds.length + step);
    }
  }

  #sampled(outputs: Readonly<Record<string, HostArray>>, index: number, bucket: number): SampledRow {
    const tokens = outputs["tokens"] as Int32Array;
    const logprobs = outputs["logprobs"] as Float32Array;
    const steps = Array.from({ length: this.#steps }, (_, step) => step * bucket + index);
    return {
      tokenIds: steps.map((i) => tokens[i] as number),
      logprobs: steps.map((i) => logprobs[i] as number),
    };
  }
}

function startName(rows: number, length: number): string {
  return `start_${rows}x${length}`;
}

function continueName(rows: number): string {
  return `continue_${rows}`;
}

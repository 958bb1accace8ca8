import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { entry } from "@palimpsest/jit";
import { attentionKinds } from "../base/attention-kind.js";
import type { ModelConfig } from "../base/config.js";
import { ropeTables } from "../forward/rope.js";
import { maskTokenless } from "../tokens/tokenless-ids.js";
import { type Kernels, kernelsOver, mostBytes, type SharedMemory, sharedMemory } from "./kernels.js";
import {
  fitsTiles,
  type SingleLayer,
  type SingleLayout,
  type SingleOptions,
  SYNC,
  singleLayout,
} from "./layout.js";
import { columnSizes, readRow, type Views, viewsOf, writeColumn, writeMatrix, writeRow } from "./matrix.js";
import type { SingleThreadData } from "./single-thread.js";
import { SingleStep } from "./step.js";
import { wholePanels } from "./tiles.js";

// Threads run the built code, even when tests run this module from its source.
const program = fileURLToPath(new URL("../../dist/single/single-thread.js", import.meta.url));

/** Reads the tensors of the sampler's stacks that a decoder needs, by name. */
export type TensorReader = (name: string) => Float32Array;

/** Keys and values of consecutive tokens, float32 [layers, kvHeads, tokens, headDim]. */
export interface Entries {
  readonly keys: Float32Array;
  readonly values: Float32Array;
}

/** Returns what a model lacks to be decoded here; undefined: nothing. */
export function unmetNeed(options: SingleOptions): string | undefined {
  const { format } = options;
  if (!fitsTiles(options))
    return `sizes that are multiples of ${format === "int8" ? 64 : 8}, unlike this model's`;
  const { sizeBytes } = singleLayout(options);
  if (sizeBytes > mostBytes)
    return `${sizeBytes} bytes for this model, more than the ${mostBytes} that 32 bits can address`;
  return undefined;
}

/**
 * Responsibility: logits of one request, token by token, from its own copies of weights and cache in memory that its threads
 *   share. A token's pass reads every weight once, which determines its cost.
 * Not responsible for: which request it is, and what is drawn (sampler/single/single-request.ts).
 */
export class SingleDecoder {
  readonly #options: SingleOptions;
  readonly #layout: SingleLayout;
  readonly #views: Views;
  readonly #sync: Int32Array;
  readonly #step: SingleStep;
  readonly #workers: Worker[];
  readonly kernels: Kernels;
  #failure: unknown;
  #job = 0;

  constructor(options: SingleOptions) {
    this.#options = options;
    this.#layout = singleLayout(options);
    const memory: SharedMemory = sharedMemory(this.#layout.sizeBytes);
    this.#views = viewsOf(memory.buffer);
    const syncAt = 4 * this.#layout.sync;
    this.#sync = new Int32Array(memory.buffer, syncAt, SYNC.count);
    this.#step = new SingleStep(memory, options, 0);
    this.kernels = kernelsOver(memory);
    const { kinds } = attentionKinds(options.config, options.maxLength);
    for (const [kind, rope] of this.#layout.ropes.entries()) {
      const { cos, sin } = ropeTables(entry(kinds, kind), options.maxLength);
      this.#views.floats.set(cos, rope.cos);
      this.#views.floats.set(sin, rope.sin);
    }
    this.#views.floats.fill(1, this.#layout.ones, this.#layout.ones + this.#layout.onesCount);
    this.#workers = Array.from({ length: options.threads - 1 }, (_, i) => {
      const workerData: SingleThreadData = { memory, options, thread: i + 1, syncAt };
      const worker = new Worker(program, { workerData, execArgv: [], name: "palimpsest single request" });
      worker.unref();
      worker.on("error", (error) => {
        this.#failure = error;
      });
      return worker;
    });
  }

  /** Whether all its threads have started and none has failed. */
  get isReady(): boolean {
    if (this.#failure !== undefined || this.#step.barrier.isBroken) return false;
    return Atomics.load(this.#sync, SYNC.ready) === this.#options.threads - 1;
  }

  /** A buffer in the kernels' memory with room for as many numbers as there are logits. */
  get weights(): Float32Array {
    const { exponentials } = this.#layout;
    return this.#views.floats.subarray(exponentials, exponentials + this.#options.config.vocabSize);
  }

  get config(): ModelConfig {
    return this.#options.config;
  }

  /**
   * Writes weights piece by piece: each step takes some milliseconds, so that the event loop is not blocked.
   * @param tensor       reads by the names of `packedShapes`, as stacks of all layers
   * @param isTransposed whether its matrices are [out, in]
   */
  *writeWeights(tensor: TensorReader, isTransposed: boolean): Generator<undefined> {
    const { config } = this.#options;
    const { floats } = this.#views;
    const { embedding, head, finalNorm, layers } = this.#layout;
    yield* writeMatrix(this.#views, embedding, tensor("embedding"), false);
    if (head !== embedding) yield* writeMatrix(this.#views, head, tensor("head"), false);
    floats.set(tensor("finalNorm"), finalNorm);
    yield;
    yield* this.#writeMatrices(tensor, isTransposed, ["attentionIn"], "attentionInScales");
    yield* this.#writeMatrices(tensor, isTransposed, ["attentionOut"], "attentionOutScales");
    yield* this.#writeMatrices(tensor, isTransposed, ["gate", "up"], "gatesScales");
    yield* this.#writeMatrices(tensor, isTransposed, ["down"], "downScales");
    for (const name of ["attentionBias", "headNorm", "attentionOutNorm", "downNorm"] as const) {
      if ((layers[0] as SingleLayer)[name] === 0) continue;
      const stack = tensor(name);
      const size = stack.length / config.layers;
      layers.forEach((layer, i) => {
        floats.set(stack.subarray(i * size, (i + 1) * size), layer[name]);
      });
    }
  }

  /** Writes the matrices of all layers that multiply the same vectors. */
  *#writeMatrices(
    tensor: TensorReader,
    isTransposed: boolean,
    names: readonly ("attentionIn" | "attentionOut" | "gate" | "up" | "down")[],
    scales: "attentionInScales" | "attentionOutScales" | "gatesScales" | "downScales",
  ): Generator<undefined> {
    const stacks = names.map((name) => tensor(name));
    for (const [i, layer] of this.#layout.layers.entries()) {
      const parts = stacks.map((stack) => {
        const size = stack.length / this.#options.config.layers;
        return stack.subarray(i * size, (i + 1) * size);
      });
      let sizes: Float32Array | undefined;
      if (layer[scales] !== this.#layout.ones) {
        sizes = columnSizes(parts, layer[names[0] as "gate"].columns, !isTransposed);
        this.#views.floats.set(sizes, layer[scales]);
      }
      for (const [n, name] of names.entries())
        yield* writeMatrix(this.#views, layer[name], parts[n] as Float32Array, !isTransposed, sizes);
      yield;
    }
  }

  /** Writes `count` tokens' entries from position `first` on, taken from the start of arrays of `width` tokens. */
  writeEntries({ keys, values }: Entries, first: number, count: number, width: number): void {
    const { kvHeads, headDim } = this.#options.config;
    this.#layout.layers.forEach((layer, l) => {
      for (let head = 0; head < kvHeads; head++) {
        const [to, from] = [layer, (l * kvHeads + head) * width * headDim];
        const [keyMatrix, valueMatrix] = [to.keys[head], to.values[head]];
        if (keyMatrix === undefined || valueMatrix === undefined) continue;
        for (let token = 0; token < count; token++) {
          const at = from + token * headDim;
          writeRow(this.#views, keyMatrix, first + token, keys, at);
          writeColumn(this.#views, valueMatrix, first + token, values, at);
        }
      }
    });
  }

  /** Reads entries of `count` tokens from position `first` on, into arrays of `width` tokens. */
  readEntries(first: number, count: number, width: number): Entries {
    const { kvHeads, headDim, layers } = this.#options.config;
    const size = layers * kvHeads * width * headDim;
    const [keys, values] = [new Float32Array(size), new Float32Array(size)];
    const column = new Float32Array(first + count);
    this.#layout.layers.forEach((layer, l) => {
      for (let head = 0; head < kvHeads; head++) {
        const to = (l * kvHeads + head) * width * headDim;
        const [keyMatrix, valueMatrix] = [layer.keys[head], layer.values[head]];
        if (keyMatrix === undefined || valueMatrix === undefined) continue;
        for (let token = 0; token < count; token++) {
          const at = to + token * headDim;
          readRow(this.#views, keyMatrix, first + token, keys.subarray(at, at + headDim));
        }
        for (let i = 0; i < headDim; i++) {
          readRow(this.#views, valueMatrix, i, column);
          for (let token = 0; token < count; token++)
            values[to + token * headDim + i] = column[first + token] as number;
        }
      }
    });
    return { keys, values };
  }

  /**
   * Runs consecutive tokens, of which the first is at the position after those whose entries are written. What a later call writes
   * at the same positions replaces their entries.
   * @param tokens at most `mostRows`
   * @returns for each token float32 [V], valid until the next call
   * @throws the error with which a thread failed
   */
  next(tokens: readonly number[], position: number): Float32Array[] {
    if (this.#failure !== undefined) throw this.#failure;
    tokens.forEach((token, row) => {
      Atomics.store(this.#sync, SYNC.tokens + row, token);
    });
    Atomics.store(this.#sync, SYNC.rows, tokens.length);
    Atomics.store(this.#sync, SYNC.position, position);
    this.#job = (this.#job + 1) & 0x3fffffff;
    this.#step.barrier.give(this.#job);
    this.#step.step(tokens, position);
    const { vocabSize, tokenlessIds } = this.#options.config;
    return tokens.map((_, row) => {
      const from = this.#layout.logits + row * wholePanels(vocabSize);
      const logits = this.#views.floats.subarray(from, from + vocabSize);
      maskTokenless(logits, tokenlessIds);
      return logits;
    });
  }

  dispose(): void {
    this.#step.barrier.give(-1);
    for (const worker of this.#workers) void worker.terminate();
  }
}

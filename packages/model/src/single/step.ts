import { queryGroup } from "../config.js";
import { Barrier } from "./barrier.js";
import { type Kernels, kernelsOver, rowUnit, type SharedMemory } from "./kernels.js";
import { type SingleLayer, type SingleLayout, type SingleOptions, SYNC, singleLayout } from "./layout.js";
import {
  type Matrix,
  prepareVector,
  readRow,
  type Views,
  vectorBytes,
  viewsOf,
  writeEntry,
} from "./matrix.js";

/** Number of tokens whose values are multiplied together. */
const cacheUnit = 8;

/** Zeroes the values after a token's that are multiplied together with it, because a weight of 0 does not hide a NaN. */
export function clearBehind(views: Views, values: Matrix, position: number): void {
  const end = Math.ceil((position + 1) / cacheUnit) * cacheUnit;
  for (let column = position + 1; column < end; column++)
    for (let row = 0; row < values.rows; row++) writeEntry(views, values, row, column, 0);
}

/**
 * One thread's part of a token's pass through the model. All threads run `step` at once; each computes its share of every
 * product's rows and of attention's heads, and they synchronize where one needs another's results. Every thread computes the norms.
 */
export class SingleStep {
  readonly #options: SingleOptions;
  readonly #layout: SingleLayout;
  readonly #views: Views;
  readonly #kernels: Kernels;
  readonly #thread: number;
  readonly #group: number;
  readonly #normed: Float32Array;
  readonly #scores: Float32Array;
  readonly #scaled: Float32Array;
  readonly barrier: Barrier;

  constructor(memory: SharedMemory, options: SingleOptions, thread: number) {
    this.#options = options;
    this.#layout = singleLayout(options);
    this.#views = viewsOf(memory.buffer);
    this.#kernels = kernelsOver(memory);
    this.#thread = thread;
    this.#group = queryGroup(options.config);
    const { normed, scores } = this.#scratch;
    const { config } = options;
    const widest = Math.max(config.hiddenSize, config.intermediateSize, config.heads * config.headDim);
    this.#normed = this.#floats(normed, widest);
    this.#scaled = new Float32Array(widest);
    this.#scores = this.#floats(scores, this.#layout.length);
    const { ints } = this.#views;
    const sync = ints.subarray(this.#layout.sync, this.#layout.sync + SYNC.count);
    this.barrier = new Barrier(sync, options.threads);
  }

  /** Writes the token's keys and values at its position and computes the logits of the next token. */
  step(token: number, position: number): void {
    const { config } = this.#options;
    const layout = this.#layout;
    const x = this.#floats(layout.x, config.hiddenSize);
    if (this.#thread === 0) readRow(this.#views, layout.embedding, token, x);
    this.barrier.wait();
    for (const layer of layout.layers) this.#layer(layer, x, position);
    this.#norm(x);
    const gains = this.#floats(layout.finalNorm, config.hiddenSize);
    for (let i = 0; i < gains.length; i++)
      this.#normed[i] = (this.#normed[i] as number) * (gains[i] as number);
    this.#products(this.#normed, [[layout.head, layout.logits]]);
    this.barrier.wait();
  }

  #layer(layer: SingleLayer, x: Float32Array, position: number): void {
    const { hiddenSize: D, intermediateSize: F, heads, headDim } = this.#options.config;
    const { joint, mixed, attended, gate, up } = this.#layout;
    const { floats } = this.#views;
    this.#norm(x);
    this.#products(this.#normed, [[layer.attentionIn, joint]], layer.attentionInScales, layer.attentionBias);
    this.barrier.wait();
    this.#attend(layer, position);
    this.barrier.wait();
    const all = this.#floats(mixed, heads * headDim);
    const [firstOut, endOut] = this.#products(
      all,
      [[layer.attentionOut, attended]],
      layer.attentionOutScales,
    );
    for (let i = firstOut; i < endOut; i++)
      floats[attended + i] = (floats[attended + i] as number) + (x[i] as number);
    this.barrier.wait();
    const after = this.#floats(attended, D);
    this.#norm(after);
    const gates = [
      [layer.gate, gate],
      [layer.up, up],
    ] as const;
    const [first, end] = this.#products(this.#normed, gates, layer.gatesScales);
    this.#gate(first, end);
    this.barrier.wait();
    const [firstDown, endDown] = this.#products(
      this.#floats(gate, F),
      [[layer.down, this.#layout.x]],
      layer.downScales,
    );
    for (let i = firstDown; i < endDown; i++) x[i] = (x[i] as number) + (after[i] as number);
    this.barrier.wait();
  }

  get #scratch() {
    return this.#layout.scratch[this.#thread] as SingleLayout["scratch"][number];
  }

  #floats(at: number, count: number): Float32Array {
    return this.#views.floats.subarray(at, at + count);
  }

  /** x / √(mean(x²) + eps), into `normed`. */
  #norm(x: Float32Array): void {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += (x[i] as number) * (x[i] as number);
    const factor = 1 / Math.sqrt(sum / x.length + this.#options.config.rmsNormEps);
    for (let i = 0; i < x.length; i++) this.#normed[i] = (x[i] as number) * factor;
  }

  /**
   * Computes this thread's rows of the products of one vector with matrices of equal row counts.
   * @param scalesAt factors on the vector, in floats; 0: none
   * @param biasAt added, in floats; 0: none
   * @returns the range of rows
   */
  #products(
    vector: Float32Array,
    products: readonly (readonly [matrix: Matrix, out: number])[],
    scalesAt = 0,
    biasAt = 0,
  ): readonly [number, number] {
    const [[{ format, columns, rows }]] = products as [[Matrix, number]];
    const { prepared } = this.#scratch;
    const { floats } = this.#views;
    let scaled = vector;
    if (scalesAt !== 0) {
      scaled = this.#scaled;
      for (let i = 0; i < columns; i++) scaled[i] = (vector[i] as number) * (floats[scalesAt + i] as number);
    }
    prepareVector(this.#views, format, scaled, columns, 4 * prepared);
    const [first, end] = this.#share(rows);
    if (end === first) return [first, end];
    const xEnd = 4 * prepared + vectorBytes(format, columns);
    for (const [{ at, groupBytes }, out] of products) {
      const from = at + (first / rowUnit) * groupBytes;
      this.#kernels.product[format](from, groupBytes, end - first, 4 * prepared, xEnd, 4 * (out + first), 1);
      if (biasAt === 0) continue;
      for (let i = first; i < end; i++)
        floats[out + i] = (floats[out + i] as number) + (floats[biasAt + i] as number);
    }
    return [first, end];
  }

  /** Returns this thread's share, in whole groups of four rows. */
  #share(rows: number): readonly [number, number] {
    const groups = rows / rowUnit;
    const { threads } = this.#options;
    const from = (thread: number) => Math.floor((groups * thread) / threads) * rowUnit;
    return [from(this.#thread), from(this.#thread + 1)];
  }

  /** silu(gate) · up, in place of gate. */
  #gate(first: number, end: number): void {
    const { floats } = this.#views;
    const { gate, up } = this.#layout;
    const { prepared } = this.#scratch;
    if (end === first) return;
    this.#kernels.exponentials(4 * (gate + first), 4 * (gate + end), 4 * prepared, 0, -1);
    for (let i = first; i < end; i++) {
      const exponential = floats[prepared + i - first] as number;
      floats[gate + i] = ((floats[gate + i] as number) / (1 + exponential)) * (floats[up + i] as number);
    }
  }

  /** Computes this thread's heads. Each thread writes the keys and values that it needs itself; all write the same numbers. */
  #attend(layer: SingleLayer, position: number): void {
    const { heads, kvHeads, headDim } = this.#options.config;
    const { threads } = this.#options;
    const { joint, mixed } = this.#layout;
    const { floats } = this.#views;
    const from = Math.floor((heads * this.#thread) / threads);
    const to = Math.floor((heads * (this.#thread + 1)) / threads);
    let written = -1;
    for (let head = from; head < to; head++) {
      const kvHead = Math.floor(head / this.#group);
      const keys = layer.keys[kvHead] as Matrix;
      const values = layer.values[kvHead] as Matrix;
      if (kvHead !== written) {
        const key = this.#rotated(layer, heads + kvHead, position);
        for (let i = 0; i < headDim; i++) writeEntry(this.#views, keys, position, i, key[i] as number);
        const valueAt = joint + (heads + kvHeads + kvHead) * headDim;
        for (let i = 0; i < headDim; i++)
          writeEntry(this.#views, values, i, position, floats[valueAt + i] as number);
        if (position % cacheUnit === 0) clearBehind(this.#views, values, position);
        written = kvHead;
      }
      this.#attendHead(this.#rotated(layer, head, position), keys, values, position, mixed + head * headDim);
    }
  }

  #attendHead(query: Float32Array, keys: Matrix, values: Matrix, position: number, out: number): void {
    const { prepared, scores: scoresAt } = this.#scratch;
    const { headDim } = this.#options.config;
    const { format } = keys;
    const { product, exponentials } = this.#kernels;
    const count = position + 1;
    const rows = Math.ceil(count / rowUnit) * rowUnit;
    const columns = Math.ceil(count / cacheUnit) * cacheUnit;
    const scores = this.#scores;
    prepareVector(this.#views, format, query, headDim, 4 * prepared);
    const queryEnd = 4 * prepared + vectorBytes(format, headDim);
    product[format](keys.at, keys.groupBytes, rows, 4 * prepared, queryEnd, 4 * scoresAt, 1);
    let largest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const score = scores[i] as number;
      if (!(score <= largest)) largest = score;
    }
    for (let i = count; i < columns; i++) scores[i] = Number.NEGATIVE_INFINITY;
    const sum = exponentials(4 * scoresAt, 4 * (scoresAt + columns), 4 * scoresAt, largest, 1);
    prepareVector(this.#views, format, scores, columns, 4 * prepared);
    const sharesEnd = 4 * prepared + vectorBytes(format, columns);
    product[format](values.at, values.groupBytes, headDim, 4 * prepared, sharesEnd, 4 * out, 1 / sum);
  }

  readonly #head = new Float32Array(512);

  /** One head of the token's queries or keys: normalized, if the architecture does so, and rotated. */
  #rotated({ headNorm }: SingleLayer, head: number, position: number): Float32Array {
    const { headDim, rmsNormEps } = this.#options.config;
    const { joint, ropeCos, ropeSin } = this.#layout;
    const { floats } = this.#views;
    const at = joint + head * headDim;
    const half = headDim / 2;
    const row = position * headDim;
    let factor = 1;
    if (headNorm !== 0) {
      let sum = 0;
      for (let i = 0; i < headDim; i++) sum += (floats[at + i] as number) ** 2;
      factor = 1 / Math.sqrt(sum / headDim + rmsNormEps);
    }
    const normed = (i: number): number => {
      const value = (floats[at + i] as number) * factor;
      return headNorm === 0 ? value : value * (floats[headNorm + head * headDim + i] as number);
    };
    const out = this.#head.subarray(0, headDim);
    for (let i = 0; i < half; i++) {
      const [a, b] = [normed(i), normed(i + half)];
      out[i] = a * (floats[ropeCos + row + i] as number) + b * (floats[ropeSin + row + i] as number);
      out[i + half] =
        b * (floats[ropeCos + row + i + half] as number) + a * (floats[ropeSin + row + i + half] as number);
    }
    return out;
  }
}

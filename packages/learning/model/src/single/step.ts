import { architectureOf, embeddingScale } from "../base/architecture.js";
import { queryGroup } from "../base/config.js";
import { Barrier } from "./barrier.js";
import { type Kernels, kernelsOver, type SharedMemory } from "./kernels.js";
import {
  type Scratch,
  type SingleLayer,
  type SingleLayout,
  type SingleOptions,
  SYNC,
  singleLayout,
} from "./layout.js";
import { type Matrix, readRow, type Views, vectorBytes, viewsOf, writeColumn, writeRow } from "./matrix.js";
import { mostVectors } from "./products.js";
import { panelRows, wholePanels } from "./tiles.js";

/** Vectors as products need them, in bytes. */
interface Vectors {
  readonly at: number;
  readonly apart: number;
}

/** Weights that all rows of a pass are multiplied with before the next ones are read: a part of a core's second cache. */
const blockBytes = 256 * 1024;

/**
 * One thread's part of a pass of consecutive tokens, the rows, through the model. All threads run `step` at once; each computes
 * its share of every product and of attention's heads, and they synchronize where one needs another's results. Every thread
 * computes the norms. Offsets are in floats.
 *
 * Invariants:
 * - SINGLE-4. A token's logits, keys and values are the same bits whether it is a row among others or alone.
 */
export class SingleStep {
  readonly #options: SingleOptions;
  readonly #layout: SingleLayout;
  readonly #views: Views;
  readonly #kernels: Kernels;
  readonly #thread: number;
  readonly #scratch: Scratch;
  readonly barrier: Barrier;
  /** Number of rows of the pass that is being computed. */
  #rows = 1;

  constructor(memory: SharedMemory, options: SingleOptions, thread: number) {
    this.#options = options;
    this.#layout = singleLayout(options);
    this.#views = viewsOf(memory.buffer);
    this.#kernels = kernelsOver(memory);
    this.#thread = thread;
    this.#scratch = this.#layout.scratch[thread] as Scratch;
    const { ints } = this.#views;
    const sync = ints.subarray(this.#layout.sync, this.#layout.sync + SYNC.count);
    this.barrier = new Barrier(sync, options.threads);
  }

  /** Writes the tokens' keys and values from `position` on and computes the logits of the token after each. */
  step(tokens: ArrayLike<number>, position: number): void {
    const { config } = this.#options;
    const { hiddenSize: D } = config;
    const { x, embedding, layers, head, finalNorm, logits, ones } = this.#layout;
    const scale = embeddingScale(config);
    this.#rows = tokens.length;
    if (this.#thread === 0)
      for (let row = 0; row < tokens.length; row++) {
        const from = x + row * D;
        readRow(this.#views, embedding, tokens[row] as number, this.#views.floats.subarray(from, from + D));
        if (scale !== undefined) this.#kernels.scale(4 * from, 4 * (from + D), scale);
      }
    this.barrier.wait();
    for (const layer of layers) this.#layer(layer, position);
    this.#product(head, this.#prepared(head, this.#normed(x, finalNorm), ones), logits);
    this.barrier.wait();
  }

  #layer(layer: SingleLayer, position: number): void {
    const { intermediateSize: F } = this.#options.config;
    const { x, joint, mixed, attended, gate, up, ones } = this.#layout;
    const { attentionIn, attentionOut, down, attentionBias } = layer;
    const attentionInputs = this.#prepared(attentionIn, this.#normed(x, ones), layer.attentionInScales);
    const [firstJoint, endJoint] = this.#product(attentionIn, attentionInputs, joint);
    if (attentionBias !== 0)
      this.#eachRow(joint, attentionIn.rows, firstJoint, endJoint, (from, to) => {
        this.#kernels.add(from, to, 4 * (attentionBias + firstJoint));
      });
    this.barrier.wait();
    this.#attend(layer, position);
    this.barrier.wait();
    const share = this.#product(
      attentionOut,
      this.#prepared(attentionOut, mixed, layer.attentionOutScales),
      attended,
    );
    this.#addTo(attended, x, layer.attentionOutNorm, share);
    this.barrier.wait();
    const gateInputs = this.#prepared(layer.gate, this.#normed(attended, ones), layer.gatesScales);
    const [first, end] = this.#product(layer.gate, gateInputs, gate);
    this.#product(layer.up, gateInputs, up);
    const exponentials = 4 * this.#scratch.prepared;
    this.#eachRow(gate, F, first, end, (from, to) => {
      this.#gateExponentials(from, to, exponentials);
      this.#kernels.gate(from, to, exponentials, from + 4 * (up - gate));
    });
    this.barrier.wait();
    const fed = this.#product(down, this.#prepared(down, gate, layer.downScales), x);
    this.#addTo(x, attended, layer.downNorm, fed);
    this.barrier.wait();
  }

  /** Calls `body` with the byte addresses of a range of every row of [rows, width]. */
  #eachRow(
    at: number,
    width: number,
    first: number,
    end: number,
    body: (from: number, to: number) => void,
  ): void {
    if (end === first) return;
    for (let row = 0; row < this.#rows; row++)
      body(4 * (at + row * width + first), 4 * (at + row * width + end));
  }

  /** Writes the exponentials of −z, by which the gate's activation x · σ(z) divides. Addresses are in bytes. */
  #gateExponentials(from: number, to: number, out: number): void {
    const { linear, cubic } = architectureOf(this.#options.config).gate;
    if (cubic === 0) {
      this.#kernels.exponentials(from, to, out, 0, -linear);
      return;
    }
    const { floats } = this.#views;
    const [at, into] = [from / 4, out / 4];
    for (let i = 0; i < (to - from) / 4; i++) {
      const x = floats[at + i] as number;
      floats[into + i] = x * (linear + cubic * x * x);
    }
    this.#kernels.exponentials(out, out + to - from, out, 0, -1);
  }

  /**
   * Adds this thread's columns of another residual stream to results of products, which are normalized first where the layer has
   * gains for them.
   */
  #addTo(sum: number, other: number, gains: number, [first, end]: readonly [number, number]): void {
    const { hiddenSize: D } = this.#options.config;
    if (gains !== 0) {
      // All columns are needed for the norm, and may be overwritten only when every thread has read them.
      this.barrier.wait();
      const normed = this.#normed(sum, gains);
      this.barrier.wait();
      this.#eachRow(sum, D, first, end, (from, to) => {
        const moved = normed - sum;
        this.#views.floats.copyWithin(from / 4, from / 4 + moved, to / 4 + moved);
      });
    }
    this.#eachRow(sum, D, first, end, (from, to) => {
      this.#kernels.add(from, to, from + 4 * (other - sum));
    });
  }

  /** Normalizes every row of [rows, D]. @returns where the results are */
  #normed(at: number, gains: number): number {
    const { hiddenSize: D, rmsNormEps } = this.#options.config;
    const { normed } = this.#scratch;
    this.#eachRow(at, D, 0, D, (from, to) => {
      this.#kernels.normalize(from, to, 4 * gains, from + 4 * (normed - at), 1 / D, rmsNormEps);
    });
    return normed;
  }

  /** Returns the rows of [rows, columns], times `scales` in the format int8, as a matrix's products need them. */
  #prepared({ format, columns }: Matrix, at: number, scales: number): Vectors {
    if (format !== "int8") return { at: 4 * at, apart: 4 * columns };
    const [to, apart] = [4 * this.#scratch.prepared, 4 * this.#layout.preparedFloats];
    for (let row = 0; row < this.#rows; row++) {
      const from = 4 * (at + row * columns);
      this.#kernels.quantize(from, from + 4 * columns, 4 * scales, to + row * apart);
    }
    return { at: to, apart };
  }

  /**
   * Computes this thread's part of the products of all rows with a matrix.
   * @param out [rows, the matrix's rows in whole panels]
   * @returns the range of the matrix's rows, which are columns of the results
   */
  #product(
    { format, at, rows, columns, panelBytes }: Matrix,
    vectors: Vectors,
    out: number,
  ): readonly [number, number] {
    const width = wholePanels(rows);
    const panels = width / panelRows;
    const { threads } = this.#options;
    const first = Math.floor((panels * this.#thread) / threads);
    const end = Math.floor((panels * (this.#thread + 1)) / threads);
    const xEnd = vectorBytes(format, columns);
    const block = this.#rows <= mostVectors ? panels : Math.max(1, Math.floor(blockBytes / panelBytes));
    for (let from = first; from < end; from += block) {
      const count = Math.min(block, end - from);
      for (let row = 0; row < this.#rows; row += mostVectors) {
        const x = vectors.at + row * vectors.apart;
        this.#multiply(format, Math.min(mostVectors, this.#rows - row))(
          at + from * panelBytes,
          panelBytes,
          count,
          x,
          x + xEnd,
          vectors.apart,
          4 * (out + row * width + from * panelRows),
          4 * width,
        );
      }
    }
    return [first * panelRows, end * panelRows];
  }

  #multiply(format: Matrix["format"], vectors: number): Kernels["products"]["int8"][number] {
    return this.#kernels.products[format][vectors - 1] as Kernels["products"]["int8"][number];
  }

  /**
   * Computes this thread's share of the rows' heads. Each thread writes the keys and values that it needs itself; all write the same
   * numbers.
   */
  #attend(layer: SingleLayer, position: number): void {
    const { config, threads } = this.#options;
    const { heads } = config;
    const group = queryGroup(config);
    const all = this.#rows * heads;
    const first = Math.floor((all * this.#thread) / threads);
    const end = Math.floor((all * (this.#thread + 1)) / threads);
    const lastRow = Math.floor((end - 1) / heads);
    const isWritten: boolean[] = [];
    for (let unit = first; unit < end; ) {
      const [row, head] = [Math.floor(unit / heads), unit % heads];
      const kvHead = Math.floor(head / group);
      if (isWritten[kvHead] !== true)
        for (let written = 0; written <= lastRow; written++)
          this.#writeEntry(layer, kvHead, written, position);
      isWritten[kvHead] = true;
      const count = Math.min(end - unit, (kvHead + 1) * group - head);
      this.#attendHeads(layer, { row, head, count, kvHead, position: position + row });
      unit += count;
    }
  }

  #writeEntry(layer: SingleLayer, kvHead: number, row: number, position: number): void {
    const { keys, values } = layer;
    const { heads, kvHeads, headDim } = this.#options.config;
    const { floats } = this.#views;
    const [keyMatrix, valueMatrix] = [keys[kvHead] as Matrix, values[kvHead] as Matrix];
    const { queries } = this.#scratch;
    this.#rotate(layer, row, heads + kvHead, position + row, queries);
    const joint = this.#jointAt(row);
    writeRow(this.#views, keyMatrix, position + row, floats, queries);
    writeColumn(
      this.#views,
      valueMatrix,
      position + row,
      floats,
      joint + (heads + kvHeads + kvHead) * headDim,
    );
  }

  #jointAt(row: number): number {
    const { heads, kvHeads, headDim } = this.#options.config;
    return this.#layout.joint + row * (heads + 2 * kvHeads) * headDim;
  }

  /** Some heads of one row that share keys and values. */
  #attendHeads(
    layer: SingleLayer,
    {
      row,
      head,
      count,
      kvHead,
      position,
    }: { row: number; head: number; count: number; kvHead: number; position: number },
  ): void {
    const { keys, values, window } = layer;
    const { heads, headDim } = this.#options.config;
    const { queries, scores } = this.#scratch;
    const { length, mixed } = this.#layout;
    const { largest, exponentials, scale } = this.#kernels;
    const [keyMatrix, valueMatrix] = [keys[kvHead] as Matrix, values[kvHead] as Matrix];
    for (let i = 0; i < count; i++) this.#rotate(layer, row, head + i, position, queries + i * headDim);
    const tokens = position + 1;
    const out = mixed + (row * heads + head) * headDim;
    this.#attentionProduct(
      keyMatrix,
      Math.ceil(tokens / panelRows),
      queries,
      headDim,
      headDim,
      scores,
      length,
      count,
    );
    const end = Math.ceil(tokens / 4) * 4;
    const sums: number[] = [];
    for (let i = 0; i < count; i++) {
      const from = scores + i * length;
      this.#views.floats.fill(Number.NEGATIVE_INFINITY, from + tokens, from + end);
      if (window !== undefined && window < tokens)
        this.#views.floats.fill(Number.NEGATIVE_INFINITY, from, from + tokens - window);
      const [at, atEnd] = [4 * from, 4 * (from + end)];
      sums.push(exponentials(at, atEnd, at, largest(at, atEnd), 1));
    }
    this.#attentionProduct(valueMatrix, headDim / panelRows, scores, tokens, length, out, headDim, count);
    sums.forEach((sum, i) => {
      scale(4 * (out + i * headDim), 4 * (out + (i + 1) * headDim), 1 / sum);
    });
  }

  #attentionProduct(
    { format, at, panelBytes }: Matrix,
    panels: number,
    x: number,
    columns: number,
    apart: number,
    out: number,
    outApart: number,
    count: number,
  ): void {
    for (let i = 0; i < count; i += mostVectors) {
      const from = x + i * apart;
      const multiply = this.#multiply(format, Math.min(mostVectors, count - i));
      multiply(
        at,
        panelBytes,
        panels,
        4 * from,
        4 * (from + columns),
        4 * apart,
        4 * (out + i * outApart),
        4 * outApart,
      );
    }
  }

  /** Writes one head of a row's queries or keys: normalized, if the architecture does so, and rotated. */
  #rotate({ headNorm, rope }: SingleLayer, row: number, head: number, position: number, out: number): void {
    const { headDim, rmsNormEps } = this.#options.config;
    const { ones } = this.#layout;
    const { floats } = this.#views;
    const at = this.#jointAt(row) + head * headDim;
    const half = headDim / 2;
    const angle = position * headDim;
    let factor = 1;
    let gains = ones;
    if (headNorm !== 0) {
      let sum = 0;
      for (let i = 0; i < headDim; i++) sum += (floats[at + i] as number) ** 2;
      factor = 1 / Math.sqrt(sum / headDim + rmsNormEps);
      gains = headNorm + head * headDim;
    }
    for (let i = 0; i < half; i++) {
      const a = (floats[at + i] as number) * factor * (floats[gains + i] as number);
      const b = (floats[at + half + i] as number) * factor * (floats[gains + half + i] as number);
      const [first, second] = [angle + i, angle + half + i];
      floats[out + i] = a * (floats[rope.cos + first] as number) + b * (floats[rope.sin + first] as number);
      floats[out + half + i] =
        b * (floats[rope.cos + second] as number) + a * (floats[rope.sin + second] as number);
    }
  }
}

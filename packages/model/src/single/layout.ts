import type { ModelConfig } from "../config.js";
import { rowUnit, tileForms, type WeightFormat } from "./kernels.js";
import { type Matrix, matrixAt, matrixBytes } from "./matrix.js";

/** The layout of the memory that the threads of a single request share, in bytes. */
export interface SingleLayout {
  readonly sizeBytes: number;
  /** int32: see SYNC. */
  readonly sync: number;
  readonly embedding: Matrix;
  readonly head: Matrix;
  readonly layers: readonly SingleLayer[];
  /** float32, in floats: */
  readonly finalNorm: number;
  readonly ropeCos: number;
  readonly ropeSin: number;
  /** Residual stream before and after attention, [D]. */
  readonly x: number;
  readonly attended: number;
  /** Queries, keys, values of the token, [(H + 2KV)·hd]. */
  readonly joint: number;
  readonly mixed: number;
  readonly gate: number;
  readonly up: number;
  readonly logits: number;
  /** For a draw, [V]. */
  readonly exponentials: number;
  /** One per thread. */
  readonly scratch: readonly Scratch[];
  /** Number of tokens that the cache has room for. */
  readonly length: number;
}

export interface SingleLayer {
  readonly attentionIn: Matrix;
  readonly attentionOut: Matrix;
  readonly gate: Matrix;
  readonly up: Matrix;
  readonly down: Matrix;
  /** float32 [D], [H·hd], [D], [F]: factors on vectors before products, in the format int8; 0: none. */
  readonly attentionInScales: number;
  readonly attentionOutScales: number;
  readonly gatesScales: number;
  readonly downScales: number;
  /** float32 [(H + 2KV)·hd]; 0: none. */
  readonly attentionBias: number;
  /** float32 [H + KV, hd]; 0: none. */
  readonly headNorm: number;
  /** One per key head: rows are tokens. */
  readonly keys: readonly Matrix[];
  /** One per key head: rows are the head's elements, columns tokens. */
  readonly values: readonly Matrix[];
}

interface Scratch {
  readonly normed: number;
  readonly prepared: number;
  readonly scores: number;
}

/** int32 offsets within `sync`. */
export const SYNC = {
  job: 0,
  arrived: 1,
  round: 2,
  sleeping: 3,
  ready: 4,
  token: 5,
  position: 6,
  count: 16,
} as const;

export interface SingleOptions {
  readonly config: ModelConfig;
  readonly format: WeightFormat;
  readonly maxLength: number;
  readonly threads: number;
}

/** Returns whether the kernels can multiply matrices of these shapes. */
export function fitsTiles({ config, format }: Pick<SingleOptions, "config" | "format">): boolean {
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize, vocabSize } = config;
  const columns = [hiddenSize, heads * headDim, intermediateSize];
  const rows = [hiddenSize, (heads + 2 * kvHeads) * headDim, intermediateSize, vocabSize, headDim];
  const unit = tileForms[format].columns;
  return (
    columns.every((count) => count % unit === 0) &&
    rows.every((count) => count % rowUnit === 0) &&
    headDim % tileForms.bfloat16.columns === 0
  );
}

/** Returns the format in which keys and values are stored. */
function cacheFormat(format: WeightFormat): "float32" | "bfloat16" {
  return format === "float32" ? "float32" : "bfloat16";
}

export function singleLayout({ config, format, maxLength, threads }: SingleOptions): SingleLayout {
  const { hiddenSize: D, heads, kvHeads, headDim, intermediateSize: F, vocabSize: V } = config;
  const joined = (heads + 2 * kvHeads) * headDim;
  const length = Math.ceil((maxLength + 1) / 8) * 8;
  let end = 64;
  const bytes = (size: number) => {
    const at = end;
    end = Math.ceil((end + size) / 64) * 64;
    return at;
  };
  const floats = (count: number) => bytes(4 * count) / 4;
  const matrix = (rows: number, columns: number, as: WeightFormat = format): Matrix => {
    const placed = matrixAt(as, end, rows, columns);
    bytes(matrixBytes(placed));
    return placed;
  };
  const scales = (count: number) => (format === "int8" ? floats(count) : 0);
  const cached = cacheFormat(format);
  const sync = bytes(4 * SYNC.count) / 4;
  const embedding = matrix(V, D);
  const head = config.tieWordEmbeddings ? embedding : matrix(V, D);
  const layers = Array.from(
    { length: config.layers },
    (): SingleLayer => ({
      attentionIn: matrix(joined, D),
      attentionOut: matrix(D, heads * headDim),
      gate: matrix(F, D),
      up: matrix(F, D),
      down: matrix(D, F),
      attentionInScales: scales(D),
      attentionOutScales: scales(heads * headDim),
      gatesScales: scales(D),
      downScales: scales(F),
      attentionBias: config.architecture === "qwen2" ? floats(joined) : 0,
      headNorm: config.architecture === "qwen3" ? floats((heads + kvHeads) * headDim) : 0,
      keys: Array.from({ length: kvHeads }, () => matrix(length, headDim, cached)),
      values: Array.from({ length: kvHeads }, () => matrix(headDim, length, cached)),
    }),
  );
  const widest = Math.max(D, F, heads * headDim, length);
  return {
    sync,
    embedding,
    head,
    layers,
    finalNorm: floats(D),
    ropeCos: floats(maxLength * headDim),
    ropeSin: floats(maxLength * headDim),
    x: floats(D),
    attended: floats(D),
    joint: floats(joined),
    mixed: floats(heads * headDim),
    gate: floats(F),
    up: floats(F),
    logits: floats(V),
    exponentials: floats(V),
    scratch: Array.from({ length: threads }, () => ({
      normed: floats(widest),
      prepared: floats(widest + widest / 8),
      scores: floats(length),
    })),
    length,
    sizeBytes: end,
  };
}

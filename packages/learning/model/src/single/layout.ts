import { architectureOf } from "../base/architecture.js";
import { attentionKinds } from "../base/attention-kind.js";
import { type ModelConfig, queryGroup } from "../base/config.js";
import { type Matrix, matrixAt, matrixBytes, vectorBytes } from "./matrix.js";
import { tileForms, type WeightFormat, wholePanels } from "./tiles.js";

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
  /** Cosines and sines [maxLength, hd] of each kind of attention. */
  readonly ropes: readonly Rope[];
  /** 1 for each of the most columns of a matrix. */
  readonly ones: number;
  readonly onesCount: number;
  /** From here to `logits`: one vector for each row of a pass. Residual stream before and after attention, [rows, D]. */
  readonly x: number;
  readonly attended: number;
  /** Queries, keys, values, [rows, (H + 2KV)·hd]. */
  readonly joint: number;
  readonly mixed: number;
  readonly gate: number;
  readonly up: number;
  /** [rows, V in whole panels] */
  readonly logits: number;
  /** For a draw, [V]. */
  readonly exponentials: number;
  /** One per thread. */
  readonly scratch: readonly Scratch[];
  readonly preparedFloats: number;
  /** Number of tokens that the cache has room for. */
  readonly length: number;
}

interface Rope {
  readonly cos: number;
  readonly sin: number;
}

export interface SingleLayer {
  readonly rope: Rope;
  /** Number of tokens that a token attends to, itself included; absent: all. */
  readonly window?: number | undefined;
  readonly attentionIn: Matrix;
  readonly attentionOut: Matrix;
  readonly gate: Matrix;
  readonly up: Matrix;
  readonly down: Matrix;
  /** float32 [D], [H·hd], [D], [F]: factors on vectors before products; ones but in the format int8. */
  readonly attentionInScales: number;
  readonly attentionOutScales: number;
  readonly gatesScales: number;
  readonly downScales: number;
  /** float32 [(H + 2KV)·hd]; 0: none. */
  readonly attentionBias: number;
  /** float32 [H + KV, hd]; 0: none. */
  readonly headNorm: number;
  /** float32 [D], the gains of norms before results are added to the residual stream; 0: none. */
  readonly attentionOutNorm: number;
  readonly downNorm: number;
  /** One per key head: rows are tokens. */
  readonly keys: readonly Matrix[];
  /** One per key head: rows are the head's elements, columns tokens. */
  readonly values: readonly Matrix[];
}

export interface Scratch {
  /** float32 [rows, D] */
  readonly normed: number;
  /** Vectors as products of int8 need them, [rows, `preparedFloats`]; also exponentials of gates, [rows, F]. */
  readonly prepared: number;
  /** Queries and attention scores of the heads that share keys, [heads per key head, hd] and [heads per key head, length]. */
  readonly queries: number;
  readonly scores: number;
}

/** The most tokens of a pass: the last one and guesses of what follows it. */
const mostRows = 8;

/**
 * The time of passes of 1 to `mostRows` tokens, relative to one token, measured with SmolLM2-135M on an AMD EPYC. Single tokens read
 * weights of float32 and bfloat16 as fast as they come, and multiply those of int8 as fast as they can.
 */
export const passCosts: Readonly<Record<WeightFormat, readonly number[]>> = {
  float32: [1, 1.15, 1.45, 1.9, 2.4, 2.7, 2.9, 3.1],
  bfloat16: [1, 1.3, 1.7, 2.5, 3.1, 3.7, 4.3, 5],
  int8: [1, 1.5, 2, 2.6, 3.4, 4, 4.5, 5.1],
};

/** int32 offsets within `sync`. */
export const SYNC = {
  job: 0,
  arrived: 1,
  round: 2,
  sleeping: 3,
  ready: 4,
  position: 5,
  rows: 6,
  broken: 7,
  /** One for each row. */
  tokens: 8,
  count: 8 + mostRows,
} as const;

export interface SingleOptions {
  readonly config: ModelConfig;
  readonly format: WeightFormat;
  readonly maxLength: number;
  readonly threads: number;
}

/** Results of products are whole panels, and passes over vectors take four numbers at a time. */
const leastUnit = 8;

/** Returns whether the kernels can multiply matrices of these shapes. */
export function fitsTiles({ config, format }: Pick<SingleOptions, "config" | "format">): boolean {
  const { hiddenSize, heads, headDim, intermediateSize, vocabSize } = config;
  const columns = [hiddenSize, heads * headDim, intermediateSize];
  const unit = Math.max(leastUnit, tileForms[format].columns);
  return columns.every((count) => count % unit === 0) && headDim % leastUnit === 0 && vocabSize % 4 === 0;
}

/** Returns the format in which keys and values are stored. */
function cacheFormat(format: WeightFormat): "float32" | "bfloat16" {
  return format === "float32" ? "float32" : "bfloat16";
}

export function singleLayout({ config, format, maxLength, threads }: SingleOptions): SingleLayout {
  const { hiddenSize: D, heads, kvHeads, headDim, intermediateSize: F, vocabSize: V } = config;
  const { attentionBias, headNorm, outputNorms } = architectureOf(config);
  const { kinds, ofLayers } = attentionKinds(config, maxLength);
  const joined = (heads + 2 * kvHeads) * headDim;
  const length = wholePanels(maxLength);
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
  const onesCount = Math.max(D, F, heads * headDim);
  const ones = floats(onesCount);
  const scales = (count: number) => (format === "int8" ? floats(count) : ones);
  const cached = cacheFormat(format);
  const sync = bytes(4 * SYNC.count) / 4;
  const embedding = matrix(V, D);
  const head = config.tieWordEmbeddings ? embedding : matrix(V, D);
  const ropes = kinds.map(() => ({ cos: floats(maxLength * headDim), sin: floats(maxLength * headDim) }));
  const layers = ofLayers.map(
    (kind): SingleLayer => ({
      rope: ropes[kind] as Rope,
      window: kinds[kind]?.window,
      attentionIn: matrix(joined, D),
      attentionOut: matrix(D, heads * headDim),
      gate: matrix(F, D),
      up: matrix(F, D),
      down: matrix(D, F),
      attentionInScales: scales(D),
      attentionOutScales: scales(heads * headDim),
      gatesScales: scales(D),
      downScales: scales(F),
      attentionBias: attentionBias ? floats(joined) : 0,
      headNorm: headNorm ? floats((heads + kvHeads) * headDim) : 0,
      attentionOutNorm: outputNorms ? floats(D) : 0,
      downNorm: outputNorms ? floats(D) : 0,
      keys: Array.from({ length: kvHeads }, () => matrix(length, headDim, cached)),
      values: Array.from({ length: kvHeads }, () => matrix(headDim, length, cached)),
    }),
  );
  const group = queryGroup(config);
  const preparedFloats = Math.max(
    F,
    ...[D, F, heads * headDim].map((count) => vectorBytes(format, count) / 4),
  );
  return {
    sync,
    embedding,
    head,
    layers,
    finalNorm: floats(D),
    ropes,
    ones,
    onesCount,
    x: floats(mostRows * D),
    attended: floats(mostRows * D),
    joint: floats(mostRows * joined),
    mixed: floats(mostRows * heads * headDim),
    gate: floats(mostRows * F),
    up: floats(mostRows * F),
    logits: floats(mostRows * wholePanels(V)),
    exponentials: floats(V),
    scratch: Array.from({ length: threads }, () => ({
      normed: floats(mostRows * D),
      prepared: floats(mostRows * preparedFloats),
      queries: floats(group * headDim),
      scores: floats(group * length),
    })),
    preparedFloats,
    length,
    sizeBytes: end,
  };
}

import { sizeOf } from "@palimpsest/jit";
import { type ModelConfig, parameterShapes } from "@palimpsest/model";

/**
 * Counts the floating-point operations that a training pass needs, forward and backward: a token costs 6 times the
 * parameters that multiply it (all but the input embedding) plus 12 · layers · heads · headDim · (row length) for
 * attention, in layers with a window at most its size in place of the row's length. Recomputation, the reference and padding are not counted, since repeated work is no progress.
 * Source: PaLM, arXiv:2204.02311, appendix B.
 */
export function trainingFlops(model: ModelConfig, rowLengths: readonly number[]): number {
  const sizes = Object.entries(parameterShapes(model)).map(([name, shape]) => [name, sizeOf(shape)] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  // A tied embedding is multiplied once, as the head.
  const idle = model.tieWordEmbeddings ? 0 : model.vocabSize * model.hiddenSize;
  const perToken = 6 * (total - idle);
  const attention = 12 * model.heads * model.headDim;
  const { layers, slidingWindow } = model;
  const local = slidingWindow?.layers.filter((isLocal) => isLocal).length ?? 0;
  const seen = (length: number) =>
    (layers - local) * length + local * Math.min(length, slidingWindow?.size ?? length);
  return rowLengths.reduce((sum, length) => sum + length * (perToken + attention * seen(length)), 0);
}

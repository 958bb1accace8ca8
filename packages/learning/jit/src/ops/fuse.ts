import { currentTrace } from "../trace/trace.js";

/**
 * Marks elementwise operations that are worth fusing into one loop over memory. Traced in mode graph, outside loops and on
 * tensors of 2^20 values or more, XLA compiles what `body` computes, whose results then differ from the eager ones in the
 * last bits. Elsewhere the body just runs. Fusing a reduction or a product would gain nothing.
 */
export function fuse<T>(body: () => T): T {
  const trace = currentTrace();
  return trace === undefined ? body() : trace.fuse(body);
}

import { currentTrace } from "./trace.js";

/**
 * Elementwise operations that are worth one loop over memory. Traced in mode graph, outside of loops and on tensors of
 * 2^20 values or more, XLA compiles what `body` computes; its numbers then differ from the eager ones in the last bits.
 * Elsewhere the body just runs. A reduction or a product inside would gain nothing.
 */
export function fuse<T>(body: () => T): T {
  const trace = currentTrace();
  return trace === undefined ? body() : trace.fuse(body);
}

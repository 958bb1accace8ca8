import { currentTrace } from "../trace/trace.js";

/**
 * Keeps matrix products of `body` in float32 in a module of precision bfloat16, provided that no factor is stored in bfloat16. A
 * kernel rounds its outputs as well as its inputs: logits of 16 and more have steps of 0.125 in bfloat16, and a log-prob changes
 * by as much.
 */
export function wideProducts<T>(body: () => T): T {
  const trace = currentTrace();
  return trace === undefined ? body() : trace.wideProducts(body);
}

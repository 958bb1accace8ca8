import { currentTrace } from "./trace.js";

/**
 * Matrix products of `body` stay float32 in a module of precision bfloat16, where no factor is stored in bfloat16. A kernel
 * rounds what it gives as well as what it takes: logits of 16 and more have steps of 0.125 in bfloat16, and a log-prob moves
 * by as much.
 */
export function wideProducts<T>(body: () => T): T {
  const trace = currentTrace();
  return trace === undefined ? body() : trace.wideProducts(body);
}

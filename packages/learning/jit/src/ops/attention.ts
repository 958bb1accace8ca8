import type * as tf from "@tensorflow/tfjs-core";
import { JitError } from "../base/error.js";
import { currentTrace } from "../trace/trace.js";
import { asType, floatTypeOf } from "./as-type.js";
import { composedAttention } from "./attention-composed.js";
import { fusedAttention, LARGEST_HEAD } from "./attention-cudnn.js";
import type { AttentionOptions } from "./attention-options.js";

/**
 * softmax(scale · Q·Kᵀ)·V by head; G key heads serve H query heads, G divides H. Differentiable in queries, keys and
 * values. On a GPU in mode xla, if products use bfloat16, it is one cuDNN kernel that never materializes the scores;
 * elsewhere it is matrix products and a softmax.
 * @param query [B, Tq, H, d], float32 or bfloat16
 * @param key   [B, Tk, G, d]; value has the same shape
 * @returns [B, Tq, H, d] in the type of `query`
 * @throws {JitError} SHAPE_MISMATCH, INVALID_OPTIONS for options that cannot be combined
 */
export function attention(
  query: tf.Tensor,
  key: tf.Tensor,
  value: tf.Tensor,
  options: AttentionOptions = {},
): tf.Tensor {
  check(query, key, value, options);
  const trace = currentTrace();
  const width = query.shape[3] ?? 0;
  if (trace === undefined || !usesFusedAttention(width)) return composedAttention(query, key, value, options);
  return asType(fusedAttention(trace, query, key, value, options), floatTypeOf(query));
}

/** Returns whether `attention` would be one kernel at this place inside a body, for heads of this width. */
export function usesFusedAttention(headWidth: number): boolean {
  return fitsFusedAttention(headWidth) && currentTrace()?.target.fusedAttention === true;
}

/** Returns whether the kernel of a GPU supports heads of this width. */
export function fitsFusedAttention(headWidth: number): boolean {
  return headWidth % 8 === 0 && headWidth <= LARGEST_HEAD;
}

function check(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor, options: AttentionOptions): void {
  const { causal = false, lengths, segments, prefix, past, table } = options;
  const shapes = `query [${query.shape.join(", ")}], key [${key.shape.join(", ")}], value [${value.shape.join(", ")}]`;
  const [batch, queries, heads = 0, width] = query.shape;
  const [keyBatch, keys, keyHeads = 0, keyWidth] = key.shape;
  const isFour = query.rank === 4 && key.rank === 4 && key.shape.join() === value.shape.join();
  if (!isFour || batch !== (table?.rows.size ?? keyBatch) || width !== keyWidth || heads % keyHeads !== 0) {
    throw new JitError(
      "SHAPE_MISMATCH",
      `attention: ${shapes}; give a query [B, Tq, H, d], and key and value [B, Tk, G, d], where G divides H`,
    );
  }
  if (causal && queries !== keys)
    throw new JitError("SHAPE_MISMATCH", `attention: ${shapes}; causal needs as many keys as queries`);
  const extras = [lengths, segments, prefix].filter((extra) => extra !== undefined);
  if (extras.length > 1 || ((segments !== undefined || prefix !== undefined) && !causal)) {
    throw new JitError(
      "INVALID_OPTIONS",
      "attention: give at most one of lengths, segments and prefix, the last two only with causal: true",
    );
  }
  if (past !== undefined && (segments === undefined || batch !== 1))
    throw new JitError(
      "INVALID_OPTIONS",
      `attention: past is given with ${batch} sequences${segments === undefined ? " and no segments" : ""}; give segments of one sequence`,
    );
  if (table !== undefined && (lengths === undefined || lengths.queries !== undefined || causal))
    throw new JitError(
      "INVALID_OPTIONS",
      "attention: table is given without lengths of keys, with lengths of queries or with causal; give lengths: { keys }",
    );
  const prefixes = prefix?.table?.rows.size ?? prefix?.keys.shape[0] ?? 1;
  if (prefix !== undefined && (batch ?? 0) % prefixes !== 0)
    throw new JitError(
      "SHAPE_MISMATCH",
      `attention: ${batch} rows cannot be divided among ${prefixes} prefixes; give a multiple`,
    );
}

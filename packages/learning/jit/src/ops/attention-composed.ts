import { tf } from "../base/tf.js";
import { asType, floatTypeOf } from "./as-type.js";
import type { AttentionOptions, AttentionPast, AttentionPrefix, TableRows } from "./attention-options.js";
import type { Segments } from "./segments.js";

/** Added to masked scores. */
const HIDDEN = -1e9;

/** Attention in plain operations, which materializes the scores. See attention.ts; the other forms are tested against this one. */
export function composedAttention(
  query: tf.Tensor,
  ownKey: tf.Tensor,
  ownValue: tf.Tensor,
  options: AttentionOptions,
): tf.Tensor {
  const { past, segments } = options;
  const [key, value] = [ownKey, ownValue].map((own) => rowsOf(own, options.table)) as [tf.Tensor, tf.Tensor];
  const prefix = past === undefined ? options.prefix && taken(options.prefix) : gathered(past);
  const [B = 0, Tq = 0, H = 0, d = 0] = query.shape;
  const own = key.shape[1] ?? 0;
  const before = prefix?.keys.shape[1] ?? 0;
  const [keys, values] =
    prefix === undefined ? [key, value] : [withPrefix(prefix.keys, key), withPrefix(prefix.values, value)];
  const G = key.shape[2] ?? 0;
  const group = H / G;
  const wide = (x: tf.Tensor): tf.Tensor => asType(x, "float32");
  const total = before + own;
  const byHead = (x: tf.Tensor): tf.Tensor =>
    wide(x)
      .transpose([0, 2, 1, 3])
      .reshape([B * G, total, d]);
  // Query heads that share a key head are rows of one matrix.
  const queries = wide(query)
    .reshape([B, Tq, G, group, d])
    .transpose([0, 2, 3, 1, 4])
    .reshape([B * G, group * Tq, d]);
  const scores = tf
    .matMul(queries, byHead(keys), false, true)
    .mul(options.scale ?? 1 / Math.sqrt(d))
    .reshape([B, H, Tq, total]);
  const mask = hidden(B, Tq, own, options);
  const whole =
    prefix === undefined
      ? mask
      : tf.concat(
          [
            past && segments ? hiddenInPast(past, segments, Tq) : hiddenInPrefix(prefix, B, Tq),
            tf.tile(mask, [B / (mask.shape[0] ?? 0), 1, 1, 1]),
          ],
          3,
        );
  const weights = tf.softmax(scores.add(whole), -1).reshape([B * G, group * Tq, total]);
  const mixed = tf
    .matMul(weights, byHead(values))
    .reshape([B, G, group, Tq, d])
    .transpose([0, 3, 1, 2, 4])
    .reshape([B, Tq, H, d]);
  return asType(mixed, floatTypeOf(query));
}

/** The rows of a table that sequences attend to; without a table all of them. */
function rowsOf(keys: tf.Tensor, table: TableRows | undefined): tf.Tensor {
  return table === undefined ? keys : tf.gather(keys, table.rows);
}

function taken({ keys, values, lengths, table }: AttentionPrefix): AttentionPrefix {
  const own = { keys: rowsOf(keys, table), values: rowsOf(values, table) };
  return lengths === undefined ? own : { ...own, lengths };
}

/** Prepends each row's prefix to its own keys or values: [B, Lp + T, G, d]. */
function withPrefix(prefix: tf.Tensor, own: tf.Tensor): tf.Tensor {
  const [P = 0, Lp = 0, G = 0, d = 0] = prefix.shape;
  const rows = own.shape[0] ?? 0;
  const repeated = tf.tile(prefix.reshape([P, 1, Lp * G * d]), [1, rows / P, 1]);
  return tf.concat([repeated.reshape([rows, Lp, G, d]), own], 1);
}

/** The mask: float32 [1 or B, 1, Tq, Tk], 0 or, where a key is masked, -1e9. */
function hidden(B: number, Tq: number, Tk: number, options: AttentionOptions): tf.Tensor {
  const { causal = false, lengths, segments } = options;
  const keyAt = tf.range(0, Tk, 1, "int32").reshape([1, 1, 1, Tk]);
  let isHidden: tf.Tensor = causal
    ? keyAt.greater(tf.range(0, Tq, 1, "int32").reshape([1, 1, Tq, 1]))
    : tf.zeros([1, 1, Tq, Tk], "bool");
  if (lengths !== undefined) {
    const isBehind = keyAt.greaterEqual(lengths.keys.reshape([B, 1, 1, 1])); // [B, 1, 1, Tk]
    isHidden = tf.logicalOr(isHidden, isBehind);
  }
  if (segments !== undefined) {
    const { ids } = segments;
    const isOther = ids.reshape([B, 1, Tq, 1]).notEqual(ids.reshape([B, 1, 1, Tk]));
    isHidden = tf.logicalOr(isHidden, isOther);
  }
  return isHidden.toFloat().mul(HIDDEN);
}

/** float32 [B, 1, Tq, Lp] */
function hiddenInPrefix({ keys, lengths }: AttentionPrefix, B: number, Tq: number): tf.Tensor {
  const [P = 0, Lp = 0] = keys.shape;
  if (lengths === undefined) return tf.zeros([B, 1, Tq, Lp]);
  const isBehind = tf
    .range(0, Lp, 1, "int32")
    .reshape([1, 1, Lp])
    .greaterEqual(lengths.reshape([P, 1, 1]));
  const rows = tf.tile(isBehind.toFloat().mul(HIDDEN), [1, (B / P) * Tq, 1]);
  return rows.reshape([B, 1, Tq, Lp]);
}

/** The rows of all segments, one after another: [1, R · L, G, d]. */
function gathered({ keys, values, rows }: AttentionPast): AttentionPrefix {
  const [, L = 0, G = 0, d = 0] = keys.shape;
  const lay = (table: tf.Tensor): tf.Tensor => tf.gather(table, rows).reshape([1, rows.size * L, G, d]);
  return { keys: lay(keys), values: lay(values) };
}

/** float32 [1, 1, Tq, R · L]: hidden is what belongs to other segments, and what lies behind a past. */
function hiddenInPast({ keys, rows, lengths }: AttentionPast, { ids }: Segments, Tq: number): tf.Tensor {
  const [, L = 0] = keys.shape;
  const R = rows.size;
  const segment = tf.range(1, R + 1, 1, "int32").reshape([1, R, 1]);
  const isOther = ids.reshape([Tq, 1, 1]).notEqual(segment); // [Tq, R, 1]
  const isBehind = tf
    .range(0, L, 1, "int32")
    .reshape([1, 1, L])
    .greaterEqual(lengths.reshape([1, R, 1]));
  return tf
    .logicalOr(isOther, isBehind)
    .toFloat()
    .mul(HIDDEN)
    .reshape([1, 1, Tq, R * L]);
}

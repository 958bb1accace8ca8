import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { type CallResult, customCall, UINT8 } from "../emit/xla-module.js";
import type { Trace } from "../trace/trace.js";
import { asType } from "./as-type.js";
import type { AttentionOptions, AttentionPast, AttentionPrefix, TableRows } from "./attention-options.js";
import { backendConfig, type FlashForm, type FlashMask } from "./cudnn-config.js";
import type { Segments } from "./segments.js";

/*
 * Attention by cuDNN's flash kernels, through XLA's custom calls. Their inputs and outputs are bfloat16; the statistics,
 * each query's log-sum-exp, are float32.
 */

/** The widest head that the kernels support; widths must be multiples of 8. */
export const LARGEST_HEAD = 128;

const FORWARD = "__cudnn$fmhaSoftmax";
const BACKWARD = "__cudnn$fmhaSoftmaxBackward";

/** The kernels index axes as [B, heads, T, d]; in memory the order is [B, T, heads, d]. */
const BY_POSITION = [0, 2, 1, 3] as const;

/** Workspace of the kernels; XLA sets its size. */
const SCRATCH: CallResult = { shape: [0], dtype: UINT8 };

/** One call over queries and keys: its mask, and the lengths that the mask uses. */
interface Part {
  readonly mask: FlashMask;
  readonly scale: number;
  readonly lengths: readonly tf.Tensor[];
  /** Maximum number of segments per sequence; 1: not packed. */
  readonly segments: number;
  /** bool [B, Tq] and [B, Tk]; absent: all are valid. At padding the kernels leave uninitialized memory. */
  readonly counted?: { readonly queries?: tf.Tensor; readonly keys: tf.Tensor };
}

type Three = [query: tf.Tensor, key: tf.Tensor, value: tf.Tensor];

export function fusedAttention(
  trace: Trace,
  query: tf.Tensor,
  key: tf.Tensor,
  value: tf.Tensor,
  options: AttentionOptions,
): tf.Tensor {
  const inputs = [query, key, value].map((tensor) => asType(tensor, "bfloat16")) as Three;
  const scale = options.scale ?? 1 / Math.sqrt(query.shape[3] ?? 0);
  const { prefix, past, segments } = options;
  if (past !== undefined && segments !== undefined) return overPast(trace, inputs, { past, segments, scale });
  if (prefix !== undefined) return overPrefix(trace, inputs, prefix, scale);
  const { table, lengths } = options;
  if (table === undefined || lengths === undefined)
    return flash(trace, inputs, partOf(inputs, options, scale));
  const all: Three = [spread(inputs[0], table), inputs[1], inputs[2]];
  const seen = { lengths: { keys: spreadLengths(lengths.keys, table) } };
  return tf.gather(flash(trace, all, partOf(all, seen, scale)), table.rows);
}

/*
 * The kernel for one query a row has a query for every row of a table. Where fewer sequences attend, each row gets the query of its
 * sequence, and a row of none gets any, with one key: the table stays where it is, and only rows of sequences are read.
 */
function spread(queries: tf.Tensor, { sequences }: TableRows): tf.Tensor {
  return tf.gather(queries, sequences.maximum(tf.scalar(0, "int32")));
}

/** int32 [S] */
function spreadLengths(lengths: tf.Tensor, table: TableRows): tf.Tensor {
  const isUsed = table.sequences.greaterEqual(tf.scalar(0, "int32"));
  return tf.where(isUsed, spread(lengths, table), tf.onesLike(table.sequences));
}

function partOf([query, key]: Three, { causal, lengths, segments }: AttentionOptions, scale: number): Part {
  if (lengths !== undefined) {
    const mask = causal === true ? "PADDING_CAUSAL" : "PADDING";
    const [batch = 0, asked = 0] = query.shape;
    const keys = isBefore(lengths.keys, key.shape[1] ?? 0);
    const { queries } = lengths;
    const counted = queries === undefined ? { keys } : { queries: isBefore(queries, asked), keys };
    const counts = queries ?? tf.fill([batch], asked, "int32");
    return { mask, scale, lengths: [counts, lengths.keys], segments: 1, counted };
  }
  if (segments === undefined)
    return { mask: causal === true ? "CAUSAL" : "NO_MASK", scale, lengths: [], segments: 1 };
  const [B = 0, , H = 0, d = 0] = query.shape;
  const G = key.shape[2] ?? 0;
  const perSequence = (segments.lengths.shape[0] ?? 0) / B;
  const counts = segments.lengths.reshape([B, perSequence]);
  const offsets = (heads: number): tf.Tensor => offsetsOf(segments, B, heads * d);
  const isCounted = segments.ids.greater(tf.scalar(0, "int32"));
  return {
    mask: "PADDING_CAUSAL",
    scale,
    lengths: [counts, counts, offsets(H), offsets(G)],
    segments: perSequence,
    counted: { queries: isCounted, keys: isCounted },
  };
}

/** Where each segment begins, counted in elements of `width` a position: int32 [B, slots of a sequence + 1]. */
function offsetsOf({ lengths, starts }: Segments, B: number, width: number): tf.Tensor {
  return starts.mul(tf.scalar(width, "int32")).reshape([B, lengths.size / B + 1]);
}

function flash(trace: Trace, inputs: Three, part: Part): tf.Tensor {
  const { counted } = part;
  const { queries: askedFor, keys: seen } = counted ?? {};
  const masks = [askedFor, seen].filter((mask) => mask !== undefined);
  if (!tf.engine().isTapeOn()) return masked(forwardAlone(trace, inputs, part), askedFor);
  return tf.customGrad((q, k, v, save) => {
    const given = [q, k, v] as Three;
    const [made, statistics] = forward(trace, given, part);
    const output = masked(made, askedFor);
    (save as tf.GradSaveFunc)([...given, output, statistics, ...masks, ...part.lengths]);
    return {
      value: output,
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [sq, sk, sv, so, ss, ...rest] = saved as [...Three, tf.Tensor, tf.Tensor, ...tf.Tensor[]];
        const kept = rest.slice(0, masks.length);
        const [queries, keys] = askedFor === undefined ? [undefined, ...kept] : kept;
        const lengths = rest.slice(masks.length);
        const above = masked(half(trace, dy), queries);
        const [dq, dk, dv] = backward(trace, [sq, sk, sv], so, ss, above, { ...part, lengths });
        return [masked(dq, queries), masked(dk, keys), masked(dv, keys)];
      },
    };
  })(...inputs);
}

/** Zeroes padded positions with where instead of a product, because uninitialized memory may contain NaN. */
function masked(x: tf.Tensor, isCounted: tf.Tensor | undefined): tf.Tensor {
  if (isCounted === undefined) return x;
  const [B = 0, T = 0] = x.shape;
  return tf.where(isCounted.reshape([B, T, 1, 1]), x, tf.zerosLike(x));
}

/** bool [B, length] */
function isBefore(ends: tf.Tensor, length: number): tf.Tensor {
  const [batch = 0] = ends.shape;
  return tf
    .range(0, length, 1, "int32")
    .reshape([1, length])
    .less(ends.reshape([batch, 1]));
}

/**
 * Attention over a prefix and the rows' own keys, as two calls. With a and b their log-sum-exps, that of both is
 * l = log(eᵃ + eᵇ) and O = e^(a−l)·Oa + e^(b−l)·Ob; given l and O, the gradients of each call are those of the whole.
 */
function overPrefix(trace: Trace, inputs: Three, prefix: AttentionPrefix, scale: number): tf.Tensor {
  const [B = 0, T = 0, H = 0, d = 0] = inputs[0].shape;
  const { table } = prefix;
  const P = table?.rows.size ?? prefix.keys.shape[0] ?? 0;
  const M = B / P;
  const grouped = (x: tf.Tensor): tf.Tensor => x.reshape([P, M * T, H, d]);
  const rowsOf = (s: tf.Tensor): tf.Tensor =>
    s.reshape([P, H, M, T]).transpose([0, 2, 1, 3]).reshape([B, H, T]);
  const groupedStatistics = (s: tf.Tensor): tf.Tensor =>
    s
      .reshape([P, M, H, T])
      .transpose([0, 2, 1, 3])
      .reshape([P, H, M * T]);
  const own: Part = { mask: "CAUSAL", scale, lengths: [], segments: 1 };
  const ofPrefix = (lengths: tf.Tensor | undefined): Part =>
    lengths === undefined
      ? { ...own, mask: "NO_MASK" }
      : { ...own, mask: "PADDING", lengths: [tf.fill([lengths.size], M * T, "int32"), lengths] };
  const overKeys = (queries: tf.Tensor, keys: tf.Tensor, values: tf.Tensor): [tf.Tensor, tf.Tensor] => {
    if (table === undefined) return forward(trace, [queries, keys, values], ofPrefix(prefix.lengths));
    const lengths = prefix.lengths ?? tf.fill([P], keys.shape[1] ?? 0, "int32");
    const all: Three = [spread(queries, table), keys, values];
    const [output, statistics] = forward(trace, all, ofPrefix(spreadLengths(lengths, table)));
    return [tf.gather(output, table.rows), tf.gather(statistics, table.rows)];
  };
  return tf.customGrad((...args) => {
    const save = args.at(-1) as tf.GradSaveFunc;
    const [q, k, v, kp, vp] = args.slice(0, -1) as tf.Tensor[] as [...Three, tf.Tensor, tf.Tensor];
    const [prefixOutput, prefixStatistics] = overKeys(grouped(q), kp, vp);
    const [ownOutput, b] = forward(trace, [q, k, v], own);
    const a = rowsOf(prefixStatistics);
    const most = tf.maximum(a, b);
    const l = most.add(tf.log(tf.exp(a.sub(most)).add(tf.exp(b.sub(most)))));
    const share = (s: tf.Tensor): tf.Tensor => tf.exp(s.sub(l)).transpose([0, 2, 1]).expandDims(-1); // [B, T, H, 1]
    const weighted = (x: tf.Tensor, s: tf.Tensor): tf.Tensor =>
      trace.cast(x, DATA_TYPE.float32).mul(share(s));
    const output = half(trace, weighted(prefixOutput.reshape([B, T, H, d]), a).add(weighted(ownOutput, b)));
    save([q, k, v, kp, vp, output, l, ...(prefix.lengths === undefined ? [] : [prefix.lengths])]);
    return {
      value: output,
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [sq, sk, sv, skp, svp, so, sl, lengths] = saved as [
          ...Three,
          ...[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor?],
        ];
        const above = half(trace, dy);
        const before = ofPrefix(lengths);
        const [qa, ka, va] = backward(
          trace,
          [grouped(sq), skp, svp],
          grouped(so),
          groupedStatistics(sl),
          grouped(above),
          before,
        );
        const [qb, kb, vb] = backward(trace, [sq, sk, sv], so, sl, above, own);
        const wide = (x: tf.Tensor): tf.Tensor => trace.cast(x, DATA_TYPE.float32);
        return [half(trace, wide(qa.reshape(sq.shape)).add(wide(qb))), kb, vb, ka, va];
      },
    };
  })(...inputs, asType(prefix.keys, "bfloat16"), asType(prefix.values, "bfloat16"));
}

/**
 * Attention of packed segments over the beginning of one row of a table each and over their own keys, as two calls whose results are
 * joined as in `overPrefix`. The first reads the table where it is: a segment's keys begin where its row does.
 */
function overPast(
  trace: Trace,
  inputs: Three,
  given: { readonly past: AttentionPast; readonly segments: Segments; readonly scale: number },
): tf.Tensor {
  const { past, segments, scale } = given;
  const [query] = inputs;
  const [, T = 0, H = 0, d = 0] = query.shape;
  const [S = 0, L = 0, G = 0] = past.keys.shape;
  const R = segments.lengths.size;
  const int = (x: number): tf.Tensor => tf.scalar(x, "int32");
  // A segment without a past reads one key, which is dropped below, because the kernels need one.
  const isUsed = segments.lengths.greater(int(0)).toInt();
  const lengths = past.lengths.maximum(int(1)).mul(isUsed).reshape([1, R]);
  const begins = past.rows.mul(int(L * G * d)).reshape([1, R]);
  const before: Part = {
    mask: "PADDING",
    scale,
    segments: R,
    lengths: [
      segments.lengths.reshape([1, R]),
      lengths,
      offsetsOf(segments, 1, H * d),
      tf.concat([begins, tf.fill([1, 1], S * L * G * d, "int32")], 1),
    ],
  };
  const table = (x: tf.Tensor): tf.Tensor => asType(x, "bfloat16").reshape([1, S * L, G, d]);
  const [own, ownStatistics] = forward(trace, inputs, partOf(inputs, { causal: true, segments }, scale));
  const [earlier, earlierStatistics] = forward(trace, [query, table(past.keys), table(past.values)], before);
  // Statistics are [R, H, T], where the last axis counts from the segment's beginning.
  const segment = segments.ids.reshape([T]).sub(int(1)).maximum(int(0));
  const place = tf.range(0, T, 1, "int32").sub(tf.gather(segments.starts, segment)).maximum(int(0));
  const heads = tf.range(0, H, 1, "int32").mul(int(T)).reshape([1, H]);
  const at = segment
    .mul(int(H * T))
    .add(place)
    .reshape([T, 1])
    .add(heads)
    .reshape([T * H]);
  const ofTokens = (statistics: tf.Tensor): tf.Tensor =>
    tf.gather(statistics.reshape([R * H * T]), at).reshape([1, T, H, 1]);
  const hasPast = tf.gather(past.lengths, segment).greater(int(0)).reshape([1, T, 1, 1]);
  const b = ofTokens(ownStatistics);
  const a = tf.where(tf.tile(hasPast, [1, 1, H, 1]), ofTokens(earlierStatistics), b.sub(tf.scalar(1e4)));
  const most = tf.maximum(a, b);
  const l = most.add(tf.log(tf.exp(a.sub(most)).add(tf.exp(b.sub(most)))));
  const weighted = (x: tf.Tensor, s: tf.Tensor): tf.Tensor =>
    trace.cast(x, DATA_TYPE.float32).mul(tf.exp(s.sub(l)));
  const ofPast = weighted(earlier, a);
  const joined = weighted(own, b).add(tf.where(hasPast, ofPast, tf.zerosLike(ofPast)));
  return half(trace, masked(joined, segments.ids.greater(int(0))));
}

/** @returns output bfloat16 [B, Tq, H, d], statistics float32 [B · segments, H, Tq] */
function forward(trace: Trace, inputs: Three, part: Part): [tf.Tensor, tf.Tensor] {
  const { B, H, Tq, d } = sizes(inputs);
  const [output, statistics] = customCall(
    trace,
    FORWARD,
    backendConfig(formOf(inputs, part), false),
    [...inputs, ...part.lengths],
    [
      { shape: [B, H, Tq, d], dtype: BFLOAT16, memoryOrder: BY_POSITION },
      { shape: [B * part.segments, H, Tq], dtype: DATA_TYPE.float32 },
      SCRATCH,
    ],
  );
  return [output as tf.Tensor, statistics as tf.Tensor];
}

/** Used where no gradient will be taken: without the statistics. @returns bfloat16 [B, Tq, H, d] */
function forwardAlone(trace: Trace, inputs: Three, part: Part): tf.Tensor {
  const { B, H, Tq, d } = sizes(inputs);
  const results = [{ shape: [B, H, Tq, d], dtype: BFLOAT16, memoryOrder: BY_POSITION }, SCRATCH];
  const operands = [...inputs, ...part.lengths];
  const [output] = customCall(trace, FORWARD, backendConfig(formOf(inputs, part), false), operands, results);
  return output as tf.Tensor;
}

/** @returns gradients of query, key and value, each in its own shape */
function backward(
  trace: Trace,
  inputs: Three,
  output: tf.Tensor,
  statistics: tf.Tensor,
  above: tf.Tensor,
  part: Part,
): Three {
  const { B, H, G, Tq, Tk, d } = sizes(inputs);
  const result = (heads: number, length: number): CallResult => ({
    shape: [B, heads, length, d],
    dtype: BFLOAT16,
    memoryOrder: BY_POSITION,
  });
  const [query, key, value] = customCall(
    trace,
    BACKWARD,
    backendConfig(formOf(inputs, part), true),
    [...inputs, statistics, above, output, ...part.lengths],
    [result(H, Tq), result(G, Tk), result(G, Tk), SCRATCH],
  );
  return [query, key, value] as Three;
}

function half(trace: Trace, x: tf.Tensor): tf.Tensor {
  return trace.cast(x, BFLOAT16);
}

function sizes([query, key]: Three) {
  const [B = 0, Tq = 0, H = 0, d = 0] = query.shape;
  const [, Tk = 0, G = 0] = key.shape;
  return { B, Tq, Tk, H, G, d };
}

function formOf(inputs: Three, { mask, scale, segments }: Part): FlashForm {
  const { B, H, Tq, Tk } = sizes(inputs);
  return { batch: B, heads: H, queries: Tq, keys: Tk, mask, scale, segments };
}

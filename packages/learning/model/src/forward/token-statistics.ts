import { asType, entry, floatTypeOf, innerGrads, type Keep, pickLogprob, scan, tf } from "@palimpsest/jit";
import type { TokenlessRange } from "../base/config.js";
import { withoutTokenless } from "../tokens/tokenless-ids.js";
import { entropyOfLogits } from "./token-logprobs.js";

export interface TokenStatisticsOptions {
  /** Number of rows of logits that exist at once; absent: all. */
  readonly chunk?: number | undefined;
  /** gradient: computed and differentiable. Default none. */
  readonly entropy?: "none" | "value" | "gradient" | undefined;
  /** Whether the head has no gradient; in chunks it is then not even computed. Default false. */
  readonly headFrozen?: boolean | undefined;
  /** In a trace: what the forward pass of chunks keeps for the gradient; products are the logits. Default nothing. */
  readonly keep?: Keep | undefined;
  /** Ids that the softmax does not count; a target that is one of them has a log-prob near -1e30. Default none. */
  readonly tokenlessIds?: readonly TokenlessRange[] | undefined;
}

/** What the distributions of one chunk are computed from. */
interface ChunkForm {
  readonly entropy: "none" | "value" | "gradient";
  readonly tokenlessIds: readonly TokenlessRange[] | undefined;
}

export interface TokenStatistics {
  /** float32 [N], nats: log p(target). */
  readonly logprobs: tf.Tensor;
  /** float32 [N], nats; absent if not requested. */
  readonly entropy?: tf.Tensor;
}

/** Rows of a tile of a GPU's matrix product. */
const TILE = 64;

/**
 * Computes statistics of the next-token distributions at N positions without ever materializing all logits [N, V]:
 * a chunk's logits are computed, used and freed, and recomputed for the gradient.
 * Works under `tf.grads`, in `hidden` and `head`.
 * @param hidden  float32 [N, D], after the final norm
 * @param head    float32 [V, D]
 * @param targets int32 [N]
 */
export function tokenStatistics(
  hidden: tf.Tensor,
  head: tf.Tensor,
  targets: tf.Tensor,
  options: TokenStatisticsOptions = {},
): TokenStatistics {
  const [count = 0] = hidden.shape;
  const { chunk = count, entropy = "none", headFrozen = false, keep = "nothing", tokenlessIds } = options;
  const form = { entropy, tokenlessIds };
  // Products in bfloat16: the head is rounded once, not in every chunk.
  const table = asType(head, floatTypeOf(hidden));
  if (chunk >= count) return ofChunk(hidden, table, targets, form);
  const chunks = Math.ceil(count / chunk);
  // Chunks of equal size, to minimize padding; on a GPU in whole tiles of its products.
  const tile = floatTypeOf(hidden) === "bfloat16" && count >= chunks * TILE ? TILE : 1;
  const rows = tile * Math.ceil(count / chunks / tile);
  const padded = chunks * rows;
  const even = tf.pad(hidden, [
    [0, padded - count],
    [0, 0],
  ]);
  const evenTargets = tf.pad(targets, [[0, padded - count]]).reshape([chunks, rows]);
  const cut = even.reshape([chunks, rows, hidden.shape[1] ?? 0]);
  if (floatTypeOf(hidden) === "bfloat16") {
    const { ys } = scan({
      carry: [],
      xs: [cut, evenTargets],
      keep,
      body: (_none, [x, ids]) => ({
        carry: [],
        ys: columnsOf(ofChunk(x as tf.Tensor, table, ids as tf.Tensor, form)),
      }),
    });
    const [logprobs, entropies] = ys.map((y) => y.reshape([padded]).slice([0], [count]));
    return { logprobs: logprobs as tf.Tensor, ...(entropies === undefined ? {} : { entropy: entropies }) };
  }
  const rowed = inChunks(cut, table, evenTargets, { ...form, headFrozen }); // [columns, padded]
  const column = (index: number): tf.Tensor => rowed.slice([index, 0], [1, count]).reshape([count]);
  return entropy === "none" ? { logprobs: column(0) } : { logprobs: column(0), entropy: column(1) };
}

/** @returns float32 [1 or 2, chunks · rows]: log-probabilities, and entropies if requested */
function inChunks(
  hidden: tf.Tensor, // [chunks, rows, D]
  head: tf.Tensor,
  targets: tf.Tensor, // [chunks, rows]
  options: ChunkForm & { readonly headFrozen: boolean },
): tf.Tensor {
  const { entropy, headFrozen, tokenlessIds } = options;
  const [chunks = 0, rows = 0] = targets.shape;
  const flat = (ys: readonly tf.Tensor[]): tf.Tensor => tf.stack(ys.map((y) => y.reshape([chunks * rows]))); // [columns, chunks · rows]
  const forward = (h: tf.Tensor, w: tf.Tensor): tf.Tensor => {
    const { ys } = scan({
      carry: [],
      xs: [h, targets],
      body: (_none, [x, ids]) => ({
        carry: [],
        ys: columnsOf(ofChunk(x as tf.Tensor, w, ids as tf.Tensor, options)),
      }),
    });
    return flat(ys);
  };
  const backward = (saved: readonly tf.Tensor[], upstream: tf.Tensor): tf.Tensor[] => {
    const [h, w, labels] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const ofLogprobs = upstream.slice([0, 0], [1, chunks * rows]).reshape([chunks, rows]);
    const gradients =
      entropy === "gradient"
        ? [ofLogprobs, upstream.slice([1, 0], [1, chunks * rows]).reshape([chunks, rows])]
        : [ofLogprobs];
    const { carry, ys } = scan({
      carry: headFrozen ? [] : [tf.zerosLike(w)],
      xs: [h, labels, ...gradients],
      body: ([sum], [x, ids, ...above]) => {
        const loss = (row: tf.Tensor, table: tf.Tensor): tf.Tensor => {
          const kind = entropy === "gradient" ? "gradient" : "none";
          const columns = columnsOf(ofChunk(row, table, ids as tf.Tensor, { entropy: kind, tokenlessIds }));
          const terms = columns.map((column, index) => tf.sum(column.mul(entry(above, index))));
          return terms.reduce((total, term) => total.add(term));
        };
        const one = tf.scalar(1);
        if (sum === undefined) {
          const [down] = innerGrads((row) => loss(row as tf.Tensor, w))([x as tf.Tensor], one);
          return { carry: [], ys: [down as tf.Tensor] };
        }
        const both = innerGrads((row, table) => loss(row as tf.Tensor, table as tf.Tensor));
        const [down, ofHead] = both([x as tf.Tensor, w], one);
        return { carry: [sum.add(ofHead as tf.Tensor)], ys: [down as tf.Tensor] };
      },
    });
    return [entry(ys, 0), ...carry];
  };
  const withGradient = (h: tf.Tensor, w: tf.Tensor, save: tf.GradSaveFunc) => {
    // The targets too: the scope that created them may have ended when the gradient is taken.
    save([h, w, targets]);
    return {
      value: forward(h, w),
      gradFunc: (upstream: tf.Tensor, saved: tf.Tensor[]) => backward(saved, upstream),
    };
  };
  type Args = readonly [tf.Tensor, tf.Tensor, tf.GradSaveFunc];
  return headFrozen
    ? tf.customGrad((h, save) => withGradient(h as tf.Tensor, head, save as tf.GradSaveFunc))(hidden)
    : tf.customGrad((...args) => withGradient(...(args as unknown as Args)))(hidden, head);
}

function ofChunk(hidden: tf.Tensor, head: tf.Tensor, targets: tf.Tensor, form: ChunkForm): TokenStatistics {
  const product = asType(tf.matMul(hidden, head, false, true), "float32"); // [rows, V]
  const logits = withoutTokenless(product, form);
  const logprobs = pickLogprob(logits, targets);
  return form.entropy === "none" ? { logprobs } : { logprobs, entropy: entropyOfLogits(logits) };
}

function columnsOf({ logprobs, entropy }: TokenStatistics): tf.Tensor[] {
  return entropy === undefined ? [logprobs] : [logprobs, entropy];
}

import { scan, tf } from "@palimpsest/jit";

/** Parts into which blocked queries are cut: each sees the keys up to its end, so later keys are not multiplied. */
const PARTS = 4;

/** Which keys a position may look at. */
export type AttentionMask =
  | { readonly kind: "dense"; readonly bias: tf.Tensor /* [1 or B, 1, T, T], 0 or -1e9 */ }
  | {
      readonly kind: "blocked";
      /** Queries at a time. */
      readonly block: number;
      /** int32 [B, T]: rows of a packed sequence; a position sees its own row alone. */
      readonly segments?: tf.Tensor;
    };

/**
 * Causal attention with grouped heads: query head h uses key head ⌊h / (H / K)⌋.
 * @param query float32 [B, H, T, d], times the scale of the scores
 * @param key   float32 [B, K, T, d]; so is value
 * @returns float32 [B, H, T, d]; differentiable in all three
 */
export function attention(
  query: tf.Tensor,
  key: tf.Tensor,
  value: tf.Tensor,
  mask: AttentionMask,
): tf.Tensor {
  return mask.kind === "dense"
    ? denseAttention(query, key, value, mask.bias)
    : blockedAttention(query, key, value, mask.block, mask.segments);
}

/**
 * P = softmax(QKᵀ + bias), O = PV. With dP = dO·Vᵀ and S = P ∘ (dP − rowsum(dO ∘ O)): dQ = S·K, dK = Sᵀ·Q,
 * dV = Pᵀ·dO. Query heads of one group become rows of one matrix, so that keys are never repeated.
 */
function denseAttention(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor, bias: tf.Tensor): tf.Tensor {
  const [batch, heads, length, width] = query.shape as [number, number, number, number];
  const kvHeads = key.shape[1] as number;
  const rows = [batch * kvHeads, (heads / kvHeads) * length, width] as const;
  const columns = [batch * kvHeads, length, width] as const;
  const attend = tf.customGrad((q, k, v, save) => {
    const queries = (q as tf.Tensor).reshape([...rows]);
    const keys = (k as tf.Tensor).reshape([...columns]);
    const values = (v as tf.Tensor).reshape([...columns]);
    const weights = tf
      .matMul(queries, keys, false, true)
      .reshape([batch, heads, length, length])
      .add(bias)
      .softmax(-1)
      .reshape([rows[0], rows[1], length]); // [B·K, group·T, T]
    const mixed = tf.matMul(weights, values);
    (save as tf.GradSaveFunc)([queries, keys, values, weights, mixed]);
    return {
      value: mixed.reshape([batch, heads, length, width]),
      gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => {
        const [queriesK, keysK, valuesK, weightsK, mixedK] = saved as [
          tf.Tensor,
          tf.Tensor,
          tf.Tensor,
          tf.Tensor,
          tf.Tensor,
        ];
        const gradients = gradient.reshape([...rows]);
        const center = gradients.mul(mixedK).sum(-1, true); // [B·K, group·T, 1]
        const ofScores = weightsK.mul(tf.matMul(gradients, valuesK, false, true).sub(center));
        return [
          tf.matMul(ofScores, keysK).reshape([batch, heads, length, width]),
          tf.matMul(ofScores, queriesK, true, false).reshape([batch, kvHeads, length, width]),
          tf.matMul(weightsK, gradients, true, false).reshape([batch, kvHeads, length, width]),
        ];
      },
    };
  });
  return attend(query, key, value);
}

/**
 * The same numbers a block of queries at a time, the scores computed again for the gradient: never more than
 * [B, H, block, T] of them stand at once.
 */
function blockedAttention(
  query: tf.Tensor,
  key: tf.Tensor,
  value: tf.Tensor,
  block: number,
  segments: tf.Tensor | undefined,
): tf.Tensor {
  const form = (kept: tf.Tensor | undefined) => new BlockForm(query.shape, key.shape, block, kept);
  const attend = tf.customGrad((q, k, v, save) => {
    const inputs = [q, k, v] as [tf.Tensor, tf.Tensor, tf.Tensor];
    (save as tf.GradSaveFunc)(segments === undefined ? inputs : [...inputs, segments]);
    return {
      value: form(segments).forward(...inputs),
      gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => {
        const [keptQ, keptK, keptV, keptSegments] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor?];
        return form(keptSegments).backward(keptQ, keptK, keptV, gradient);
      },
    };
  });
  return attend(query, key, value);
}

/** Blocks of one part: their first positions and the keys that they see. */
interface Part {
  readonly first: number;
  readonly count: number;
  /** Keys before the part's end. */
  readonly keys: number;
}

class BlockForm {
  readonly #batch: number;
  readonly #heads: number;
  readonly #kvHeads: number;
  readonly #length: number;
  readonly #width: number;
  readonly #block: number;
  readonly #blocks: number;
  readonly #segments: tf.Tensor | undefined;

  constructor(
    queryShape: readonly number[],
    keyShape: readonly number[],
    block: number,
    segments: tf.Tensor | undefined,
  ) {
    [this.#batch, this.#heads, this.#length, this.#width] = queryShape as [number, number, number, number];
    this.#kvHeads = keyShape[1] as number;
    this.#block = Math.min(block, this.#length);
    this.#blocks = Math.ceil(this.#length / this.#block);
    this.#segments = segments;
  }

  /** @returns float32 [B, H, T, d] */
  forward(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor): tf.Tensor {
    const queries = this.#cut(query);
    const parts = this.#parts().map((part) => {
      const keys = this.#seen(key, part);
      const values = this.#seen(value, part);
      const { ys } = scan({
        carry: [],
        xs: [this.#of(queries, part), ...this.#places(part)],
        body: (_none, [rows, ...places]) => ({
          carry: [],
          ys: [tf.matMul(this.#weights(rows as tf.Tensor, keys, places, part), values)],
        }),
      });
      return ys[0] as tf.Tensor;
    });
    return this.#joined(parts);
  }

  /**
   * P = softmax(QKᵀ + mask), O = PV; with S = P ∘ (dP − rowsum(P ∘ dP)), dP = dO·Vᵀ:
   * dQ = S·K, dK = Sᵀ·Q, dV = Pᵀ·dO.
   * @param gradient float32 [B, H, T, d], of the loss in the result
   */
  backward(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor, gradient: tf.Tensor): tf.Tensor[] {
    const [queries, gradients] = [this.#cut(query), this.#cut(gradient)];
    const queryParts: tf.Tensor[] = [];
    const sums: [tf.Tensor, tf.Tensor][] = [];
    for (const part of this.#parts()) {
      const keys = this.#seen(key, part);
      const values = this.#seen(value, part);
      const { carry, ys } = scan({
        carry: [tf.zerosLike(keys), tf.zerosLike(values)],
        xs: [this.#of(queries, part), this.#of(gradients, part), ...this.#places(part)],
        body: ([keySum, valueSum], [rows, above, ...places]) => {
          const [q, dO] = [rows as tf.Tensor, above as tf.Tensor];
          const weights = this.#weights(q, keys, places, part); // [B·K, group·block, keys]
          const product = tf.matMul(dO, values, false, true);
          const centered = product.sub(tf.sum(weights.mul(product), -1, true));
          const dS = weights.mul(centered);
          return {
            carry: [
              (keySum as tf.Tensor).add(tf.matMul(dS, q, true, false)),
              (valueSum as tf.Tensor).add(tf.matMul(weights, dO, true, false)),
            ],
            ys: [tf.matMul(dS, keys)],
          };
        },
      });
      queryParts.push(ys[0] as tf.Tensor);
      sums.push([this.#whole(carry[0] as tf.Tensor), this.#whole(carry[1] as tf.Tensor)]);
    }
    const total = (index: 0 | 1): tf.Tensor =>
      sums.map((pair) => pair[index]).reduce((sum, term) => sum.add(term));
    return [this.#joined(queryParts), total(0), total(1)];
  }

  #parts(): Part[] {
    const size = Math.ceil(this.#blocks / PARTS);
    const parts: Part[] = [];
    for (let first = 0; first < this.#blocks; first += size) {
      const count = Math.min(size, this.#blocks - first);
      parts.push({ first, count, keys: Math.min(this.#length, (first + count) * this.#block) });
    }
    return parts;
  }

  /** [B, H, T, d] → [blocks, B·K, group·block, d], zeros after T. */
  #cut(x: tf.Tensor): tf.Tensor {
    const group = this.#heads / this.#kvHeads;
    const padded = this.#blocks * this.#block - this.#length;
    const even = tf.pad(x, [
      [0, 0],
      [0, 0],
      [0, padded],
      [0, 0],
    ]);
    return even
      .reshape([this.#batch * this.#kvHeads, group, this.#blocks, this.#block * this.#width])
      .transpose([2, 0, 1, 3])
      .reshape([this.#blocks, this.#batch * this.#kvHeads, group * this.#block, this.#width]);
  }

  /** The inverse of `cut`, of blocks in parts. */
  #joined(parts: readonly tf.Tensor[]): tf.Tensor {
    const group = this.#heads / this.#kvHeads;
    return tf
      .concat([...parts], 0)
      .reshape([this.#blocks, this.#batch * this.#kvHeads, group, this.#block * this.#width])
      .transpose([1, 2, 0, 3])
      .reshape([this.#batch, this.#heads, this.#blocks * this.#block, this.#width])
      .slice([0, 0, 0, 0], [this.#batch, this.#heads, this.#length, this.#width]);
  }

  #of(blocks: tf.Tensor, part: Part): tf.Tensor {
    return tf.slice(blocks, [part.first], [part.count]);
  }

  /** [B, K, T, d] → [B·K, keys, d], the keys before the part's end. */
  #seen(x: tf.Tensor, part: Part): tf.Tensor {
    return x
      .slice([0, 0, 0, 0], [this.#batch, this.#kvHeads, part.keys, this.#width])
      .reshape([this.#batch * this.#kvHeads, part.keys, this.#width]);
  }

  /** [B·K, keys, d] → [B, K, T, d], zeros for later keys. */
  #whole(x: tf.Tensor): tf.Tensor {
    const keys = x.shape[1] as number;
    return tf
      .pad(x, [
        [0, 0],
        [0, this.#length - keys],
        [0, 0],
      ])
      .reshape([this.#batch, this.#kvHeads, this.#length, this.#width]);
  }

  /** What a step needs to mask its block: its first position, and its segments where there are any. */
  #places(part: Part): tf.Tensor[] {
    const starts = tf.range(0, part.count, 1, "int32").add(tf.scalar(part.first, "int32"));
    const positions = starts.mul(tf.scalar(this.#block, "int32"));
    if (this.#segments === undefined) return [positions];
    const padded = this.#blocks * this.#block - this.#length;
    const cut = tf
      .pad(this.#segments, [
        [0, 0],
        [0, padded],
      ])
      .reshape([this.#batch, this.#blocks, this.#block])
      .transpose([1, 0, 2]);
    return [positions, tf.slice(cut, [part.first], [part.count])];
  }

  /** Softmax of one block's scores. @returns float32 [B·K, group·block, keys] */
  #weights(rows: tf.Tensor, keys: tf.Tensor, places: readonly tf.Tensor[], part: Part): tf.Tensor {
    const [first, querySegments] = places as [tf.Tensor, tf.Tensor | undefined];
    const at = tf.range(0, this.#block, 1, "int32").add(first).reshape([1, 1, this.#block, 1]);
    const keyAt = tf.range(0, part.keys, 1, "int32").reshape([1, 1, 1, part.keys]);
    let hidden = tf.greater(keyAt, at); // [1, 1, block, keys]
    if (querySegments !== undefined && this.#segments !== undefined) {
      const own = querySegments.reshape([this.#batch, 1, this.#block, 1]);
      const theirs = this.#segments
        .slice([0, 0], [this.#batch, part.keys])
        .reshape([this.#batch, 1, 1, part.keys]);
      hidden = tf.logicalOr(hidden, tf.notEqual(own, theirs));
    }
    return tf
      .matMul(rows, keys, false, true)
      .reshape([this.#batch, this.#heads, this.#block, part.keys])
      .add(hidden.toFloat().mul(-1e9))
      .softmax(-1)
      .reshape([this.#batch * this.#kvHeads, rows.shape[1] as number, part.keys]);
  }
}

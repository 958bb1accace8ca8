import { customGrad, scan, tf } from "@palimpsest/jit";

/** Number of parts that blocked queries are split into: more parts multiply fewer masked keys, but need more loops. */
const PARTS = 4;

/** Which keys a position may attend to. */
export type AttentionMask =
  | { readonly kind: "dense"; readonly bias: tf.Tensor /* [1 or B, 1, T, T], 0 or -1e9 */ }
  | {
      readonly kind: "blocked";
      /** Number of queries computed at a time. */
      readonly block: number;
      /** int32 [B, T]: row numbers of a packed sequence; a position attends only to its own row. */
      readonly segments?: tf.Tensor | undefined;
      /** int32 []: number of tokens that a position attends to, itself included; absent: all before it. */
      readonly window?: tf.Tensor | undefined;
    };

/**
 * Causal attention with grouped heads: query head h uses key head ⌊h / (H / K)⌋.
 * @param query float32 [B, H, T, d], already multiplied by the scale of the scores
 * @param key   float32 [B, K, T, d]; value has the same shape
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
    : blockedAttention(query, key, value, mask.block, mask);
}

/**
 * P = softmax(QKᵀ + bias), O = PV. With dP = dO·Vᵀ and S = P ∘ (dP − rowsum(dO ∘ O)): dQ = S·K, dK = Sᵀ·Q,
 * dV = Pᵀ·dO. Query heads of one group are stacked as rows of one matrix, so that keys need not be repeated.
 */
function denseAttention(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor, bias: tf.Tensor): tf.Tensor {
  const [batch = 0, heads = 0, length = 0, width = 0] = query.shape;
  const kvHeads = key.shape[1] ?? 0;
  const rows = [batch * kvHeads, (heads / kvHeads) * length, width] as const;
  const columns = [batch * kvHeads, length, width] as const;
  return customGrad(
    [query, key, value],
    (q, k, v) => {
      const queries = q.reshape([...rows]);
      const keys = k.reshape([...columns]);
      const values = v.reshape([...columns]);
      const weights = tf
        .matMul(queries, keys, false, true)
        .reshape([batch, heads, length, length])
        .add(bias)
        .softmax(-1)
        .reshape([rows[0], rows[1], length]); // [B·K, group·T, T]
      const mixed = tf.matMul(weights, values);
      const saved = [queries, keys, values, weights, mixed] as const;
      return { value: mixed.reshape([batch, heads, length, width]), saved };
    },
    (gradient, [queries, keys, values, weights, mixed]) => {
      const gradients = gradient.reshape([...rows]);
      const center = gradients.mul(mixed).sum(-1, true); // [B·K, group·T, 1]
      const ofScores = weights.mul(tf.matMul(gradients, values, false, true).sub(center));
      return [
        tf.matMul(ofScores, keys).reshape([batch, heads, length, width]),
        tf.matMul(ofScores, queries, true, false).reshape([batch, kvHeads, length, width]),
        tf.matMul(weights, gradients, true, false).reshape([batch, kvHeads, length, width]),
      ];
    },
  );
}

/**
 * Computes the same result one block of queries at a time and recomputes the scores for the gradient, so that at most
 * [B, H, block, T] scores exist at once.
 */
function blockedAttention(
  query: tf.Tensor,
  key: tf.Tensor,
  value: tf.Tensor,
  block: number,
  { segments, window }: Limits,
): tf.Tensor {
  const blocksWith = (limits: Limits) => new QueryBlocks(query.shape, key.shape, block, limits);
  const limits = [segments, window].filter((tensor) => tensor !== undefined);
  return customGrad(
    [query, key, value],
    (q, k, v) => ({ value: blocksWith({ segments, window }).forward(q, k, v), saved: [q, k, v, ...limits] }),
    (gradient, [q, k, v, ...kept]) =>
      blocksWith({
        segments: segments && kept[0],
        window: window && kept.at(-1),
      }).backward(q, k, v, gradient),
  );
}

/** What positions may not attend to besides later ones, as of a blocked mask. */
interface Limits {
  readonly segments?: tf.Tensor | undefined;
  readonly window?: tf.Tensor | undefined;
}

/** Consecutive blocks of queries that are multiplied with the same keys: those up to the end of the last query. */
interface Part {
  readonly firstBlock: number;
  readonly blocks: number;
  /** Number of keys, from position 0, that its queries are multiplied with. */
  readonly keys: number;
}

/**
 * Responsibility: attention computed one block of `block` query positions at a time, and its gradient.
 * Not responsible for: deciding when blocks pay off; the caller does so through the mask's kind.
 *
 * The blocks form up to PARTS parts. One loop runs over the blocks of a part, because all iterations of a loop must have
 * the same shape; keys after a part's end are never multiplied. Query heads of one group are stacked as rows of one
 * matrix: a block is [B·K, group·block, d] against keys [B·K, keys, d].
 */
class QueryBlocks {
  readonly #batch: number;
  readonly #heads: number;
  readonly #kvHeads: number;
  readonly #length: number;
  readonly #width: number;
  readonly #block: number;
  /** Number of blocks in all parts; the last block may extend past the end of the sequence. */
  readonly #blocks: number;
  readonly #segments: tf.Tensor | undefined;
  readonly #window: tf.Tensor | undefined;

  constructor(
    queryShape: readonly number[],
    keyShape: readonly number[],
    block: number,
    { segments, window }: Limits,
  ) {
    [this.#batch, this.#heads, this.#length, this.#width] = queryShape as [number, number, number, number];
    this.#kvHeads = keyShape[1] as number;
    this.#block = Math.min(block, this.#length);
    this.#blocks = Math.ceil(this.#length / this.#block);
    this.#segments = segments;
    this.#window = window;
  }

  /** @returns float32 [B, H, T, d] */
  forward(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor): tf.Tensor {
    const queries = this.#toBlocks(query);
    const outputs = this.#parts().map((part) => {
      const keys = this.#keysOf(key, part);
      const values = this.#keysOf(value, part);
      const { ys } = scan({
        carry: [],
        xs: [blocksOf(queries, part), ...this.#maskInputs(part)],
        body: (_none, [q = missing(), ...mask]) => ({
          carry: [],
          ys: [tf.matMul(this.#weights(q, keys, mask, part), values)],
        }),
      });
      return ys[0];
    });
    return this.#fromBlocks(outputs);
  }

  /**
   * P = softmax(QKᵀ + mask), O = PV; with S = P ∘ (dP − rowsum(P ∘ dP)), dP = dO·Vᵀ:
   * dQ = S·K, dK = Sᵀ·Q, dV = Pᵀ·dO.
   * @param gradient float32 [B, H, T, d], of the loss in the result
   * @returns the gradients in query, key and value
   */
  backward(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor, gradient: tf.Tensor): tf.Tensor[] {
    const [queries, gradients] = [this.#toBlocks(query), this.#toBlocks(gradient)];
    const parts = this.#parts().map((part) => {
      const keys = this.#keysOf(key, part);
      const values = this.#keysOf(value, part);
      const { carry, ys } = scan({
        carry: [tf.zerosLike(keys), tf.zerosLike(values)],
        xs: [blocksOf(queries, part), blocksOf(gradients, part), ...this.#maskInputs(part)],
        body: ([dK, dV], [q = missing(), dO = missing(), ...mask]) => {
          const P = this.#weights(q, keys, mask, part); // [B·K, group·block, keys]
          const dP = tf.matMul(dO, values, false, true);
          const S = P.mul(dP.sub(tf.sum(P.mul(dP), -1, true)));
          return {
            carry: [dK.add(tf.matMul(S, q, true, false)), dV.add(tf.matMul(P, dO, true, false))],
            ys: [tf.matMul(S, keys)],
          };
        },
      });
      return { dQ: ys[0], dK: this.#padKeys(carry[0]), dV: this.#padKeys(carry[1]) };
    });
    const sum = (terms: readonly tf.Tensor[]): tf.Tensor => terms.reduce((total, term) => total.add(term));
    return [
      this.#fromBlocks(parts.map(({ dQ }) => dQ)),
      sum(parts.map(({ dK }) => dK)),
      sum(parts.map(({ dV }) => dV)),
    ];
  }

  #parts(): Part[] {
    const size = Math.ceil(this.#blocks / PARTS);
    const parts: Part[] = [];
    for (let firstBlock = 0; firstBlock < this.#blocks; firstBlock += size) {
      const blocks = Math.min(size, this.#blocks - firstBlock);
      parts.push({ firstBlock, blocks, keys: Math.min(this.#length, (firstBlock + blocks) * this.#block) });
    }
    return parts;
  }

  /** Number of zero rows that pad the last block. */
  get #padding(): number {
    return this.#blocks * this.#block - this.#length;
  }

  /** [B, H, T, d] → [blocks, B·K, group·block, d], padded with zeros after T. */
  #toBlocks(x: tf.Tensor): tf.Tensor {
    const group = this.#heads / this.#kvHeads;
    return tf
      .pad(x, [
        [0, 0],
        [0, 0],
        [0, this.#padding],
        [0, 0],
      ])
      .reshape([this.#batch * this.#kvHeads, group, this.#blocks, this.#block * this.#width])
      .transpose([2, 0, 1, 3])
      .reshape([this.#blocks, this.#batch * this.#kvHeads, group * this.#block, this.#width]);
  }

  /** Inverts `#toBlocks`, from the blocks of each part. */
  #fromBlocks(parts: readonly tf.Tensor[]): tf.Tensor {
    const group = this.#heads / this.#kvHeads;
    return tf
      .concat([...parts], 0)
      .reshape([this.#blocks, this.#batch * this.#kvHeads, group, this.#block * this.#width])
      .transpose([1, 2, 0, 3])
      .reshape([this.#batch, this.#heads, this.#blocks * this.#block, this.#width])
      .slice([0, 0, 0, 0], [this.#batch, this.#heads, this.#length, this.#width]);
  }

  /** Selects the keys or values of a part: [B, K, T, d] → [B·K, keys, d]. */
  #keysOf(x: tf.Tensor, part: Part): tf.Tensor {
    return x
      .slice([0, 0, 0, 0], [this.#batch, this.#kvHeads, part.keys, this.#width])
      .reshape([this.#batch * this.#kvHeads, part.keys, this.#width]);
  }

  /** Inverts `#keysOf`: [B·K, keys, d] → [B, K, T, d], with zeros for later keys. */
  #padKeys(x: tf.Tensor): tf.Tensor {
    const keys = x.shape[1] ?? 0;
    return tf
      .pad(x, [
        [0, 0],
        [0, this.#length - keys],
        [0, 0],
      ])
      .reshape([this.#batch, this.#kvHeads, this.#length, this.#width]);
  }

  /** Per-iteration inputs of the mask: the block's first position and, if rows are packed, its queries' segments. */
  #maskInputs(part: Part): tf.Tensor[] {
    const indexes = tf.range(0, part.blocks, 1, "int32").add(tf.scalar(part.firstBlock, "int32"));
    const firstPositions = indexes.mul(tf.scalar(this.#block, "int32"));
    if (this.#segments === undefined) return [firstPositions];
    const segments = tf
      .pad(this.#segments, [
        [0, 0],
        [0, this.#padding],
      ])
      .reshape([this.#batch, this.#blocks, this.#block])
      .transpose([1, 0, 2]);
    return [firstPositions, blocksOf(segments, part)];
  }

  /**
   * Computes the softmax of one block's scores.
   * @param queries float32 [B·K, group·block, d]
   * @param mask one iteration of `#maskInputs`
   * @returns float32 [B·K, group·block, keys]
   */
  #weights(queries: tf.Tensor, keys: tf.Tensor, mask: readonly tf.Tensor[], part: Part): tf.Tensor {
    const [firstPosition = missing(), querySegments] = mask;
    const queryAt = tf.range(0, this.#block, 1, "int32").add(firstPosition).reshape([1, 1, this.#block, 1]);
    const keyAt = tf.range(0, part.keys, 1, "int32").reshape([1, 1, 1, part.keys]);
    let hidden = tf.greater(keyAt, queryAt); // [1, 1, block, keys]
    if (this.#window !== undefined)
      hidden = tf.logicalOr(hidden, tf.greaterEqual(queryAt.sub(keyAt), this.#window));
    if (querySegments !== undefined && this.#segments !== undefined) {
      const ofQueries = querySegments.reshape([this.#batch, 1, this.#block, 1]);
      const ofKeys = this.#segments
        .slice([0, 0], [this.#batch, part.keys])
        .reshape([this.#batch, 1, 1, part.keys]);
      hidden = tf.logicalOr(hidden, tf.notEqual(ofQueries, ofKeys));
    }
    return tf
      .matMul(queries, keys, false, true)
      .reshape([this.#batch, this.#heads, this.#block, part.keys])
      .add(hidden.toFloat().mul(-1e9))
      .softmax(-1)
      .reshape([this.#batch * this.#kvHeads, queries.shape[1] ?? 0, part.keys]);
  }
}

/** Slices the blocks of a part out of a tensor [blocks, ...]. */
function blocksOf(x: tf.Tensor, part: Part): tf.Tensor {
  return tf.slice(x, [part.firstBlock], [part.blocks]);
}

function missing(): never {
  throw new Error("internal: a step of blocked attention was given too few tensors");
}

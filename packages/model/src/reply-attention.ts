import { scan, tf } from "@palimpsest/jit";
import { ReplyScores, type ReplyTensors } from "./reply-scores.js";

/** Keys and values that queries look at; the queries' own ones are causal. */
export interface ReplyKeys {
  readonly promptKeys: tf.Tensor; // float32 [P, K, Lp, d]
  readonly promptValues: tf.Tensor; // float32 [P, K, Lp, d]
  readonly ownKeys: tf.Tensor; // float32 [P, K, M, Lr, d]
  readonly ownValues: tf.Tensor; // float32 [P, K, M, Lr, d]
}

/** Which places of its own reply a place may look at. */
export type OwnMask =
  | {
      readonly kind: "dense";
      readonly bias: tf.Tensor /* float32 [1, Lr, Lr], 0 or, at later places, -1e9 */;
    }
  | { readonly kind: "blocked"; readonly block: number /* places of every reply at a time */ };

/**
 * Attention of M replies to each of P prompts: a place sees its prompt and what stands before it in its own reply. The
 * replies of one prompt are rows of one matrix against its keys, so that a prompt is neither repeated nor computed twice.
 * Blocked, the scores are computed again for the gradient, and never more than [P, K, M, G, block, Lp + Lr] of them
 * stand at once.
 * @param query float32 [P, K, M, G, Lr, d], times the scale of the scores; G query heads share a key head
 * @param promptBias float32 [P, 1, Lp], 0 or, behind a prompt's end, -1e9
 * @returns float32 [P, K, M, G, Lr, d]; differentiable in the query, keys and values
 */
export function replyAttention(
  query: tf.Tensor,
  keys: ReplyKeys,
  promptBias: tf.Tensor,
  own: OwnMask,
): tf.Tensor {
  const { promptKeys, promptValues, ownKeys, ownValues } = keys;
  const attend = own.kind === "dense" ? dense(promptBias, own.bias) : blocked(promptBias, own.block);
  return attend(query, promptKeys, promptValues, ownKeys, ownValues);
}

function dense(promptBias: tf.Tensor, ownBias: tf.Tensor) {
  return tf.customGrad((...args) => {
    const save = args.at(-1) as tf.GradSaveFunc;
    const [query, ...rest] = args.slice(0, -1) as unknown as Five;
    const [promptLength, replyLength] = [rest[0].shape[2] as number, query.shape[4] as number];
    const scores = new ReplyScores(query.shape, promptLength, replyLength);
    const tensors = scores.flat(rest);
    const weights = scores.weights(query, tensors, promptBias, ownBias);
    const mixed = scores.mixed(weights, tensors);
    save([query, ...tensors, ...weights, mixed]);
    return {
      value: mixed.reshape(query.shape),
      gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => {
        const [queries, kP, vP, kR, vR, wP, wR, output] = saved as [...Five, tf.Tensor, tf.Tensor, tf.Tensor];
        const gradients = scores.gradients(queries, [kP, vP, kR, vR], [wP, wR], output, gradient);
        return [gradients.query, ...scores.shaped(gradients.tensors)];
      },
    };
  });
}

function blocked(promptBias: tf.Tensor, block: number) {
  return tf.customGrad((...args) => {
    const save = args.at(-1) as tf.GradSaveFunc;
    const [query, ...rest] = args.slice(0, -1) as unknown as Five;
    const cut = new Cut(query.shape, block);
    const scores = new ReplyScores(cut.blockShape, rest[0].shape[2] as number, cut.length);
    const tensors = scores.flat(rest);
    const { ys } = scan({
      carry: [],
      xs: [cut.blocks(query), cut.firsts()],
      body: (_none, [rows, first]) => {
        const weights = scores.weights(rows as tf.Tensor, tensors, promptBias, cut.bias(first as tf.Tensor));
        return { carry: [], ys: [scores.mixed(weights, tensors).reshape(cut.blockShape)] };
      },
    });
    const value = cut.joined(ys[0] as tf.Tensor);
    save([query, ...tensors, value, promptBias]);
    return {
      value,
      gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => {
        const [queries, kP, vP, kR, vR, output, bias] = saved as [...Five, tf.Tensor, tf.Tensor];
        const kept: ReplyTensors = [kP, vP, kR, vR];
        const summed = scan({
          carry: kept.map((tensor) => tf.zerosLike(tensor)),
          xs: [cut.blocks(queries), cut.blocks(output), cut.blocks(gradient), cut.firsts()],
          body: (sums, [rows, mixed, above, first]) => {
            const q = rows as tf.Tensor;
            const weights = scores.weights(q, kept, bias, cut.bias(first as tf.Tensor));
            const gradients = scores.gradients(q, kept, weights, mixed as tf.Tensor, above as tf.Tensor);
            return {
              carry: sums.map((sum, i) => sum.add(gradients.tensors[i] as tf.Tensor)),
              ys: [gradients.query],
            };
          },
        });
        return [
          cut.joined(summed.ys[0] as tf.Tensor),
          ...scores.shaped(summed.carry as unknown as ReplyTensors),
        ];
      },
    };
  });
}

type Five = [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];

/** Replies as blocks of places, zeros behind their end. */
class Cut {
  /** Places of a reply. */
  readonly length: number;
  /** [P, K, M, G, block, d] */
  readonly blockShape: number[];
  readonly #shape: readonly number[];
  readonly #block: number;
  readonly #count: number;

  /** @param shape of the queries, [P, K, M, G, Lr, d] */
  constructor(shape: readonly number[], block: number) {
    this.#shape = shape;
    this.length = shape[4] as number;
    this.#block = Math.min(block, this.length);
    this.#count = Math.ceil(this.length / this.#block);
    this.blockShape = [...shape.slice(0, 4), this.#block, shape[5] as number];
  }

  /** [P, K, M, G, Lr, d] → [blocks, P, K, M, G, block, d] */
  blocks(x: tf.Tensor): tf.Tensor {
    const width = this.#shape[5] as number;
    const rows = x.size / (this.length * width);
    return tf
      .pad(x.reshape([rows, this.length, width]), [
        [0, 0],
        [0, this.#count * this.#block - this.length],
        [0, 0],
      ])
      .reshape([rows, this.#count, this.#block * width])
      .transpose([1, 0, 2])
      .reshape([this.#count, ...this.blockShape]);
  }

  /** The inverse of `blocks`. */
  joined(x: tf.Tensor): tf.Tensor {
    const width = this.#shape[5] as number;
    const rows = x.size / (this.#count * this.#block * width);
    return x
      .reshape([this.#count, rows, this.#block * width])
      .transpose([1, 0, 2])
      .reshape([rows, this.#count * this.#block, width])
      .slice([0, 0, 0], [rows, this.length, width])
      .reshape([...this.#shape]);
  }

  /** int32 [blocks], the first place of each. */
  firsts(): tf.Tensor {
    return tf.range(0, this.#count, 1, "int32").mul(tf.scalar(this.#block, "int32"));
  }

  /** float32 [1, block, Lr], -1e9 at places later than the query's. */
  bias(first: tf.Tensor): tf.Tensor {
    const at = tf.range(0, this.#block, 1, "int32").add(first).reshape([1, this.#block, 1]);
    return tf
      .greater(tf.range(0, this.length, 1, "int32").reshape([1, 1, this.length]), at)
      .toFloat()
      .mul(-1e9);
  }
}

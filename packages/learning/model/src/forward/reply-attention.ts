import { customGrad, scan, tf } from "@palimpsest/jit";
import { ReplyScores, type ReplyTensors } from "./reply-scores.js";

/** Keys and values that the queries attend to; attention to the replies' own keys is causal. */
export interface ReplyKeys {
  readonly promptKeys: tf.Tensor; // float32 [P, K, Lp, d]
  readonly promptValues: tf.Tensor; // float32 [P, K, Lp, d]
  readonly ownKeys: tf.Tensor; // float32 [P, K, M, Lr, d]
  readonly ownValues: tf.Tensor; // float32 [P, K, M, Lr, d]
}

/** Which positions of its own reply a position may attend to. */
export type OwnMask =
  | {
      readonly kind: "dense";
      readonly bias: tf.Tensor /* float32 [1, Lr, Lr], 0 or, at later places, -1e9 */;
    }
  | {
      readonly kind: "blocked";
      /** Positions of every reply at a time. */
      readonly block: number;
      /** int32 []: number of tokens that a position attends to; absent: all before it. */
      readonly window?: tf.Tensor | undefined;
    };

/**
 * Attention of M replies to each of P prompts: a position attends to its prompt and to earlier positions of its own reply.
 * The replies of one prompt are rows of one matrix against its keys, so that a prompt is neither repeated nor computed twice.
 * In blocks, the scores are recomputed for the gradient, and at most [P, K, M, G, block, Lp + Lr] of them exist at once.
 * @param query float32 [P, K, M, G, Lr, d], already multiplied by the scale of the scores; G query heads share a key head
 * @param promptBias float32 [P, 1 or Lr, Lp], 0, or -1e9 after a prompt's end and before a position's window
 * @returns float32 [P, K, M, G, Lr, d]; differentiable in the query, keys and values
 */
export function replyAttention(
  query: tf.Tensor,
  keys: ReplyKeys,
  promptBias: tf.Tensor,
  own: OwnMask,
): tf.Tensor {
  const { promptKeys, promptValues, ownKeys, ownValues } = keys;
  const inputs = [query, promptKeys, promptValues, ownKeys, ownValues] as const;
  return own.kind === "dense"
    ? denseAttention(inputs, promptBias, own.bias)
    : blockedAttention(inputs, promptBias, own.block, own.window);
}

type Inputs = readonly [query: tf.Tensor, ...keysAndValues: ReplyTensors];

function denseAttention(inputs: Inputs, promptBias: tf.Tensor, ownBias: tf.Tensor): tf.Tensor {
  const [{ shape }, promptKeys] = inputs;
  const scores = new ReplyScores(shape, promptKeys.shape[2] ?? 0, shape[4] ?? 0);
  return customGrad(
    inputs,
    (query, ...given) => {
      const tensors = scores.flat(given);
      const weights = scores.weights(query, tensors, promptBias, ownBias);
      const mixed = scores.mixed(weights, tensors);
      return { value: mixed.reshape(shape), saved: [query, ...tensors, ...weights, mixed] };
    },
    (gradient, [query, kP, vP, kR, vR, wP, wR, output]) => {
      const gradients = scores.gradients(query, [kP, vP, kR, vR], [wP, wR], output, gradient);
      return [gradients.query, ...scores.shaped(gradients.tensors)];
    },
  );
}

function blockedAttention(
  inputs: Inputs,
  promptBias: tf.Tensor,
  block: number,
  window: tf.Tensor | undefined,
): tf.Tensor {
  const cut = new Cut(inputs[0].shape, block);
  const scores = new ReplyScores(cut.blockShape, inputs[1].shape[2] ?? 0, cut.length);
  return customGrad(
    inputs,
    (query, ...given) => {
      const tensors = scores.flat(given);
      const { ys } = scan({
        carry: [],
        xs: [cut.blocks(query), cut.firsts(), ...cut.biases(promptBias)],
        body: (_none, [rows = missing(), first = missing(), bias = promptBias]) => {
          const weights = scores.weights(rows, tensors, bias, cut.bias(first, window));
          return { carry: [], ys: [scores.mixed(weights, tensors).reshape(cut.blockShape)] };
        },
      });
      const value = cut.joined(ys[0]);
      const limits = window === undefined ? [] : [window];
      return { value, saved: [query, ...tensors, value, promptBias, ...limits] };
    },
    (gradient, [query, kP, vP, kR, vR, output, savedBias, savedWindow]) => {
      const tensors: ReplyTensors = [kP, vP, kR, vR];
      const { carry, ys } = scan({
        carry: [tf.zerosLike(kP), tf.zerosLike(vP), tf.zerosLike(kR), tf.zerosLike(vR)],
        xs: [
          cut.blocks(query),
          cut.blocks(output),
          cut.blocks(gradient),
          cut.firsts(),
          ...cut.biases(savedBias),
        ],
        body: ([dkP, dvP, dkR, dvR], slices) => {
          const [rows = missing(), mixed = missing(), above = missing(), first = missing()] = slices;
          const bias = slices[4] ?? savedBias;
          const weights = scores.weights(rows, tensors, bias, cut.bias(first, savedWindow));
          const step = scores.gradients(rows, tensors, weights, mixed, above);
          const [ofKP, ofVP, ofKR, ofVR] = step.tensors;
          return { carry: [dkP.add(ofKP), dvP.add(ofVP), dkR.add(ofKR), dvR.add(ofVR)], ys: [step.query] };
        },
      });
      return [cut.joined(ys[0]), ...scores.shaped(carry)];
    },
  );
}

/** Replies split into blocks of positions, padded with zeros. */
class Cut {
  /** Number of positions in a reply. */
  readonly length: number;
  /** [P, K, M, G, block, d] */
  readonly blockShape: number[];
  readonly #shape: readonly number[];
  readonly #block: number;
  readonly #count: number;

  /** @param shape of the queries, [P, K, M, G, Lr, d] */
  constructor(shape: readonly number[], block: number) {
    this.#shape = shape;
    this.length = shape[4] ?? 0;
    this.#block = Math.min(block, this.length);
    this.#count = Math.ceil(this.length / this.#block);
    this.blockShape = [...shape.slice(0, 4), this.#block, shape[5] ?? 0];
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

  /** Inverts `blocks`. */
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

  /** int32 [blocks], the first position of each block. */
  firsts(): tf.Tensor {
    return tf.range(0, this.#count, 1, "int32").mul(tf.scalar(this.#block, "int32"));
  }

  /** [P, Lr, Lp] → [[blocks, P, block, Lp]]; nothing for a bias that is the same for all positions, [P, 1, Lp]. */
  biases(bias: tf.Tensor): tf.Tensor[] {
    const [prompts = 0, rows = 0, promptLength = 0] = bias.shape;
    if (rows === 1) return [];
    return [
      tf
        .pad(bias, [
          [0, 0],
          [0, this.#count * this.#block - rows],
          [0, 0],
        ])
        .reshape([prompts, this.#count, this.#block * promptLength])
        .transpose([1, 0, 2])
        .reshape([this.#count, prompts, this.#block, promptLength]),
    ];
  }

  /** float32 [1, block, Lr], -1e9 at positions later than the query's and before its window. */
  bias(first: tf.Tensor, window: tf.Tensor | undefined): tf.Tensor {
    const at = tf.range(0, this.#block, 1, "int32").add(first).reshape([1, this.#block, 1]);
    const keys = tf.range(0, this.length, 1, "int32").reshape([1, 1, this.length]);
    const later = tf.greater(keys, at);
    const unseen = window === undefined ? later : tf.logicalOr(later, tf.greaterEqual(at.sub(keys), window));
    return unseen.toFloat().mul(-1e9);
  }
}

function missing(): never {
  throw new Error("internal: a step of blocked attention was given too few tensors");
}

import { tf } from "@palimpsest/jit";

/** Keys and values of the prompts, [P·K, Lp, d], and of the replies themselves, [P·K·M, Lr, d]. */
export type ReplyTensors = readonly [
  promptKeys: tf.Tensor,
  promptValues: tf.Tensor,
  ownKeys: tf.Tensor,
  ownValues: tf.Tensor,
];

/** Softmax over a position's prompt and reply: [P·K, M·G·n, Lp] and [P·K·M, G·n, Lr]. */
export type ReplyWeights = readonly [ofPrompt: tf.Tensor, ofOwn: tf.Tensor];

/**
 * Scores of n positions of every reply. With W = softmax([Q·Kpᵀ + bias, Q·Krᵀ + causal]) and O = Wp·Vp + Wr·Vr, the
 * gradients are those of dense attention, computed separately for prompt and reply.
 */
export class ReplyScores {
  readonly #shape: readonly [P: number, K: number, M: number, G: number, n: number, d: number];
  readonly #promptLength: number;
  readonly #replyLength: number;

  /** @param shape the shape of the queries, [P, K, M, G, n, d] */
  constructor(shape: readonly number[], promptLength: number, replyLength: number) {
    this.#shape = shape as readonly number[] as readonly [number, number, number, number, number, number];
    this.#promptLength = promptLength;
    this.#replyLength = replyLength;
  }

  /** Flattens [P, K, Lp, d] twice and [P, K, M, Lr, d] twice. */
  flat([promptKeys, promptValues, ownKeys, ownValues]: ReplyTensors): ReplyTensors {
    const [P, K, M, , , d] = this.#shape;
    const prompt = (x: tf.Tensor): tf.Tensor => x.reshape([P * K, this.#promptLength, d]);
    const own = (x: tf.Tensor): tf.Tensor => x.reshape([P * K * M, this.#replyLength, d]);
    return [prompt(promptKeys), prompt(promptValues), own(ownKeys), own(ownValues)];
  }

  /** Inverts `flat`. */
  shaped([promptKeys, promptValues, ownKeys, ownValues]: ReplyTensors): tf.Tensor[] {
    const [P, K, M, , , d] = this.#shape;
    const prompt = (x: tf.Tensor): tf.Tensor => x.reshape([P, K, this.#promptLength, d]);
    const own = (x: tf.Tensor): tf.Tensor => x.reshape([P, K, M, this.#replyLength, d]);
    return [prompt(promptKeys), prompt(promptValues), own(ownKeys), own(ownValues)];
  }

  /**
   * @param query float32 [P, K, M, G, n, d]
   * @param promptBias float32 [P, 1 or n, Lp]
   * @param ownBias float32 [1, n, Lr]
   */
  weights(
    query: tf.Tensor,
    [promptKeys, , ownKeys]: ReplyTensors,
    promptBias: tf.Tensor,
    ownBias: tf.Tensor,
  ): ReplyWeights {
    const [P, K, M, G, n, d] = this.#shape;
    const [Lp, Lr] = [this.#promptLength, this.#replyLength];
    const rows = K * M * G * n;
    const ofPrompt = tf
      .matMul(this.#onPrompt(query, d), promptKeys, false, true)
      .reshape([P, K * M * G, n, Lp])
      .add(promptBias.reshape([P, 1, promptBias.shape[1] ?? 0, Lp]))
      .reshape([P, rows, Lp]);
    const ofOwn = tf
      .matMul(this.#onOwn(query, d), ownKeys, false, true)
      .reshape([P * K * M * G, n, Lr])
      .add(ownBias)
      .reshape([P, rows, Lr]);
    const weights = tf.concat([ofPrompt, ofOwn], 2).softmax(-1); // [P, rows, Lp + Lr]
    return [
      this.#onPrompt(tf.slice(weights, [0, 0, 0], [P, rows, Lp]), Lp),
      this.#onOwn(tf.slice(weights, [0, 0, Lp], [P, rows, Lr]), Lr),
    ];
  }

  /** @returns float32 [P·K·M, G·n, d] */
  mixed([ofPrompt, ofOwn]: ReplyWeights, [, promptValues, , ownValues]: ReplyTensors): tf.Tensor {
    const d = this.#shape[5];
    return this.#onOwn(tf.matMul(ofPrompt, promptValues), d).add(tf.matMul(ofOwn, ownValues));
  }

  /**
   * @param mixed the result of `mixed`, of any shape
   * @param gradient float32 [P, K, M, G, n, d], of the loss with respect to it
   * @returns the gradients in the queries [P, K, M, G, n, d] and in the keys and values, in their flat shapes
   */
  gradients(
    query: tf.Tensor,
    [promptKeys, promptValues, ownKeys, ownValues]: ReplyTensors,
    [ofPrompt, ofOwn]: ReplyWeights,
    mixed: tf.Tensor,
    gradient: tf.Tensor,
  ): { readonly query: tf.Tensor; readonly tensors: ReplyTensors } {
    const d = this.#shape[5];
    const onPrompt = this.#onPrompt(gradient, d);
    const onOwn = this.#onOwn(gradient, d);
    const center = onOwn.mul(this.#onOwn(mixed, d)).sum(-1, true); // [P·K·M, G·n, 1]
    const inPrompt = ofPrompt.mul(
      tf.matMul(onPrompt, promptValues, false, true).sub(this.#onPrompt(center, 1)),
    );
    const inOwn = ofOwn.mul(tf.matMul(onOwn, ownValues, false, true).sub(center));
    return {
      query: this.#onOwn(tf.matMul(inPrompt, promptKeys), d)
        .add(tf.matMul(inOwn, ownKeys))
        .reshape([...this.#shape]),
      tensors: [
        tf.matMul(inPrompt, this.#onPrompt(query, d), true, false),
        tf.matMul(ofPrompt, onPrompt, true, false),
        tf.matMul(inOwn, this.#onOwn(query, d), true, false),
        tf.matMul(ofOwn, onOwn, true, false),
      ],
    };
  }

  /** Reshapes to rows against a prompt's keys. */
  #onPrompt(x: tf.Tensor, width: number): tf.Tensor {
    const [P, K, M, G, n] = this.#shape;
    return x.reshape([P * K, M * G * n, width]);
  }

  /** Reshapes to rows against the keys of their own reply. */
  #onOwn(x: tf.Tensor, width: number): tf.Tensor {
    const [P, K, M, G, n] = this.#shape;
    return x.reshape([P * K * M, G * n, width]);
  }
}

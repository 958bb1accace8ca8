import * as tf from "@tensorflow/tfjs";

/** Keys and values that queries look at; the queries' own ones are causal. */
export interface ReplyKeys {
  readonly promptKeys: tf.Tensor; // float32 [P, K, Lp, d]
  readonly promptValues: tf.Tensor; // float32 [P, K, Lp, d]
  readonly ownKeys: tf.Tensor; // float32 [P, K, M, Lr, d]
  readonly ownValues: tf.Tensor; // float32 [P, K, M, Lr, d]
}

/**
 * Attention of M replies to each of P prompts: a place sees its prompt and what stands before it in its own reply. The
 * replies of one prompt are rows of one matrix against its keys, so that a prompt is neither repeated nor computed twice.
 * With W = softmax([Q·Kpᵀ + bias, Q·Krᵀ + causal]) and O = Wp·Vp + Wr·Vr, the gradients are those of dense attention, by parts.
 * @param query float32 [P, K, M, G, Lr, d], times the scale of the scores; G query heads share a key head
 * @param promptBias float32 [P, 1, Lp], 0 or, behind a prompt's end, -1e9
 * @param ownBias float32 [1, Lr, Lr], 0 or, at later places, -1e9
 * @returns float32 [P, K, M, G, Lr, d]; differentiable in the query, keys and values
 */
export function replyAttention(
  query: tf.Tensor,
  { promptKeys, promptValues, ownKeys, ownValues }: ReplyKeys,
  promptBias: tf.Tensor,
  ownBias: tf.Tensor,
): tf.Tensor {
  const [P, K, M, G, Lr, d] = query.shape as [number, number, number, number, number, number];
  const Lp = promptKeys.shape[2] as number;
  const rows = K * M * G * Lr;
  // What prompts see, [P·K, …], and what replies see, [P·K·M, …].
  const onPrompt = (x: tf.Tensor, width: number): tf.Tensor => x.reshape([P * K, M * G * Lr, width]);
  const onOwn = (x: tf.Tensor, width: number): tf.Tensor => x.reshape([P * K * M, G * Lr, width]);
  const parts = (x: tf.Tensor): [tf.Tensor, tf.Tensor] => [
    onPrompt(tf.slice(x, [0, 0, 0], [P, rows, Lp]), Lp),
    onOwn(tf.slice(x, [0, 0, Lp], [P, rows, Lr]), Lr),
  ];
  const joined = (prompt: tf.Tensor, own: tf.Tensor): tf.Tensor =>
    tf.concat([prompt.reshape([P, rows, Lp]), own.reshape([P, rows, Lr])], 2);
  const attend = tf.customGrad((...args) => {
    const save = args.at(-1) as tf.GradSaveFunc;
    const [q, ofPrompt, valuesOfPrompt, own, valuesOfOwn] = args.slice(0, -1) as tf.Tensor[] as Five;
    const keysP = ofPrompt.reshape([P * K, Lp, d]);
    const valuesP = valuesOfPrompt.reshape([P * K, Lp, d]);
    const keysR = own.reshape([P * K * M, Lr, d]);
    const valuesR = valuesOfOwn.reshape([P * K * M, Lr, d]);
    const promptScores = tf.matMul(onPrompt(q, d), keysP, false, true).reshape([P, rows, Lp]).add(promptBias);
    const ownScores = tf
      .matMul(onOwn(q, d), keysR, false, true)
      .reshape([P * K * M * G, Lr, Lr])
      .add(ownBias);
    const weights = joined(promptScores, ownScores).softmax(-1); // [P, rows, Lp + Lr]
    const [weightsP, weightsR] = parts(weights);
    const mixed = onOwn(tf.matMul(weightsP, valuesP), d).add(tf.matMul(weightsR, valuesR));
    save([q, keysP, valuesP, keysR, valuesR, weightsP, weightsR, mixed]);
    return {
      value: mixed.reshape([P, K, M, G, Lr, d]),
      gradFunc: (slope: tf.Tensor, saved: tf.Tensor[]) => {
        const [queries, kP, vP, kR, vR, wP, wR, output] = saved as [...Five, tf.Tensor, tf.Tensor, tf.Tensor];
        const centre = slope
          .reshape([P * K * M, G * Lr, d])
          .mul(output)
          .sum(-1, true); // [P·K·M, G·Lr, 1]
        const slopesP = onPrompt(slope, d);
        const slopesR = onOwn(slope, d);
        const ofScoresP = wP.mul(tf.matMul(slopesP, vP, false, true).sub(onPrompt(centre, 1)));
        const ofScoresR = wR.mul(tf.matMul(slopesR, vR, false, true).sub(centre));
        return [
          onOwn(tf.matMul(ofScoresP, kP), d).add(tf.matMul(ofScoresR, kR)).reshape([P, K, M, G, Lr, d]),
          tf.matMul(ofScoresP, onPrompt(queries, d), true, false).reshape([P, K, Lp, d]),
          tf.matMul(wP, slopesP, true, false).reshape([P, K, Lp, d]),
          tf.matMul(ofScoresR, onOwn(queries, d), true, false).reshape([P, K, M, Lr, d]),
          tf.matMul(wR, slopesR, true, false).reshape([P, K, M, Lr, d]),
        ];
      },
    };
  });
  return attend(query, promptKeys, promptValues, ownKeys, ownValues);
}

type Five = [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];

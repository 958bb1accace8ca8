import { pickLogprob, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";
import { forwardHidden, logitsOf } from "./forward.js";
import type { ParameterTensors } from "./forward-options.js";

/**
 * Log-probability of each next token. Works under `tf.grads`.
 * @param ids int32 [B, T]
 * @returns float32 [B, T-1], nats: entry t is log p(ids[t+1] | ids[0..t])
 */
export function tokenLogprobs(parameters: ParameterTensors, ids: tf.Tensor, config: ModelConfig): tf.Tensor {
  const [batch = 0, length = 0] = ids.shape;
  const logits = nextTokenLogits(parameters, ids, config); // [B·(T-1), V]
  const targets = ids.slice([0, 1], [batch, length - 1]).reshape([batch * (length - 1)]);
  return pickLogprob(logits, targets).reshape([batch, length - 1]);
}

/**
 * Entropy of each next-token distribution. Works under `tf.grads`.
 * @param ids int32 [B, T]
 * @returns float32 [B, T-1], nats
 */
export function entropy(parameters: ParameterTensors, ids: tf.Tensor, config: ModelConfig): tf.Tensor {
  const [batch = 0, length = 0] = ids.shape;
  return entropyOfLogits(nextTokenLogits(parameters, ids, config)).reshape([batch, length - 1]);
}

/**
 * @param logits float32 [N, V]
 * @returns float32 [N], nats
 */
export function entropyOfLogits(logits: tf.Tensor): tf.Tensor {
  const logprobs = tf.logSoftmax(logits, -1);
  return logprobs.exp().mul(logprobs).sum(-1).neg();
}

/** Leaves out the last position, whose prediction is not needed. */
function nextTokenLogits(parameters: ParameterTensors, ids: tf.Tensor, config: ModelConfig): tf.Tensor {
  const [batch = 0, length = 0] = ids.shape;
  const hidden = forwardHidden(parameters, ids.slice([0, 0], [batch, length - 1]), config);
  return logitsOf(parameters, hidden.reshape([batch * (length - 1), config.hiddenSize]), config);
}

import { adam } from "@palimpsest/jit";
import type * as tf from "@tensorflow/tfjs-core";
import type { OptimizerConfig } from "../config/config.js";

/** One parameter's state, either before or after a step. */
export interface AdamState {
  readonly weights: tf.Tensor;
  readonly moment1: tf.Tensor;
  readonly moment2: tf.Tensor;
}

/** float32 [] tensors that change every step, so that the compiled function can stay the same. */
export interface AdamScalars {
  /** Factor on every gradient: the global-norm clip. */
  readonly gradientScale: tf.Tensor;
  /** 1 − learningRate · weightDecay. */
  readonly decay: tf.Tensor;
  /** learningRate / (1 − beta1^t). */
  readonly stepSize: tf.Tensor;
  /** 1 / √(1 − beta2^t). */
  readonly rootCorrection: tf.Tensor;
}

export const ADAM_SCALARS = ["gradientScale", "decay", "stepSize", "rootCorrection"] as const;

/**
 * AdamW: w ← w·decay − stepSize · m / (√v·rootCorrection + ε), decay decoupled from the gradient.
 * Source: Loshchilov and Hutter, arXiv:1711.05101; bias corrections placed as in PyTorch.
 */
export function adamwStep(
  state: AdamState,
  gradient: tf.Tensor,
  scalars: AdamScalars,
  config: OptimizerConfig,
): AdamState {
  const { beta1, beta2, epsilon, weightDecay } = config;
  const { decay, ...rest } = scalars;
  return adam({
    ...state,
    gradient,
    ...rest,
    ...(weightDecay === 0 ? {} : { decay }),
    beta1,
    beta2,
    epsilon,
  });
}

/**
 * Computes the host's part of step `step` (the first is 0), in float64.
 * @param gradientNorm global norm before clipping
 */
export function adamwScalars(
  step: number,
  learningRate: number,
  gradientNorm: number,
  config: OptimizerConfig,
): Record<(typeof ADAM_SCALARS)[number], Float32Array> {
  const { beta1, beta2, weightDecay, maxGradNorm } = config;
  // 1e-6 as in torch.nn.utils.clip_grad_norm_, so that clipped runs can be compared.
  const gradientScale = maxGradNorm === null ? 1 : Math.min(1, maxGradNorm / (gradientNorm + 1e-6));
  return {
    gradientScale: Float32Array.of(gradientScale),
    decay: Float32Array.of(1 - learningRate * weightDecay),
    stepSize: Float32Array.of(learningRate / (1 - beta1 ** (step + 1))),
    rootCorrection: Float32Array.of(1 / Math.sqrt(1 - beta2 ** (step + 1))),
  };
}

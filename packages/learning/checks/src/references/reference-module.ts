import {
  type Backend,
  entry,
  type JitFunction,
  type JitMode,
  type JitModule,
  jit,
  type TensorSpec,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import {
  ADAM_SCALARS,
  type AdamScalars,
  adamwStep,
  KlConfig,
  LossConfig,
  MemoryConfig,
  OptimizerConfig,
  passInputs,
  policyLoss,
  tensorAlgebra,
  tokenPass,
} from "@palimpsest/learner";
import { type ModelConfig, parameterShapes } from "@palimpsest/model";
import type { LossCase, ReferenceBatch, ReferenceNumbers } from "./reference-numbers.js";

const KINDS = ["weights", "moment1", "moment2"] as const;

/** The name of a parameter's gradient, both as a function's output and as an input of `apply`. */
export const gradientName = (parameter: string): string => `gradient.${parameter}`;

export const lossName = (lossCase: string): string => `loss.${lossCase}`;

export const stateName = (kind: (typeof KINDS)[number], parameter: string): string => `${kind}.${parameter}`;

/**
 * Compiles a learner's functions for the batch of a reference: `score` (log-probabilities and entropies), one function
 * per loss case (loss and gradients), and `apply` (AdamW).
 */
export function referenceModule(
  model: ModelConfig,
  reference: ReferenceNumbers,
  backend: Backend,
  mode: "auto" | JitMode,
): JitModule {
  const names = Object.keys(parameterShapes(model));
  const optimizer = referenceOptimizer(reference);
  const perParameter = Object.entries(parameterShapes(model));
  const spec = (shape: readonly number[]): TensorSpec => ({ shape, dtype: "float32" });
  const state = KINDS.flatMap((kind) =>
    perParameter.map(([name, shape]) => [stateName(kind, name), spec(shape)] as const),
  );
  const apply: JitFunction = {
    inputs: Object.fromEntries([
      ...ADAM_SCALARS.map((name) => [name, spec([])] as const),
      ...perParameter.map(([name, shape]) => [gradientName(name), spec(shape)] as const),
    ]),
    body: (entries, inputs) => {
      const next = names.flatMap((name) => {
        const of = (kind: (typeof KINDS)[number]) => entry(entries, stateName(kind, name));
        const before = { weights: of("weights"), moment1: of("moment1"), moment2: of("moment2") };
        const gradient = entry(inputs, gradientName(name));
        const after = adamwStep(before, gradient, inputs as Tensors & AdamScalars, optimizer);
        return KINDS.map((kind) => [stateName(kind, name), after[kind]] as const);
      });
      return { outputs: {}, state: Object.fromEntries(next) };
    },
  };
  const functions: Record<string, JitFunction> = { apply, score: scoreFunction(model, reference) };
  for (const { losses } of [reference, ...reference.atTemperatures]) {
    for (const [name, of] of losses) functions[lossName(name)] = lossFunction(model, reference, of);
  }
  return jit({ backend, mode, state: Object.fromEntries(state), functions });
}

function scoreFunction(model: ModelConfig, { rows, width }: ReferenceBatch): JitFunction {
  const bucket = { rows, length: width + 1 };
  return {
    inputs: passInputs(bucket),
    body: (entries, inputs) => {
      const options = { bucket, model, memory: MemoryConfig.parse({}), entropy: "value" as const };
      const { logprobs, entropy } = tokenPass(weightsOf(entries, model), inputs, options);
      return { outputs: { logprobs, entropy: entropy as tf.Tensor } };
    },
  };
}

function lossFunction(model: ModelConfig, { rows, width }: ReferenceBatch, of: LossCase): JitFunction {
  const bucket = { rows, length: width + 1 };
  const perToken: TensorSpec = { shape: [rows, width], dtype: "float32" };
  const perRow: TensorSpec = { shape: [rows, 1], dtype: "float32" };
  const terms = {
    loss: LossConfig.parse({ kind: "clip", clipLow: of.clip_low, clipHigh: of.clip_high }),
    kl: KlConfig.parse({ coefficient: of.kl_beta }),
    importance: { kind: "none" as const },
    entropyCoefficient: 0,
  };
  const names = Object.keys(parameterShapes(model));
  return {
    inputs: {
      ...passInputs(bucket),
      oldLogprobs: perToken,
      refLogprobs: perToken,
      lossMask: perToken,
      advantages: perRow,
      tokenWeights: perRow,
    },
    body: (entries, inputs) => {
      const given = (name: string) => entry(inputs, name);
      const constants = {
        oldLogprobs: given("oldLogprobs"),
        refLogprobs: given("refLogprobs"),
        lossMask: given("lossMask"),
        advantages: given("advantages"),
        tokenWeights: given("tokenWeights"),
      };
      const options = { bucket, model, memory: MemoryConfig.parse({}), entropy: "none" as const };
      const f = (...values: tf.Tensor[]) => {
        const parameters = Object.fromEntries(names.map((name, i) => [name, entry(values, i)]));
        const { logprobs } = tokenPass(parameters, inputs, options);
        return policyLoss(tensorAlgebra, { policyLogprobs: logprobs, ...constants }, terms) as tf.Scalar;
      };
      const weights = weightsOf(entries, model);
      const { value, grads } = tf.valueAndGrads(f)(names.map((name) => entry(weights, name)));
      const gradients = names.map((name, i) => [gradientName(name), entry(grads, i)] as const);
      return { outputs: { loss: value, ...Object.fromEntries(gradients) } };
    },
  };
}

function weightsOf(entries: Tensors, model: ModelConfig): Tensors {
  const names = Object.keys(parameterShapes(model));
  return Object.fromEntries(names.map((name) => [name, entry(entries, stateName("weights", name))]));
}

/** The settings of the optimizer with which the reference's steps were made. */
export function referenceOptimizer({ adamw }: ReferenceNumbers): OptimizerConfig {
  return OptimizerConfig.parse({
    beta1: adamw.betas[0],
    beta2: adamw.betas[1],
    epsilon: adamw.eps,
    weightDecay: adamw.weight_decay,
    maxGradNorm: adamw.max_grad_norm,
  });
}

import {
  type Backend,
  type JitBody,
  type JitFunction,
  type JitModule,
  jit,
  pickLogprob,
  type TensorSpec,
  type Tensors,
} from "@palimpsest/jit";
import {
  entropyOfLogits,
  forwardHidden,
  logitsOf,
  type ModelConfig,
  parameterShapes,
} from "@palimpsest/model";
import * as tf from "@tensorflow/tfjs";
import type { Bucket, ResolvedLearnerConfig } from "./config.js";
import { tensorAlgebra } from "./loss-algebra.js";
import { bucketName, type MicroBatchInput } from "./micro-batches.js";
import { ADAM_SCALARS, type AdamScalars, adamwStep } from "./optimizer.js";
import { policyLoss } from "./policy-loss.js";
import { parametersOf, type StateKind, stateName, stateSpecs, tensor } from "./state.js";

/** What a learner can train towards. */
export type Objective = "policy" | "supervised";

export function accumulateName(objective: Objective, bucket: Bucket): string {
  return `${objective}-${bucketName(bucket)}`;
}

/** Log-probabilities alone, without gradients. */
export function scoreName(bucket: Bucket): string {
  return `score-${bucketName(bucket)}`;
}

export const GRADIENT_NORM = "gradientNorm";
export const APPLY = "apply";
/** Zeroes the accumulators. */
export const CLEAR = "clear";

/**
 * The learner's functions over one shared state: per objective and bucket one that adds a micro-batch's
 * gradients to the accumulators, one for the norm of what was added, one that applies and clears it.
 */
export function compileLearner(options: {
  readonly backend: Backend;
  readonly model: ModelConfig;
  readonly config: ResolvedLearnerConfig;
  readonly objectives: readonly Objective[];
  readonly mode: "auto" | "eager" | "graph" | "xla";
}): JitModule {
  const { model, config } = options;
  const functions: Record<string, JitFunction> = {};
  for (const objective of options.objectives) {
    for (const bucket of config.buckets) {
      functions[accumulateName(objective, bucket)] =
        objective === "policy" ? policyFunction(bucket, model, config) : supervisedFunction(bucket, model);
      if (objective === "policy") functions[scoreName(bucket)] = scoreFunction(bucket, model, config);
    }
  }
  functions[GRADIENT_NORM] = { inputs: {}, body: gradientNormBody(model) };
  functions[CLEAR] = {
    inputs: {},
    body: (state) => ({ outputs: {}, state: clearedGradients(state, model) }),
  };
  functions[APPLY] = {
    inputs: Object.fromEntries(ADAM_SCALARS.map((name) => [name, { shape: [], dtype: "float32" }])),
    body: applyBody(model, config),
  };
  return jit({ backend: options.backend, state: stateSpecs(model, config), functions, mode: options.mode });
}

/** What each objective's function is given beside the token ids; see `MicroBatchArrays`. */
export function inputNames(objective: Objective, config: ResolvedLearnerConfig): readonly MicroBatchInput[] {
  const always = ["lossMask", "tokenWeights"] as const;
  if (objective === "supervised") return always;
  const corrected = config.importance.kind === "none" ? [] : (["rolloutLogprobs"] as const);
  return [...always, "oldLogprobs", "advantages", "onPolicy", ...corrected];
}

/** β of this step, float32 []. */
export const KL_COEFFICIENT = "klCoefficient";

function policyFunction(bucket: Bucket, model: ModelConfig, config: ResolvedLearnerConfig): JitFunction {
  const { rows, length } = bucket;
  const perToken: TensorSpec = { shape: [rows, length - 1], dtype: "float32" };
  const names = inputNames("policy", config);
  const body: JitBody = (state, inputs) => {
    const tokenIds = tensor(inputs, "tokenIds");
    const outputs: Record<string, tf.Tensor> = {};
    if (config.reference !== "none") {
      // Before the policy's own pass, so that nothing of it is alive beside that pass's activations.
      const frozen = parametersOf(state, "reference", model);
      outputs["refLogprobs"] = tf.tidy(() => nextTokens(frozen, tokenIds, model).logprobs);
    }
    const refLogprobs = outputs["refLogprobs"];
    const constants = {
      oldLogprobs: tensor(inputs, "oldLogprobs"),
      lossMask: tensor(inputs, "lossMask"),
      advantages: tensor(inputs, "advantages"),
      tokenWeights: tensor(inputs, "tokenWeights"),
      onPolicy: tensor(inputs, "onPolicy"),
      klCoefficient: tensor(inputs, KL_COEFFICIENT),
      ...(refLogprobs === undefined ? {} : { refLogprobs }),
      ...(names.includes("rolloutLogprobs") ? { rolloutLogprobs: tensor(inputs, "rolloutLogprobs") } : {}),
    };
    return accumulate(
      state,
      model,
      (parameters, keep) => {
        const { logprobs, logits } = nextTokens(parameters, tokenIds, model);
        keep("policyLogprobs", logprobs);
        const { entropyCoefficient, measureEntropy } = config;
        const given = { policyLogprobs: logprobs, ...constants };
        if (!measureEntropy && entropyCoefficient === 0) return policyLoss(tensorAlgebra, given, config);
        const entropy = entropyOfLogits(logits).reshape([rows, length - 1]);
        keep("entropy", entropy);
        return policyLoss(tensorAlgebra, { ...given, entropy }, config);
      },
      outputs,
    );
  };
  return {
    inputs: {
      tokenIds: { shape: [rows, length], dtype: "int32" },
      [KL_COEFFICIENT]: { shape: [], dtype: "float32" },
      ...Object.fromEntries(names.map((name) => [name, perToken])),
    },
    body,
  };
}

/** Log-probabilities of a micro-batch under the weights, and under the reference where the reward needs them. */
function scoreFunction(bucket: Bucket, model: ModelConfig, config: ResolvedLearnerConfig): JitFunction {
  const { rows, length } = bucket;
  return {
    inputs: { tokenIds: { shape: [rows, length], dtype: "int32" } },
    body: (state, inputs) => {
      const logprobs = (kind: "weights" | "reference") =>
        tf.tidy(
          () => nextTokens(parametersOf(state, kind, model), tensor(inputs, "tokenIds"), model).logprobs,
        );
      const outputs: Record<string, tf.Tensor> = { policyLogprobs: logprobs("weights") };
      if (config.kl.in === "reward" && config.reference !== "none")
        outputs["refLogprobs"] = logprobs("reference");
      return { outputs };
    },
  };
}

function supervisedFunction(bucket: Bucket, model: ModelConfig): JitFunction {
  const { rows, length } = bucket;
  return {
    inputs: {
      tokenIds: { shape: [rows, length], dtype: "int32" },
      lossMask: { shape: [rows, length - 1], dtype: "float32" },
      tokenWeights: { shape: [rows, length - 1], dtype: "float32" },
    },
    body: (state, inputs) =>
      accumulate(state, model, (parameters) => {
        const { logprobs } = nextTokens(parameters, tensor(inputs, "tokenIds"), model);
        const weighted = tf.mul(tensor(inputs, "lossMask"), tensor(inputs, "tokenWeights"));
        return tf.neg(tf.sum(tf.mul(logprobs, weighted)));
      }),
  };
}

type Keep = (name: string, value: tf.Tensor) => void;

/** Adds the gradients of `loss` in every weight to the accumulators; outputs the loss and what it kept. */
function accumulate(
  state: Tensors,
  model: ModelConfig,
  loss: (parameters: Tensors, keep: Keep) => tf.Tensor,
  outputs: Record<string, tf.Tensor> = {},
): ReturnType<JitBody> {
  const names = Object.keys(parameterShapes(model));
  const kept: Record<string, tf.Tensor> = {};
  // The gradient's own scope drops everything but the loss, so what is reported is kept past it.
  const f = (...values: tf.Tensor[]) =>
    loss(
      Object.fromEntries(names.map((name, index) => [name, values[index] as tf.Tensor])),
      (name, value) => {
        kept[name] = tf.keep(value);
      },
    ) as tf.Scalar;
  const weights = names.map((name) => tensor(state, stateName("weights", name)));
  const { value, grads } = tf.valueAndGrads(f)(weights);
  const results: Record<string, tf.Tensor> = { ...outputs, loss: value };
  for (const [name, tensorKept] of Object.entries(kept)) {
    results[name] = tf.clone(tensorKept);
    tensorKept.dispose();
  }
  const sums = names.map((name, index) => {
    const key = stateName("gradient", name);
    return [key, tf.add(tensor(state, key), grads[index] as tf.Tensor)] as const;
  });
  return { outputs: results, state: Object.fromEntries(sums) };
}

/** Logits of every next token and the log-probability of the one that came. */
function nextTokens(
  parameters: Tensors,
  tokenIds: tf.Tensor,
  model: ModelConfig,
): { readonly logprobs: tf.Tensor; readonly logits: tf.Tensor } {
  const [rows, length] = tokenIds.shape as [number, number];
  const width = length - 1;
  const hidden = forwardHidden(parameters, tf.slice(tokenIds, [0, 0], [rows, width]), model); // [R, T-1, D]
  const logits = logitsOf(parameters, tf.reshape(hidden, [rows * width, model.hiddenSize]), model); // [R·(T-1), V]
  const targets = tf.reshape(tf.slice(tokenIds, [0, 1], [rows, width]), [rows * width]);
  return { logprobs: tf.reshape(pickLogprob(logits, targets), [rows, width]), logits };
}

function gradientNormBody(model: ModelConfig): JitBody {
  return (state) => {
    const squares = Object.keys(parameterShapes(model)).map((name) =>
      tf.sum(tf.square(tensor(state, stateName("gradient", name)))),
    );
    return { outputs: { squaredNorm: squares.reduce((sum, square) => tf.add(sum, square)) } };
  };
}

function applyBody(model: ModelConfig, config: ResolvedLearnerConfig): JitBody {
  return (state, inputs) => {
    const scalars = inputs as Tensors & AdamScalars;
    const next: Record<string, tf.Tensor> = {};
    for (const name of Object.keys(parameterShapes(model))) {
      const entry = (kind: StateKind) => tensor(state, stateName(kind, name));
      const adam = { weights: entry("weights"), moment1: entry("moment1"), moment2: entry("moment2") };
      const result = adamwStep(adam, entry("gradient"), scalars, config.optimizer);
      next[stateName("weights", name)] = result.weights;
      next[stateName("moment1", name)] = result.moment1;
      next[stateName("moment2", name)] = result.moment2;
    }
    return { outputs: {}, state: { ...next, ...clearedGradients(state, model) } };
  };
}

function clearedGradients(state: Tensors, model: ModelConfig): Tensors {
  const gradients = parametersOf(state, "gradient", model);
  return Object.fromEntries(
    Object.entries(gradients).map(([name, value]) => [stateName("gradient", name), tf.zerosLike(value)]),
  );
}

import {
  type Backend,
  type JitBody,
  type JitFunction,
  type JitModule,
  type JitShards,
  jit,
  type TensorSpec,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import { loraScale, type ModelConfig, parameterShapes } from "@palimpsest/model";
import { type Bucket, bucketName, rowsOf } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { tensorAlgebra } from "../loss/loss-algebra.js";
import { policyLoss } from "../loss/policy-loss.js";
import { keepPlan } from "../memory/keep-plan.js";
import type { MicroBatchInput } from "../rows/micro-batches.js";
import { ACCUMULATED, appliedAtOnce, type GradientUse, scattered } from "../state/gradient-use.js";
import { joinedReference } from "../state/optimizer-shards.js";
import { shardCount } from "../state/shard-shape.js";
import {
  hasReferenceWeights,
  sharesReference,
  stateName,
  stateSpecs,
  tensor,
  tensorsOf,
  trainedShapes,
} from "../state/state.js";
import { GRADIENTS, sumFunctions, trainedNames } from "../state/sum-functions.js";
import { type PassOptions, passInputs, tokenPass } from "../state/token-pass.js";

/** The objectives that a learner can train. */
export type Objective = "policy" | "supervised";

export function accumulateName(objective: Objective, bucket: Bucket): string {
  return `${objective}-${bucketName(bucket)}`;
}

/** Name of the function that computes log-probabilities without gradients. */
export function scoreName(bucket: Bucket): string {
  return `score-${bucketName(bucket)}`;
}

/** Name of the function that computes log-probabilities under a reference that replicas share. */
export function referenceName(bucket: Bucket): string {
  return `reference-${bucketName(bucket)}`;
}

/** Name of the function that computes gradients, their norm and the optimizer in one run, for a step of one micro-batch per replica. */
export function atOnceName(objective: Objective, bucket: Bucket): string {
  return `step-${objective}-${bucketName(bucket)}`;
}

/**
 * Compiles the learner's functions over one shared state: per objective and bucket one that adds a micro-batch's
 * gradients to the accumulators, one for the norm of the sums, one that applies and clears them. In mode xla also
 * one per objective and bucket that does all of it, for steps of one micro-batch per replica.
 */
export function compileLearner(options: {
  readonly backend: Backend;
  readonly model: ModelConfig;
  readonly config: ResolvedLearnerConfig;
  readonly objectives: readonly Objective[];
  readonly mode: "auto" | "eager" | "graph" | "xla";
  /** Whether learners of other hosts train with this one. Default: no. */
  readonly isTogether?: boolean;
}): JitModule {
  const { model, backend } = options;
  const config: PlannedConfig = { ...options.config, deviceBytes: backend.gpuMemoryBytes };
  // A launch writes new state in place, so applying in parts would save no memory.
  const isLaunched = options.mode === "xla" || (options.mode === "auto" && backend.gpu);
  const accumulates = !isLaunched || config.memory.accumulators === "auto";
  const shards = shardCount(config);
  const names = Object.keys(trainedShapes(model, config));
  const accumulated = shards === 1 ? ACCUMULATED : scattered(config, names, shards);
  const functions: Record<string, JitFunction> = {};
  for (const objective of options.objectives) {
    const functionOf = objective === "policy" ? policyFunction : supervisedFunction;
    for (const bucket of config.buckets) {
      if (accumulates)
        functions[accumulateName(objective, bucket)] = functionOf(bucket, model, config, accumulated);
      if (isLaunched && shards === 1) {
        const perToken = objective === "policy" ? tokenSpec(bucket) : undefined;
        const use = appliedAtOnce(config, names, perToken);
        functions[atOnceName(objective, bucket)] = functionOf(bucket, model, config, use);
      }
      if (objective !== "policy") continue;
      functions[scoreName(bucket)] = scoreFunction(bucket, model, config);
      if (sharesReference(config))
        functions[referenceName(bucket)] = referenceFunction(bucket, model, config);
    }
  }
  if (accumulates) Object.assign(functions, sumFunctions(model, config, isLaunched));
  return jit({
    backend: options.backend,
    state: stateSpecs(model, config, { accumulates, shards, exchanges: options.isTogether ?? false }),
    functions,
    mode: options.mode,
    precision: config.precision,
    replicas: config.replicas,
    reductions: {
      ...(accumulates && shards === 1 ? { [GRADIENTS]: trainedNames("gradient", model, config) } : {}),
    },
  });
}

/** A configuration, and the memory of its GPU, if there is one. */
type PlannedConfig = ResolvedLearnerConfig & { readonly deviceBytes: number | undefined };

/** The inputs of each objective's function besides the layout of its rows; see `MicroBatchArrays`. */
export function inputNames(objective: Objective, config: ResolvedLearnerConfig): readonly MicroBatchInput[] {
  const always = ["lossMask", "tokenWeights"] as const;
  if (objective === "supervised") return always;
  const corrected = config.importance.kind === "none" ? [] : (["rolloutLogprobs"] as const);
  return [...always, "oldLogprobs", "advantages", "onPolicy", ...corrected];
}

/** Name of the input for β of this step, float32 []. */
export const KL_COEFFICIENT = "klCoefficient";

function tokenSpec(bucket: Bucket): TensorSpec {
  return { shape: [rowsOf(bucket), bucket.length - 1], dtype: "float32" };
}

function policyFunction(
  bucket: Bucket,
  model: ModelConfig,
  config: PlannedConfig,
  use: GradientUse,
): JitFunction {
  const perToken = tokenSpec(bucket);
  const names = inputNames("policy", config);
  const { entropyCoefficient, measureEntropy } = config;
  const entropyKind = entropyCoefficient > 0 ? "gradient" : measureEntropy ? "value" : "none";
  const body: JitBody = (state, inputs) => {
    const outputs: Record<string, tf.Tensor> = {};
    if (config.reference !== "none") {
      // The reference is computed before the policy's own pass, so that none of its memory exists at the same time as
      // that pass's activations.
      outputs["refLogprobs"] = sharesReference(config)
        ? tensor(inputs, "refLogprobs")
        : scored("reference", state, inputs, bucket, model, config);
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
    const trained = gradientsOf(state, model, config, (parameters) => {
      const pass = passOf(bucket, model, config, entropyKind);
      const { logprobs, entropy } = tokenPass(parameters, inputs, pass);
      const measured = { policyLogprobs: logprobs, ...(entropy === undefined ? {} : { entropy }) };
      const loss = policyLoss(tensorAlgebra, { ...measured, ...constants }, config);
      return { loss, outputs: measured };
    });
    return use.use({ state, inputs, ...trained, outputs: { ...outputs, ...trained.outputs } });
  };
  return {
    inputs: {
      ...passInputs(bucket),
      [KL_COEFFICIENT]: { shape: [], dtype: "float32" },
      ...Object.fromEntries(names.map((name) => [name, perToken])),
      ...(sharesReference(config) ? { refLogprobs: perToken } : {}),
      ...use.inputs,
    },
    body,
    ...following(use),
  };
}

/**
 * Creates the function that computes log-probabilities of a micro-batch under the weights, and under the reference if
 * the reward needs them.
 */
function scoreFunction(bucket: Bucket, model: ModelConfig, config: PlannedConfig): JitFunction {
  return {
    inputs: passInputs(bucket),
    body: (state, inputs) => {
      const score = (kind: "weights" | "reference") => scored(kind, state, inputs, bucket, model, config);
      const outputs: Record<string, tf.Tensor> = { policyLogprobs: score("weights") };
      if (config.kl.in === "reward" && config.reference !== "none")
        outputs["refLogprobs"] = score("reference");
      return { outputs };
    },
    ...(config.kl.in === "reward" && sharesReference(config) ? { shards: wholeReference(model) } : {}),
  };
}

function referenceFunction(bucket: Bucket, model: ModelConfig, config: PlannedConfig): JitFunction {
  return {
    inputs: passInputs(bucket),
    body: (state, inputs) => ({
      outputs: { refLogprobs: scored("reference", state, inputs, bucket, model, config) },
    }),
    shards: wholeReference(model),
  };
}

function wholeReference(model: ModelConfig): JitShards {
  return { whole: Object.keys(parameterShapes(model)).map((name) => stateName("reference", name)) };
}

function scored(
  kind: "weights" | "reference",
  state: Tensors,
  inputs: Tensors,
  bucket: Bucket,
  model: ModelConfig,
  config: PlannedConfig,
): tf.Tensor {
  const base = Object.keys(parameterShapes(model));
  const names = kind === "weights" ? [...base, ...Object.keys(trainedShapes(model, config))] : base;
  // A model without its adapters is the base, which is the reference.
  const from = kind === "reference" && hasReferenceWeights(config) ? "reference" : "weights";
  const parameters =
    from === "reference" && sharesReference(config)
      ? joinedReference(state, model)
      : tensorsOf(state, from, new Set(names));
  return tf.tidy(() => tokenPass(parameters, inputs, passOf(bucket, model, config, "none")).logprobs);
}

function passOf(
  bucket: Bucket,
  model: ModelConfig,
  config: PlannedConfig,
  entropy: PassOptions["entropy"],
): PassOptions {
  const { memory, lora } = config;
  const trained = new Set(Object.keys(trainedShapes(model, config)));
  return {
    bucket,
    model,
    memory,
    keep: keepPlan(model, config, bucket, config.deviceBytes),
    entropy,
    isFrozen: (name) => !trained.has(name),
    joined: shardCount(config) === 1,
    ...(lora === null ? {} : { loraScale: loraScale(lora) }),
  };
}

function supervisedFunction(
  bucket: Bucket,
  model: ModelConfig,
  config: PlannedConfig,
  use: GradientUse,
): JitFunction {
  const perToken = tokenSpec(bucket);
  return {
    inputs: { ...passInputs(bucket), lossMask: perToken, tokenWeights: perToken, ...use.inputs },
    body: (state, inputs) => {
      const trained = gradientsOf(state, model, config, (parameters) => {
        const { logprobs } = tokenPass(parameters, inputs, passOf(bucket, model, config, "none"));
        const weighted = tf.mul(tensor(inputs, "lossMask"), tensor(inputs, "tokenWeights"));
        return { loss: tf.neg(tf.sum(tf.mul(logprobs, weighted))), outputs: {} };
      });
      return use.use({ state, inputs, ...trained });
    },
    ...following(use),
  };
}

function following({ next, shards }: GradientUse): Pick<JitFunction, "next" | "shards"> {
  return { ...(next === undefined ? {} : { next }), ...(shards === undefined ? {} : { shards }) };
}

/**
 * Returns the gradients of a loss with respect to all trained parameters, with the loss and its outputs. Frozen weights
 * have no gradients.
 */
function gradientsOf(
  state: Tensors,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  lossOf: (parameters: Tensors) => LossAndOutputs,
) {
  const frozen = config.lora === null ? {} : tensorsOf(state, "weights", Object.keys(parameterShapes(model)));
  const trained = tensorsOf(state, "weights", Object.keys(trainedShapes(model, config)));
  return valueAndGradients((parameters) => lossOf({ ...frozen, ...parameters }), trained);
}

/** The result of a loss function: the scalar to differentiate, and tensors that are returned with it. */
interface LossAndOutputs {
  readonly loss: tf.Tensor;
  readonly outputs: Tensors;
}

/**
 * Returns the loss, its gradients and its outputs, like JAX's `value_and_grad` with `has_aux`.
 * @param parameters the tensors with respect to which gradients are taken
 * @returns gradients by the names of the parameters; the loss is among the outputs as `loss`
 */
function valueAndGradients(
  lossOf: (parameters: Tensors) => LossAndOutputs,
  parameters: Tensors,
): { readonly gradients: Record<string, tf.Tensor>; readonly outputs: Record<string, tf.Tensor> } {
  const names = Object.keys(parameters);
  const reported = new Map<string, tf.Tensor>();
  const { value, grads } = tf.valueAndGrads((...values: tf.Tensor[]) => {
    const named = Object.fromEntries(values.map((tensor, index) => [names[index], tensor]));
    const { loss, outputs } = lossOf(named);
    // tfjs disposes everything in this scope except the loss, unless it is kept.
    for (const [name, tensor] of Object.entries(outputs)) reported.set(name, tf.keep(tensor));
    return loss.asScalar();
  })(Object.values(parameters));
  const outputs: Record<string, tf.Tensor> = { loss: value };
  for (const [name, kept] of reported) {
    // The clone belongs to the caller's scope again.
    outputs[name] = tf.clone(kept);
    kept.dispose();
  }
  return {
    gradients: Object.fromEntries(grads.map((gradient, index) => [names[index], gradient])),
    outputs,
  };
}

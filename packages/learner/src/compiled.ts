import {
  type Backend,
  type JitBody,
  type JitFunction,
  type JitModule,
  jit,
  type TensorSpec,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import { loraScale, type ModelConfig, parameterShapes } from "@palimpsest/model";
import { type Bucket, bucketName, rowsOf } from "./bucket.js";
import type { ResolvedLearnerConfig } from "./config.js";
import { ACCUMULATED, appliedAtOnce, type GradientUse } from "./gradient-use.js";
import { keepPlan } from "./keep-plan.js";
import { tensorAlgebra } from "./loss-algebra.js";
import type { MicroBatchInput } from "./micro-batches.js";
import { WEIGHTS } from "./optimizer-shards.js";
import { policyLoss } from "./policy-loss.js";
import { shardCount } from "./shard-shape.js";
import { hasReferenceWeights, stateName, stateSpecs, tensor, tensorsOf, trainedShapes } from "./state.js";
import { GRADIENTS, sumFunctions, trainedNames } from "./sum-functions.js";
import { type PassOptions, passInputs, tokenPass } from "./token-pass.js";

/** What a learner can train towards. */
export type Objective = "policy" | "supervised";

export function accumulateName(objective: Objective, bucket: Bucket): string {
  return `${objective}-${bucketName(bucket)}`;
}

/** Log-probabilities alone, without gradients. */
export function scoreName(bucket: Bucket): string {
  return `score-${bucketName(bucket)}`;
}

/** Gradients, their norm and the optimizer in one run, for a step of one micro-batch a replica. */
export function atOnceName(objective: Objective, bucket: Bucket): string {
  return `step-${objective}-${bucketName(bucket)}`;
}

/**
 * The learner's functions over one shared state: per objective and bucket one that adds a micro-batch's
 * gradients to the accumulators, one for the norm of what was added, one that applies and clears it. In mode xla also
 * per objective and bucket one that does all of it, for steps of one micro-batch a replica.
 */
export function compileLearner(options: {
  readonly backend: Backend;
  readonly model: ModelConfig;
  readonly config: ResolvedLearnerConfig;
  readonly objectives: readonly Objective[];
  readonly mode: "auto" | "eager" | "graph" | "xla";
}): JitModule {
  const { model, backend } = options;
  const config: PlannedConfig = { ...options.config, deviceBytes: backend.gpuMemoryBytes };
  // A launch writes new state over old, so that nothing is gained by parts.
  const isLaunched = options.mode === "xla" || (options.mode === "auto" && backend.gpu);
  const accumulates = !isLaunched || config.memory.accumulators === "auto";
  const shards = shardCount(config);
  const functions: Record<string, JitFunction> = {};
  for (const objective of options.objectives) {
    const functionOf = objective === "policy" ? policyFunction : supervisedFunction;
    for (const bucket of config.buckets) {
      if (accumulates)
        functions[accumulateName(objective, bucket)] = functionOf(bucket, model, config, ACCUMULATED);
      if (isLaunched && shards === 1) {
        const perToken = objective === "policy" ? tokenSpec(bucket) : undefined;
        const use = appliedAtOnce(config, Object.keys(trainedShapes(model, config)), perToken);
        functions[atOnceName(objective, bucket)] = functionOf(bucket, model, config, use);
      }
      if (objective === "policy") functions[scoreName(bucket)] = scoreFunction(bucket, model, config);
    }
  }
  if (accumulates) Object.assign(functions, sumFunctions(model, config, isLaunched));
  return jit({
    backend: options.backend,
    state: stateSpecs(model, config, { accumulates, shards }),
    functions,
    mode: options.mode,
    precision: config.precision,
    replicas: config.replicas,
    reductions: {
      ...(accumulates ? { [GRADIENTS]: trainedNames("gradient", model, config) } : {}),
      ...(shards > 1 ? { [WEIGHTS]: trainedNames("weights", model, config) } : {}),
    },
  });
}

/** A configuration, and the memory of the GPU that it is for, where there is one. */
type PlannedConfig = ResolvedLearnerConfig & { readonly deviceBytes: number | undefined };

/** What each objective's function is given beside the layout of its rows; see `MicroBatchArrays`. */
export function inputNames(objective: Objective, config: ResolvedLearnerConfig): readonly MicroBatchInput[] {
  const always = ["lossMask", "tokenWeights"] as const;
  if (objective === "supervised") return always;
  const corrected = config.importance.kind === "none" ? [] : (["rolloutLogprobs"] as const);
  return [...always, "oldLogprobs", "advantages", "onPolicy", ...corrected];
}

/** β of this step, float32 []. */
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
      // Before the policy's own pass, so that nothing of it is alive beside that pass's activations.
      outputs["refLogprobs"] = scored("reference", state, inputs, bucket, model, config);
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
    const loss: Loss = (parameters, keep) => {
      const pass = passOf(bucket, model, config, entropyKind);
      const { logprobs, entropy } = tokenPass(parameters, inputs, pass);
      keep("policyLogprobs", logprobs);
      if (entropy !== undefined) keep("entropy", entropy);
      const given = {
        policyLogprobs: logprobs,
        ...constants,
        ...(entropy === undefined ? {} : { entropy }),
      };
      return policyLoss(tensorAlgebra, given, config);
    };
    const trained = gradientsOf(state, model, config, loss);
    return use.use({ state, inputs, ...trained, outputs: { ...outputs, ...trained.outputs } });
  };
  return {
    inputs: {
      ...passInputs(bucket),
      [KL_COEFFICIENT]: { shape: [], dtype: "float32" },
      ...Object.fromEntries(names.map((name) => [name, perToken])),
      ...use.inputs,
    },
    body,
    ...(use.next === undefined ? {} : { next: use.next }),
  };
}

/** Log-probabilities of a micro-batch under the weights, and under the reference where the reward needs them. */
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
  };
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
  // Without its adapters a model is the base, which is the reference.
  const from = kind === "reference" && hasReferenceWeights(config) ? "reference" : "weights";
  const parameters = tensorsOf(state, from, new Set(names));
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
        return tf.neg(tf.sum(tf.mul(logprobs, weighted)));
      });
      return use.use({ state, inputs, ...trained });
    },
    ...(use.next === undefined ? {} : { next: use.next }),
  };
}

type Loss = (parameters: Tensors, keep: Keep) => tf.Tensor;
type Keep = (name: string, value: tf.Tensor) => void;

/** The gradients of `loss` in everything trained, the loss and what it kept. */
function gradientsOf(
  state: Tensors,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  loss: Loss,
): { readonly gradients: Tensors; readonly outputs: Record<string, tf.Tensor> } {
  const names = Object.keys(trainedShapes(model, config));
  const frozen = config.lora === null ? {} : tensorsOf(state, "weights", Object.keys(parameterShapes(model)));
  const kept: Record<string, tf.Tensor> = {};
  // The gradient's own scope drops everything but the loss, so what is reported is kept past it.
  const f = (...values: tf.Tensor[]) =>
    loss(
      {
        ...frozen,
        ...Object.fromEntries(names.map((name, index) => [name, values[index] as tf.Tensor])),
      },
      (name, value) => {
        kept[name] = tf.keep(value);
      },
    ) as tf.Scalar;
  const weights = names.map((name) => tensor(state, stateName("weights", name)));
  const { value, grads } = tf.valueAndGrads(f)(weights);
  const outputs: Record<string, tf.Tensor> = { loss: value };
  for (const [name, tensorKept] of Object.entries(kept)) {
    outputs[name] = tf.clone(tensorKept);
    tensorKept.dispose();
  }
  const gradients = names.map((name, index) => [name, grads[index] as tf.Tensor] as const);
  return { gradients: Object.fromEntries(gradients), outputs };
}

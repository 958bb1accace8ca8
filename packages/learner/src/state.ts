import type { StateSpec, Tensors } from "@palimpsest/jit";
import { initLora, loraForm, loraShapes, type ModelConfig, parameterShapes } from "@palimpsest/model";
import type * as tf from "@tensorflow/tfjs";
import type { ResolvedLearnerConfig } from "./config.js";
import { LearnerError } from "./error.js";
import { shardShape } from "./shard-shape.js";

/** The kinds of state that the learner keeps for every parameter. */
export const STATE_KINDS = ["weights", "moment1", "moment2", "gradient", "reference"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

export function stateName(kind: StateKind, parameter: string): string {
  return `${kind}/${parameter}`;
}

/** What is trained, by name: the adapters where there are any, else every weight. */
export function trainedShapes(
  model: ModelConfig,
  { lora }: Pick<ResolvedLearnerConfig, "lora">,
): Record<string, readonly number[]> {
  return lora === null ? parameterShapes(model) : loraShapes(model, loraForm(lora));
}

/** The reference has weights of its own; with adapters it is the base model, which stands there anyway. */
export function hasReferenceWeights({ reference, lora }: ResolvedLearnerConfig): boolean {
  return reference !== "none" && lora === null;
}

/**
 * Whether an entry is kept in bfloat16: matrices that nobody trains, where products round them to it in any case. Weights that are
 * trained keep float32, and so does the reference's embedding: its lookup is not a product, and is to give what the policy's gives.
 */
function isStoredHalf(
  kind: StateKind,
  name: string,
  { precision }: Pick<ResolvedLearnerConfig, "precision">,
  trained: Readonly<Record<string, unknown>>,
): boolean {
  if (precision !== "bfloat16" || /(Norm|Bias)$/.test(name)) return false;
  if (kind === "reference") return name !== "embedding";
  return kind === "weights" && trained[name] === undefined;
}

/** Bytes of state entries, as they are stored. */
export function storedBytes(specs: Readonly<Record<string, StateSpec>>): number {
  return Object.values(specs).reduce(
    (sum, { shape, stored }) =>
      sum + shape.reduce((product, size) => product * size, stored === "bfloat16" ? 2 : 4),
    0,
  );
}

/**
 * Every state entry, as jit wants it.
 * @param form.accumulates there are sums of the gradients of several micro-batches
 * @param form.shards replicas that each moment is dealt out to; absent: 1
 */
export function stateSpecs(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  form: { readonly accumulates: boolean; readonly shards?: number },
): Record<string, StateSpec> {
  const all = parameterShapes(model);
  const trained = trainedShapes(model, config);
  const moments = Object.fromEntries(
    Object.entries(trained).map(([name, shape]) => [name, shardShape(shape, form.shards ?? 1)]),
  );
  const kinds: Readonly<Record<StateKind, Record<string, readonly number[]>>> = {
    weights: { ...all, ...trained },
    moment1: moments,
    moment2: moments,
    gradient: form.accumulates ? trained : {},
    reference: hasReferenceWeights(config) ? all : {},
  };
  return Object.fromEntries(
    STATE_KINDS.flatMap((kind) =>
      Object.entries(kinds[kind]).map(([name, shape]) => [
        stateName(kind, name),
        {
          shape,
          dtype: "float32" as const,
          // Where every step is one micro-batch, nobody needs the sums.
          ...(kind === "gradient" ? { lazy: true } : {}),
          ...(isStoredHalf(kind, name, config, trained) ? { stored: "bfloat16" as const } : {}),
        },
      ]),
    ),
  );
}

/** Where a learner's weights come from. */
export interface StartingWeights {
  readonly model: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  readonly referenceParameters?: Readonly<Record<string, Float32Array>>;
}

/** State of a learner that starts from weights; what is left out starts as zeros. @throws {LearnerError} SHAPE_MISMATCH */
export function initialState(
  options: StartingWeights,
  config: ResolvedLearnerConfig,
): Record<string, Float32Array> {
  const reference = options.referenceParameters ?? options.parameters;
  const state: Record<string, Float32Array> = {};
  for (const [name, shape] of Object.entries(parameterShapes(options.model))) {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    const of = (from: Readonly<Record<string, Float32Array>>, what: string): Float32Array => {
      const values = from[name];
      if (values?.length === size) return values;
      throw new LearnerError(
        "SHAPE_MISMATCH",
        `${what}.${name} has ${values?.length ?? "no"} values where the model has ${size}`,
      );
    };
    state[stateName("weights", name)] = of(options.parameters, "parameters");
    if (hasReferenceWeights(config))
      state[stateName("reference", name)] = of(reference, "referenceParameters");
  }
  if (config.lora === null) return state;
  if (options.referenceParameters !== undefined)
    throw new LearnerError(
      "CONFIG_INVALID",
      "referenceParameters were given with lora, whose reference is the base model; leave them out",
    );
  const adapters = initLora(options.model, loraForm(config.lora), config.seed);
  return { ...state, ...withKind("weights", adapters) };
}

/** State entries that a checkpoint holds: of a policy with adapters these and their moments, not the base. */
export function savedNames(model: ModelConfig, config: ResolvedLearnerConfig): string[] {
  const frozen = new Set(
    config.lora === null ? [] : Object.keys(parameterShapes(model)).map((name) => stateName("weights", name)),
  );
  return Object.keys(stateSpecs(model, config, { accumulates: false })).filter((name) => !frozen.has(name));
}

/** State entries that a checkpoint holds, by their number of values. */
export function savedSizes(model: ModelConfig, config: ResolvedLearnerConfig): Record<string, number> {
  const specs = stateSpecs(model, config, { accumulates: false });
  return Object.fromEntries(
    savedNames(model, config).map((name) => [name, (specs[name]?.shape ?? []).reduce((a, b) => a * b, 1)]),
  );
}

/** Entries of one kind, by their number of values. */
export function sizesOf(
  kind: StateKind,
  shapes: Readonly<Record<string, readonly number[]>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [stateName(kind, name), shape.reduce((a, b) => a * b, 1)]),
  );
}

/**
 * State of a learner that goes on from a checkpoint; what that does not hold comes from the weights it began with.
 * @throws {LearnerError} CHECKPOINT_MISMATCH, SHAPE_MISMATCH
 */
export function restoredState(
  tensors: Readonly<Record<string, Float32Array>>,
  options: StartingWeights,
  config: ResolvedLearnerConfig,
): Record<string, Float32Array> {
  const { model } = options;
  const specs = stateSpecs(model, config, { accumulates: false });
  const state: Record<string, Float32Array> = config.lora === null ? {} : initialState(options, config);
  for (const name of savedNames(model, config)) {
    const size = specs[name]?.shape.reduce((product, dimension) => product * dimension, 1);
    const saved = tensors[name];
    if (saved === undefined || saved.length !== size)
      throw new LearnerError(
        "CHECKPOINT_MISMATCH",
        `the checkpoint has ${saved?.length ?? "no"} values for ${name} where this model and configuration need ${size}`,
      );
    state[name] = saved;
  }
  return state;
}

/** Parameters under their names in the state. */
export function withKind(
  kind: StateKind,
  parameters: Readonly<Record<string, Float32Array>>,
): Record<string, Float32Array> {
  return Object.fromEntries(Object.entries(parameters).map(([name, v]) => [stateName(kind, name), v]));
}

/** The tensors of one kind by parameter name. */
export function tensorsOf(state: Tensors, kind: StateKind, names: Iterable<string>): Tensors {
  return Object.fromEntries([...names].map((name) => [name, tensor(state, stateName(kind, name))]));
}

export function tensor(tensors: Tensors, name: string): tf.Tensor {
  const found = tensors[name];
  if (found === undefined)
    throw new LearnerError("SHAPE_MISMATCH", `no tensor ${name} in the compiled module`);
  return found;
}

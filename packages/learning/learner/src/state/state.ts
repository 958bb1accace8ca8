import { type FloatType, type StateSpec, sizeOf, type Tensors } from "@palimpsest/jit";
import {
  initLora,
  isPublishedHalf,
  loraForm,
  loraShapes,
  type ModelConfig,
  parameterShapes,
} from "@palimpsest/model";
import type * as tf from "@tensorflow/tfjs-core";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { shardCount, shardShape } from "./shard-shape.js";

/** The kinds of state that the learner keeps for every parameter; master: trained weights in float32, if replicas share them. */
const STATE_KINDS = ["weights", "master", "moment1", "moment2", "gradient", "reference"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

export function stateName(kind: StateKind, parameter: string): string {
  return `${kind}/${parameter}`;
}

/** Returns the shapes of the trained parameters by name: the adapters if there are any, else all weights. */
export function trainedShapes(
  model: ModelConfig,
  { lora }: Pick<ResolvedLearnerConfig, "lora">,
): Record<string, readonly number[]> {
  return lora === null ? parameterShapes(model) : loraShapes(model, loraForm(lora));
}

/** Returns whether the reference has separate weights; with adapters it is the base model, which is in the state anyway. */
export function hasReferenceWeights({ reference, lora }: ResolvedLearnerConfig): boolean {
  return reference !== "none" && lora === null;
}

/** Returns whether each replica has only a shard of the reference's weights. */
export function sharesReference(config: ResolvedLearnerConfig): boolean {
  return hasReferenceWeights(config) && shardCount(config) > 1;
}

/** Returns whether products round a parameter to bfloat16, wherever it is used: an embedding's lookup is not a product. */
function isMatrix(name: string, { precision }: Pick<ResolvedLearnerConfig, "precision">): boolean {
  return precision === "bfloat16" && !/(Norm|Bias)$/.test(name);
}

/** The type in which replicas that share a parameter pass on its values and its gradients, and have it for passes. */
export function passedType(name: string, config: Pick<ResolvedLearnerConfig, "precision">): FloatType {
  return isMatrix(name, config) && name !== "embedding" ? "bfloat16" : "float32";
}

/**
 * The type in which gradients of a parameter travel between learners of several hosts; those that cannot be cut into pairs of values travel
 * in float32.
 * @param shape of what a replica has of the gradients
 */
export function reduceTypeOf(
  name: string,
  shape: readonly number[],
  { reduceType, precision, lora }: Pick<ResolvedLearnerConfig, "reduceType" | "precision" | "lora">,
): FloatType {
  if ((shape.at(-1) ?? 1) % 2 !== 0 || reduceType === "float32") return "float32";
  if (reduceType === "bfloat16") return passedType(name, { precision: "bfloat16" });
  return lora === null ? passedType(name, { precision }) : "float32";
}

/**
 * Returns whether an entry is stored in bfloat16: matrices that are not updated themselves. Weights that are updated keep float32, and so do
 * the embeddings of a policy that is trained and of its reference, which must match.
 */
function isStoredHalf(
  kind: StateKind,
  name: string,
  config: Pick<ResolvedLearnerConfig, "precision">,
  { isTrained, shards }: { readonly isTrained: boolean; readonly shards: number },
): boolean {
  if (kind === "reference") return passedType(name, config) === "bfloat16";
  if (kind !== "weights") return false;
  return isTrained ? shards > 1 && passedType(name, config) === "bfloat16" : isMatrix(name, config);
}

/** Returns the bytes of state entries as they are stored. */
export function storedBytes(specs: Readonly<Record<string, StateSpec>>): number {
  return Object.values(specs).reduce(
    (sum, { shape, stored }) => sum + (stored === "bfloat16" ? 2 : 4) * sizeOf(shape),
    0,
  );
}

/**
 * Specifies all state entries for jit.
 * @param form.accumulates whether there are accumulators for several micro-batches
 * @param form.shards number of replicas that share float32 weights, moments, accumulators and reference; absent: 1
 * @param form.exchanges whether learners of other hosts get the accumulators; absent: no
 */
export function stateSpecs(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  form: { readonly accumulates: boolean; readonly shards?: number; readonly exchanges?: boolean },
): Record<string, StateSpec> {
  const all = parameterShapes(model);
  const trained = trainedShapes(model, config);
  const { shards = 1 } = form;
  const shared = (shapes: Readonly<Record<string, readonly number[]>>) =>
    Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, shardShape(shape, shards)]));
  const own = shared(trained);
  const kinds: Readonly<Record<StateKind, Record<string, readonly number[]>>> = {
    weights: { ...all, ...trained },
    master: shards > 1 ? own : {},
    moment1: own,
    moment2: own,
    gradient: form.accumulates ? own : {},
    reference: hasReferenceWeights(config) ? shared(all) : {},
  };
  return Object.fromEntries(
    STATE_KINDS.flatMap((kind) =>
      Object.entries(kinds[kind]).map(([name, shape]) => [
        stateName(kind, name),
        {
          shape,
          dtype: "float32" as const,
          // If every step is one micro-batch, the accumulators are never allocated.
          ...(kind === "gradient" ? { lazy: true } : {}),
          ...(kind === "gradient" && form.exchanges && reduceTypeOf(name, shape, config) === "bfloat16"
            ? { asHalf: "both" as const }
            : {}),
          ...(isStoredHalf(kind, name, config, { isTrained: name in trained, shards })
            ? { stored: "bfloat16" as const }
            : {}),
          // Whole weights may be passed on in bfloat16.
          ...(kind === "weights" && config.lora === null && isPublishedHalf(name, shape)
            ? { asHalf: "read" as const }
            : {}),
        },
      ]),
    ),
  );
}

/** The sources of a learner's initial weights. */
export interface StartingWeights {
  readonly model: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  readonly referenceParameters?: Readonly<Record<string, Float32Array>>;
}

/**
 * Returns the state of a learner that starts from weights; what is left out is initialized to zeros.
 * @throws {LearnerError} SHAPE_MISMATCH
 */
export function initialState(
  options: StartingWeights,
  config: ResolvedLearnerConfig,
): Record<string, Float32Array> {
  const reference = options.referenceParameters ?? options.parameters;
  const state: Record<string, Float32Array> = {};
  for (const [name, shape] of Object.entries(parameterShapes(options.model))) {
    const size = sizeOf(shape);
    const of = (from: Readonly<Record<string, Float32Array>>, what: string): Float32Array => {
      const values = from[name];
      if (values?.length === size) return values;
      throw new LearnerError(
        "SHAPE_MISMATCH",
        `${what}.${name} has ${values?.length ?? "no"} values, but the model has ${size}`,
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
      "referenceParameters are given, but with lora the reference is the base model; leave them out",
    );
  const adapters = initLora(options.model, loraForm(config.lora), config.seed);
  return { ...state, ...withKind("weights", adapters) };
}

/**
 * Returns the names of the state entries in a checkpoint: for a policy with adapters these and their moments, not the
 * base.
 */
export function savedNames(model: ModelConfig, config: ResolvedLearnerConfig): string[] {
  const frozen = new Set(
    config.lora === null ? [] : Object.keys(parameterShapes(model)).map((name) => stateName("weights", name)),
  );
  return Object.keys(stateSpecs(model, config, { accumulates: false })).filter((name) => !frozen.has(name));
}

/** Returns the sizes of the state entries in a checkpoint, in values. */
export function savedSizes(model: ModelConfig, config: ResolvedLearnerConfig): Record<string, number> {
  const specs = stateSpecs(model, config, { accumulates: false });
  return Object.fromEntries(
    savedNames(model, config).map((name) => [name, sizeOf(specs[name]?.shape ?? [])]),
  );
}

/**
 * Returns the state of a learner that resumes from a checkpoint; what the checkpoint lacks comes from the initial
 * weights.
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
    const size = sizeOf(specs[name]?.shape ?? []);
    const saved = tensors[name];
    if (saved === undefined || saved.length !== size)
      throw new LearnerError(
        "CHECKPOINT_MISMATCH",
        `the checkpoint has ${saved?.length ?? "no"} values for ${name}, but this model and configuration need ${size}`,
      );
    state[name] = saved;
  }
  return state;
}

/** Renames parameters to their names in the state. */
export function withKind(
  kind: StateKind,
  parameters: Readonly<Record<string, Float32Array>>,
): Record<string, Float32Array> {
  return Object.fromEntries(Object.entries(parameters).map(([name, v]) => [stateName(kind, name), v]));
}

/** Returns the tensors of one kind by parameter name. */
export function tensorsOf(state: Tensors, kind: StateKind, names: Iterable<string>): Tensors {
  return Object.fromEntries([...names].map((name) => [name, tensor(state, stateName(kind, name))]));
}

export function tensor(tensors: Tensors, name: string): tf.Tensor {
  const found = tensors[name];
  if (found === undefined)
    throw new LearnerError("SHAPE_MISMATCH", `no tensor ${name} in the compiled module`);
  return found;
}

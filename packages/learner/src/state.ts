import type { TensorSpec, Tensors } from "@palimpsest/jit";
import { type ModelConfig, parameterShapes } from "@palimpsest/model";
import type * as tf from "@tensorflow/tfjs";
import type { ResolvedLearnerConfig } from "./config.js";
import { LearnerError } from "./error.js";

/** The kinds of state that the learner keeps for every parameter. */
export const STATE_KINDS = ["weights", "moment1", "moment2", "gradient", "reference"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

export function stateName(kind: StateKind, parameter: string): string {
  return `${kind}/${parameter}`;
}

/** Every state entry, as jit wants it. */
export function stateSpecs(model: ModelConfig, config: ResolvedLearnerConfig): Record<string, TensorSpec> {
  const kinds = STATE_KINDS.filter((kind) => kind !== "reference" || config.reference !== "none");
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(parameterShapes(model)).map(([name, shape]) => [
        stateName(kind, name),
        { shape, dtype: "float32" as const },
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
    if (config.reference !== "none")
      state[stateName("reference", name)] = of(reference, "referenceParameters");
  }
  return state;
}

/** State of a learner that goes on from a checkpoint. @throws {LearnerError} CHECKPOINT_MISMATCH */
export function restoredState(
  tensors: Readonly<Record<string, Float32Array>>,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
): Record<string, Float32Array> {
  const state: Record<string, Float32Array> = {};
  for (const [name, { shape }] of Object.entries(stateSpecs(model, config))) {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    if (name.startsWith(stateName("gradient", ""))) continue;
    const saved = tensors[name];
    if (saved?.length !== size)
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
export function parametersOf(state: Tensors, kind: StateKind, model: ModelConfig): Tensors {
  return Object.fromEntries(
    Object.keys(parameterShapes(model)).map((name) => [name, tensor(state, stateName(kind, name))]),
  );
}

export function tensor(tensors: Tensors, name: string): tf.Tensor {
  const found = tensors[name];
  if (found === undefined)
    throw new LearnerError("SHAPE_MISMATCH", `no tensor ${name} in the compiled module`);
  return found;
}

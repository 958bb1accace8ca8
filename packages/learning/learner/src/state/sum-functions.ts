import {
  asType,
  type JitBody,
  type JitFunction,
  type JitModule,
  type JitShards,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import type { ModelConfig } from "@palimpsest/model";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { applyParts } from "../config/memory-config.js";
import { ADAM_SCALARS, type AdamScalars, adamwStep } from "./optimizer.js";
import { shardCount } from "./shard-shape.js";
import { passedType, type StateKind, stateName, tensor, tensorsOf, trainedShapes } from "./state.js";

/*
 * Responsibility: functions on the accumulated gradients of several micro-batches: their norm, the optimizer, clearing.
 * Not responsible for: accumulating (gradient-use.ts), the order of these (optimizer-step.ts).
 */

export const GRADIENT_NORM = "gradientNorm";
/** Sums the accumulators over all replicas, if each has all of them. */
export const GRADIENTS = "gradients";
const APPLY = "apply";
/** Gives each replica all weights, from the shards that replicas have of them in float32. */
export const SPREAD = "spread";
/** Zeroes the accumulators. */
export const CLEAR = "clear";

/** Creates the functions on accumulated gradients. */
export function sumFunctions(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  isLaunched: boolean,
): Record<string, JitFunction> {
  const trained = trainedShapes(model, config);
  const names = Object.keys(trained);
  const functions: Record<string, JitFunction> = {
    [GRADIENT_NORM]: { inputs: {}, body: gradientNormBody(names) },
    [CLEAR]: {
      inputs: {},
      body: (state) => ({ outputs: {}, state: clearedGradients(state, names) }),
    },
  };
  const shards = shardCount(config);
  if (shards > 1)
    functions[SPREAD] = { inputs: {}, body: spreadBody(names, config), shards: gathered(names) };
  const scalars = Object.fromEntries(
    ADAM_SCALARS.map((name) => [name, { shape: [], dtype: "float32" }] as const),
  );
  const parts = isLaunched ? [names] : applyParts(config.memory, trained);
  parts.forEach((part, index) => {
    functions[`${APPLY}-${index}`] = {
      inputs: scalars,
      body: applyBody(part, config),
      ...(shards === 1 ? {} : { shards: gathered(part) }),
    };
  });
  return functions;
}

/** Returns the names of the state entries of one kind, for all trained parameters. */
export function trainedNames(kind: StateKind, model: ModelConfig, config: ResolvedLearnerConfig): string[] {
  return Object.keys(trainedShapes(model, config)).map((name) => stateName(kind, name));
}

/**
 * Returns the names of the functions that together apply and clear the accumulated gradients, each for a part of the
 * weights.
 */
export function applyNames(module: JitModule): string[] {
  return Object.keys(module.stats).filter((name) => name.startsWith(`${APPLY}-`));
}

function gradientNormBody(names: readonly string[]): JitBody {
  return (state) => {
    const squares = names.map((name) => tf.sum(tf.square(tensor(state, stateName("gradient", name)))));
    return { outputs: { squaredNorm: squares.reduce((sum, square) => tf.add(sum, square)) } };
  };
}

function gathered(names: readonly string[]): JitShards {
  return { gather: names.map((name) => stateName("weights", name)) };
}

function spreadBody(names: readonly string[], config: ResolvedLearnerConfig): JitBody {
  return (state) => ({
    outputs: Object.fromEntries(
      names.map((name) => {
        const own = tensor(state, stateName("master", name));
        return [stateName("weights", name), asType(own, passedType(name, config))];
      }),
    ),
  });
}

/** If replicas share the weights, each updates its shard, and all get it in the type of passes. */
function applyBody(names: readonly string[], config: ResolvedLearnerConfig): JitBody {
  const shards = shardCount(config);
  const updated = shards === 1 ? "weights" : "master";
  return (state, inputs) => {
    const scalars = inputs as Tensors & AdamScalars;
    const next: Record<string, tf.Tensor> = {};
    const outputs: Record<string, tf.Tensor> = {};
    for (const name of names) {
      const entry = (kind: StateKind) => tensor(state, stateName(kind, name));
      const adam = { weights: entry(updated), moment1: entry("moment1"), moment2: entry("moment2") };
      const result = adamwStep(adam, entry("gradient"), scalars, config.optimizer);
      next[stateName(updated, name)] = result.weights;
      next[stateName("moment1", name)] = result.moment1;
      next[stateName("moment2", name)] = result.moment2;
      if (shards === 1) continue;
      outputs[stateName("weights", name)] = asType(result.weights, passedType(name, config));
    }
    return { outputs, state: { ...next, ...clearedGradients(state, names) } };
  };
}

function clearedGradients(state: Tensors, names: readonly string[]): Tensors {
  const gradients = tensorsOf(state, "gradient", names);
  return Object.fromEntries(
    Object.entries(gradients).map(([name, value]) => [stateName("gradient", name), tf.zerosLike(value)]),
  );
}

import { JitError } from "../base/error.js";
import { sizeOf } from "../base/spec.js";
import { DATA_TYPE } from "../base/tensorflow-binding.js";
import { ADAM } from "../trace/shape-inference/rules.js";
import type { TracedFunction } from "../trace/traced-function.js";
import type { Operation, Value } from "../trace/value.js";
import type { AdamStep, EmittedStep } from "./adam-step.js";
import { constant, typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";

/*
 * Responsibility: optimizer steps over variables (see adam.ts): which of them may write to the variables directly, and in which order.
 *
 * JIT-ADAM-1. An old value that something else in the function uses is read before the step; TensorFlow gives the step separate
 *     memory if an old value is still referenced.
 * Large entries are updated one after another: gradient read, step, and the gradient's zeroing, then the next entry's.
 * Only one entry's temporaries thus exist at a time.
 */

/** From this many values on, entries wait for each other; for smaller ones running concurrently gains more. */
const SEQUENCED_VALUES = 2 ** 18;

const FLOAT = typeOf(DATA_TYPE.float32);

/** The steps whose results are the new values of the entries that they read. */
export function adamSteps(fn: TracedFunction, live: ReadonlySet<Operation>): Map<Operation, AdamStep> {
  const found = new Map<Operation, AdamStep>();
  for (const operation of fn.root.operations) {
    if (operation.name !== ADAM || !live.has(operation)) continue;
    const names = operation.inputs.slice(0, 3).map(stateOf);
    const [weights, moment1, moment2] = names;
    if (weights === undefined || moment1 === undefined || moment2 === undefined) continue;
    const owned = names.every((name, index) => fn.state.get(name ?? "") === operation.outputs[index]);
    if (owned && new Set(names).size === 3) found.set(operation, { weights, moment1, moment2 });
  }
  return found;
}

function stateOf(value: Value): string | undefined {
  return value.origin.kind === "state" ? value.origin.name : undefined;
}

/** Emits a step as one kernel over the variables. */
export function emitAdamStep(
  emitter: Emitter,
  operation: Operation,
  variables: readonly [weights: string, moment1: string, moment2: string],
  gradientVariable: string | undefined,
): EmittedStep {
  const { weights, gradient, scale, stepSize, correction, beta1, beta2, epsilon, decay } =
    inputsOf(operation);
  const ref = (value: Value): string => emitter.reference(value);
  const dtype = { dtype: FLOAT };
  const starts: string[] = gradientVariable === undefined ? [ref(gradient)] : [gradientVariable];
  // A separate read, so that it can be delayed: a read at the start would hold the memory until the step.
  const unscaled =
    gradientVariable === undefined
      ? emitter.node("Identity", starts, { T: FLOAT })
      : emitter.node("ReadVariableOp", starts, dtype);
  const scaled = emitter.node("Mul", [unscaled, ref(scale)], { T: FLOAT });
  const after: string[] = [];
  const decays: string[] = [variables[0], `^${unscaled}`];
  if (decay !== undefined) {
    const old = emitter.node("ReadVariableOp", decays, dtype);
    const kept = emitter.node("Mul", [old, ref(decay)], { T: FLOAT });
    after.push(`^${emitter.node("AssignVariableOp", [variables[0], kept], dtype)}`);
  }
  // The kernel computes w − rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ) · m / (√v + ε), where βᵗ are two of its inputs. Here the bias
  // corrections are in stepSize and in the factor c of the root: stepSize · m / (√v · c + ε). βᵗ are therefore given as 0,
  // which makes the kernel's own correction 1, and rate and ε are divided by c.
  const betaPower = emitter.node("Const", [], constant(DATA_TYPE.float32, [], [0]));
  const rate = emitter.node("RealDiv", [ref(stepSize), ref(correction)], { T: FLOAT });
  const kernelEpsilon = emitter.node("RealDiv", [ref(epsilon), ref(correction)], { T: FLOAT });
  const inputs = [
    ...variables,
    betaPower, // β₁ᵗ
    betaPower, // β₂ᵗ
    rate,
    ref(beta1),
    ref(beta2),
    kernelEpsilon,
    scaled,
    ...after,
  ];
  const flags = { use_locking: { b: false }, use_nesterov: { b: false } };
  const node = emitter.node("ResourceApplyAdam", inputs, { T: FLOAT, ...flags });
  operation.outputs.forEach((output, index) => {
    emitter.bind(output, emitter.node("ReadVariableOp", [variables[index] ?? "", `^${node}`], dtype));
  });
  return {
    node,
    size: sizeOf(weights.shape),
    gradient: stateOf(gradient),
    starts,
    changes: [decays, inputs],
  };
}

/** Names the inputs of a step, in the order in which adam.ts records them. */
function inputsOf({ inputs }: Operation) {
  const [weights, moment1, moment2, gradient, scale, stepSize, correction, beta1, beta2, epsilon, decay] =
    inputs;
  if (
    weights === undefined ||
    moment1 === undefined ||
    moment2 === undefined ||
    gradient === undefined ||
    scale === undefined ||
    stepSize === undefined ||
    correction === undefined ||
    beta1 === undefined ||
    beta2 === undefined ||
    epsilon === undefined
  )
    throw new JitError("EXECUTION_FAILED", `a step of Adam has ${inputs.length} inputs, and needs 10 or 11`);
  return { weights, moment1, moment2, gradient, scale, stepSize, correction, beta1, beta2, epsilon, decay };
}

/** Each large step starts when the previous one, and the clearing of its gradient, are done. */
export function sequenceSteps(steps: Iterable<EmittedStep>, assignments: ReadonlyMap<string, string>): void {
  let previous: string | undefined;
  for (const { size, starts, node, gradient } of steps) {
    if (size < SEQUENCED_VALUES) continue;
    if (previous !== undefined) starts.push(`^${previous}`);
    previous = (gradient === undefined ? undefined : assignments.get(gradient)) ?? node;
  }
}

/** State entries whose old values are read by anything other than the steps themselves; zeroing a gradient reads nothing. */
export function readBesides(
  fn: TracedFunction,
  live: ReadonlySet<Operation>,
  steps: ReadonlyMap<Operation, AdamStep>,
): Set<string> {
  const read = new Set<string>();
  const add = (value: Value): void => {
    const name = stateOf(value);
    if (name !== undefined) read.add(name);
  };
  for (const operation of live) {
    if (operation.name === "ZerosLike") continue;
    for (const input of operation.inputs.slice(steps.has(operation) ? 4 : 0)) add(input);
  }
  for (const value of [...fn.outputs.values(), ...fn.state.values()]) add(value);
  return read;
}

/** Emits a step as plain operations: in loops, in launches, and where the results are not the entries' new values. */
export function emitAdamComposed(emitter: Emitter, operation: Operation): void {
  const { weights, moment1, moment2, gradient, scale, stepSize, correction, beta1, beta2, epsilon, decay } =
    inputsOf(operation);
  const ref = (value: Value): string => emitter.reference(value);
  const z = (op: string, a: string, b: string): string =>
    emitter.node(op, [a, b], { T: FLOAT }, { output: "z" });
  const y = (op: string, a: string): string => emitter.node(op, [a], { T: FLOAT }, { output: "y" });
  const one = emitter.node("Const", [], constant(DATA_TYPE.float32, [], [1]));
  const scaled = z("Mul", ref(gradient), ref(scale));
  const blend = (old: Value, beta: Value, fresh: string): string =>
    z("AddV2", z("Mul", ref(old), ref(beta)), z("Mul", fresh, z("Sub", one, ref(beta))));
  const m = blend(moment1, beta1, scaled);
  const v = blend(moment2, beta2, y("Square", scaled));
  const denominator = z("AddV2", z("Mul", y("Sqrt", v), ref(correction)), ref(epsilon));
  const change = z("Mul", z("RealDiv", m, denominator), ref(stepSize));
  const kept = decay === undefined ? ref(weights) : z("Mul", ref(weights), ref(decay));
  const results = [z("Sub", kept, change), m, v];
  operation.outputs.forEach((output, index) => {
    emitter.bind(output, results[index] ?? "");
  });
}

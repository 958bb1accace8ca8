import { JitError } from "../base/error.js";
import type { TensorSpec } from "../base/spec.js";
import { dtypeOf } from "../base/tensorflow-binding.js";
import type { JitFunction, JitStage } from "./jit-function.js";
import { checkStage } from "./stages.js";
import type { TraceTarget } from "./trace.js";
import { type TracedFunction, traceFunction } from "./traced-function.js";
import type { Value } from "./value.js";

/** Traces a function with all its stages. @throws {JitError} as `traceFunction`; INVALID_OPTIONS for invalid sums */
export function traceStages(
  name: string,
  state: Readonly<Record<string, TensorSpec>>,
  { inputs, body, next }: JitFunction,
  target: TraceTarget,
): TracedFunction {
  const first = traceFunction(name, state, inputs, body, target);
  return next === undefined ? first : { ...first, next: tracedStage(first, state, next, target) };
}

function tracedStage(
  before: TracedFunction,
  state: Readonly<Record<string, TensorSpec>>,
  stage: JitStage,
  target: TraceTarget,
): NonNullable<TracedFunction["next"]> {
  const { name, outputs } = before;
  checkStage(name, stage, {
    inputs: Object.keys(before.inputs),
    outputs: [...outputs.keys()],
    state: Object.fromEntries(before.state),
  });
  const sums = stage.sums.map((sum): [string, TensorSpec] => {
    const { shape, dtype } = outputs.get(sum) as Value;
    if (dtypeOf(dtype) === "float32") return [sum, { shape, dtype: "float32" }];
    throw new JitError(
      "INVALID_OPTIONS",
      `function ${JSON.stringify(name)} sums ${sum}, which is ${dtypeOf(dtype)}; only float32 is summed over replicas`,
    );
  });
  const inputs = { ...before.inputs, ...Object.fromEntries(sums) };
  return { sums: stage.sums, fn: traceStages(name, state, { ...stage, inputs }, target) };
}

/** A traced function's stages, in their order. */
export function stagesOf(fn: TracedFunction): TracedFunction[] {
  return fn.next === undefined ? [fn] : [fn, ...stagesOf(fn.next.fn)];
}

/** The outputs that a call returns: those of all stages, except for those that are summed. */
export function returnedOutputs(fn: TracedFunction): Map<string, Value> {
  return new Map(stagesOf(fn).flatMap(ownOutputs));
}

/** The outputs of a call that one stage produces. */
export function ownOutputs({ outputs, next }: TracedFunction): [string, Value][] {
  return [...outputs].filter(([key]) => next?.sums.includes(key) !== true);
}

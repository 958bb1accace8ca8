import { JitError } from "../base/error.js";
import { type StateSpec, sizeOf, type TensorSpec } from "../base/spec.js";
import { BFLOAT16, dtypeOf } from "../base/tensorflow-binding.js";
import type { JitFunction, JitShards, JitStage } from "./jit-function.js";
import { checkStage } from "./stages.js";
import type { TraceTarget } from "./trace.js";
import { type TracedFunction, traceFunction } from "./traced-function.js";
import type { Value } from "./value.js";

/** Traces a function with all its stages. @throws {JitError} as `traceFunction`; INVALID_OPTIONS for invalid sums */
export function traceStages(
  name: string,
  state: Readonly<Record<string, StateSpec>>,
  { inputs, body, next, shards }: JitFunction,
  target: TraceTarget,
  replicas = 1,
): TracedFunction {
  if (shards !== undefined) {
    if (next !== undefined)
      throw new JitError(
        "INVALID_OPTIONS",
        `function ${JSON.stringify(name)} has both shards and a next stage; use one of them`,
      );
    const fn = traceFunction(name, state, inputs, body, target, { ...shards, replicas });
    checkShards(fn, shards, state, replicas);
    return { ...fn, shards };
  }
  const first = traceFunction(name, state, inputs, body, target);
  return next === undefined ? first : { ...first, next: tracedStage(first, state, next, target) };
}

function tracedStage(
  before: TracedFunction,
  state: Readonly<Record<string, StateSpec>>,
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

/** Refuses outputs that are not what their entries take. */
function checkShards(
  { name, outputs }: TracedFunction,
  { scatter = [], gather = [] }: JitShards,
  state: Readonly<Record<string, StateSpec>>,
  replicas: number,
): void {
  const refuse = (problem: string): never => {
    throw new JitError("INVALID_OPTIONS", `function ${JSON.stringify(name)} exchanges ${problem}`);
  };
  for (const key of [...scatter, ...gather]) {
    const { shape, dtype } = outputs.get(key) ?? refuse(`${key}, which it does not return`);
    const { shape: own = [], stored = "float32" } = state[key] ?? {};
    const isScattered = scatter.includes(key);
    const fits = isScattered
      ? `${shape}` === `${[replicas, sizeOf(own)]}`
      : shape.length === 1 && replicas * sizeOf(shape) >= sizeOf(own);
    if (!fits) refuse(`${key} as [${shape}], which does not fit its entry of the state, [${own}]`);
    const type = dtype === BFLOAT16 ? "bfloat16" : "float32";
    if (!isScattered && type !== stored)
      refuse(`${key} as [${shape}] in ${type}, but its entry of the state is stored in ${stored}`);
  }
}

/** The outputs that a call returns: those of all stages, except for those that replicas exchange. */
export function returnedOutputs(fn: TracedFunction): Map<string, Value> {
  return new Map(stagesOf(fn).flatMap(ownOutputs));
}

/** The outputs of a call that one stage produces. */
export function ownOutputs({ outputs, next, shards }: TracedFunction): [string, Value][] {
  const exchanged = [next?.sums, shards?.scatter, shards?.gather];
  return [...outputs].filter(([key]) => !exchanged.some((keys) => keys?.includes(key)));
}

import { JitError } from "../base/error.js";
import { type StateSpec, sizeOf, type TensorSpec } from "../base/spec.js";
import { BFLOAT16, dtypeOf } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import type { JitFunction, JitShards, JitStage } from "./jit-function.js";
import { checkStage } from "./stages.js";
import type { TraceTarget } from "./trace.js";
import { partName, type TracedFunction, traceFunction } from "./traced-function.js";
import type { Value } from "./value.js";

/**
 * So many replicas pass a sum's parts to each other, in their own type, and each adds them in the launch that uses the sum. NCCL would
 * move no fewer bytes between two, has no bfloat16, and its launches would be waited for.
 */
const PASSING_REPLICAS = 2;

/** Sums that a stage adds itself, with the type of their parts. */
type Parts = ReadonlyMap<string, { readonly shape: readonly number[]; readonly type: number }>;

/** Traces a function with all its stages. @throws {JitError} as `traceFunction`; INVALID_OPTIONS for invalid sums */
export function traceStages(
  name: string,
  state: Readonly<Record<string, StateSpec>>,
  { inputs, body, next, shards }: JitFunction,
  target: TraceTarget,
  replicas = 1,
  parts: Parts = new Map(),
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
  const byParts = replicas === PASSING_REPLICAS;
  const traced = traceFunction(name, state, inputs, body, target, byParts ? { kept: next?.sums ?? [] } : {});
  const passed = new Map(
    [...parts].flatMap(([sum, { type }]) => partNames(sum, replicas).map((part) => [part, type] as const)),
  );
  const first = { ...traced, passed };
  if (next === undefined) return first;
  return {
    ...first,
    next: tracedStage(first, state, next, target, byParts ? { replicas, parts } : undefined),
  };
}

const partNames = (sum: string, replicas: number) =>
  Array.from({ length: replicas }, (_, replica) => partName(sum, replica));

/** @param passing absent: the stage is given sums */
function tracedStage(
  before: TracedFunction,
  state: Readonly<Record<string, StateSpec>>,
  stage: JitStage,
  target: TraceTarget,
  passing: { readonly replicas: number; readonly parts: Parts } | undefined,
): NonNullable<TracedFunction["next"]> {
  const { name, outputs } = before;
  checkStage(name, stage, {
    inputs: [...Object.keys(before.inputs), ...(passing?.parts.keys() ?? [])],
    outputs: [...outputs.keys()],
    state: Object.fromEntries(before.state),
  });
  const sums = stage.sums.map((sum) => {
    const { shape, dtype } = outputs.get(sum) as Value;
    if (dtype === BFLOAT16 || dtypeOf(dtype) === "float32") return [sum, { shape, type: dtype }] as const;
    throw new JitError(
      "INVALID_OPTIONS",
      `function ${JSON.stringify(name)} sums ${sum}, which is ${dtypeOf(dtype)}; only float32 and bfloat16 are summed over replicas`,
    );
  });
  const given = (names: (sum: string) => readonly string[]) =>
    Object.fromEntries(
      sums.flatMap(([sum, { shape }]) =>
        names(sum).map((key): [string, TensorSpec] => [key, { shape, dtype: "float32" }]),
      ),
    );
  if (passing === undefined) {
    const inputs = { ...before.inputs, ...given((sum) => [sum]) };
    return {
      ...{ sums: stage.sums, byParts: false },
      fn: traceStages(name, state, { ...stage, inputs }, target),
    };
  }
  const { replicas } = passing;
  const parts = new Map([...passing.parts, ...sums]);
  const inputs = { ...before.inputs, ...given((sum) => partNames(sum, replicas)) };
  const fn = { ...addingParts(stage, [...parts.keys()], replicas), inputs };
  return { sums: stage.sums, byParts: true, fn: traceStages(name, state, fn, target, replicas, parts) };
}

/** A stage that is given all parts of its sums, and adds them in the order of replicas. */
function addingParts({ body, ...stage }: JitStage, sums: readonly string[], replicas: number): JitStage {
  return {
    ...stage,
    body: (state, given) => {
      const added = sums.map((sum) => {
        const [first, ...others] = partNames(sum, replicas).map((part) => given[part] as tf.Tensor);
        return [sum, others.reduce((total, part) => tf.add(total, part), first as tf.Tensor)];
      });
      return body(state, { ...given, ...Object.fromEntries(added) });
    },
  };
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

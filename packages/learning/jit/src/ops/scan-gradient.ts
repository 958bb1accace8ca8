import { entry } from "../base/entry.js";
import { JitError } from "../base/error.js";
import { DATA_TYPE } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { XLA_MODULE } from "../emit/xla-module.js";
import { opRules } from "../trace/shape-inference/rules.js";
import type { Trace } from "../trace/trace.js";
import type { Loop, Operation, Scope, Value } from "../trace/value.js";
import { differentiableOutputs } from "./multiple-outputs.js";
import type { Keep, Scanned, ScanOptions } from "./scan-options.js";
import { recordLoop, type TracedBody, traceBody, valuesOf } from "./trace-scan.js";

/*
 * Responsibility: the gradient of a traced scan, as a second loop from the last step to the first.
 *
 * The body is traced together with its gradient, into one list of operations. What the gradient's part needs from the
 * forward part is either kept, as rows that the forward loop stacks, or recomputed, by emitting operations of the forward
 * part in the backward loop too; `keep` says which. This is partial evaluation, as in JAX's checkpoint policies.
 * Everything that might be needed is recorded, and liveness.ts leaves out what is not.
 *
 * Invariants:
 * JIT-SCAN-1. The gradient reaches the first carry, xs and every tensor from outside that the body uses.
 * JIT-SCAN-2. The results do not depend on `keep`.
 */

/** A body with its gradient, in one scope. */
interface Differentiated extends TracedBody {
  /** Operations before this one compute the results, the others gradients. */
  readonly mark: number;
  /** Tensors from outside that a gradient may flow to. */
  readonly outside: readonly tf.Tensor[];
  /** Arguments that stand for the gradients of real-valued results, by their index among the results. */
  readonly above: ReadonlyMap<number, Value>;
  /** Gradients of carry arguments, slice arguments and `outside`, in this order; absent if there is no path. */
  readonly below: readonly (tf.Tensor | undefined)[];
}

/** Records a scan whose gradient can be taken. Call it while tfjs keeps its tape. */
export function gradientsInScope(trace: Trace, options: ScanOptions, length: number): Scanned {
  const body = differentiate(trace, options);
  const { carry, xs, reverse = false, keep = "nothing" } = options;
  const within = <T>(make: () => T): T => trace.innerOf(body.scope, make);
  const values = within(() => valuesOf(trace, body));
  const below = within(() =>
    body.below.map((tensor) => (tensor === undefined ? undefined : trace.valueOf(tensor))),
  );
  const kept = keptValues(body.scope, body.mark, below, values, keep);
  const captures = [...body.scope.captures];
  const forward: Loop = {
    length,
    reverse,
    body: body.scope,
    captures,
    ...values,
    sliceResults: [...values.sliceResults, ...kept],
  };
  const differentiable = [...carry, ...xs].map((tensor) => tensor.dtype === "float32");
  const inputs = [...carry, ...xs].filter((_, index) => differentiable[index]);
  const shapes = [...inputs, ...body.outside].map(({ shape }) => shape);
  const results = differentiableOutputs([...inputs, ...body.outside], (detached) => {
    let at = 0;
    const whole = [...carry, ...xs].map((tensor, index) =>
      differentiable[index] === true ? entry(detached, at++) : tensor,
    );
    // Values outlive their tensors, which tfjs disposes before the gradient is taken.
    const given = whole.map((tensor) => trace.valueOf(tensor));
    const outputs = recordLoop(trace, given, forward);
    const width = values.sliceResults.length;
    const stacks = outputs.ys.slice(width).map((tensor) => trace.valueOf(tensor));
    return {
      outputs: [...outputs.carry, ...outputs.ys.slice(0, width)],
      backward: (gradients) =>
        backwardLoop(
          { trace, body, values, below, kept, stacks, captures, length, reverse },
          given,
          gradients,
        )
          .filter((_, index) => differentiable[index] ?? true)
          .map((gradient, index) => gradient ?? tf.zeros(shapes[index] ?? [])),
    };
  });
  return { carry: results.slice(0, carry.length), ys: results.slice(carry.length) };
}

interface Backward {
  readonly trace: Trace;
  readonly body: Differentiated;
  readonly values: ReturnType<typeof valuesOf>;
  readonly below: readonly (Value | undefined)[];
  readonly kept: readonly Value[];
  readonly stacks: readonly Value[];
  readonly captures: readonly Value[];
  readonly length: number;
  readonly reverse: boolean;
}

/**
 * @param inputs    carry and xs
 * @param gradients of the outputs, for those that have one
 * @returns gradients of carry, xs and the tensors from outside
 */
function backwardLoop(
  { trace, body, values, below, kept, stacks, captures, length, reverse }: Backward,
  inputs: readonly Value[],
  gradients: ReadonlyMap<number, tf.Tensor>,
): (tf.Tensor | undefined)[] {
  const carries = values.carryArguments.length;
  const xs = inputs.slice(carries);
  const zeros = (shape: readonly number[], dtype: number): tf.Tensor =>
    trace.cast(tf.zeros([...shape]), dtype);
  // Carried from the last step to the first: gradients of the carry, and sums of those of tensors from outside.
  const carried: { first: tf.Tensor; argument: Value; result: Value }[] = [];
  const slots = new Map<number, number>();
  for (let index = 0; index < carries; index += 1) {
    const argument = body.above.get(index);
    const value = below[index];
    if (argument === undefined) continue;
    const { shape, dtype } = entry(values.carryArguments, index);
    const first = gradients.get(index);
    slots.set(index, carried.length);
    carried.push({
      first: first === undefined ? zeros(shape, dtype) : trace.cast(first, dtype),
      argument,
      result: trace.innerOf(body.scope, () =>
        trace.valueOf(value === undefined ? zeros(shape, dtype) : trace.cast(trace.tensorOf(value), dtype)),
      ),
    });
  }
  body.outside.forEach((tensor, index) => {
    const at = carries + xs.length + index;
    const value = below[at];
    if (value === undefined) return;
    // Sums over steps stay float32, because bfloat16 would lose summands that are small compared with the sum.
    const { argument, result } = trace.innerOf(body.scope, () => {
      const sum = trace.placeholder(tensor.shape, DATA_TYPE.float32, { kind: "argument" });
      const term = trace.cast(trace.tensorOf(value), DATA_TYPE.float32);
      return { argument: trace.valueOf(sum), result: trace.valueOf(tf.add(sum, term)) };
    });
    slots.set(at, carried.length);
    carried.push({ first: tf.zeros(tensor.shape), argument, result });
  });
  const rowGradients = [...gradients].filter(([index]) => index >= carries);
  const given = new Set(rowGradients.map(([index]) => index));
  // Rows without an incoming gradient: zeros, created inside.
  const missing = [...body.above].filter(([index]) => index >= carries && !given.has(index));
  const ofSlices = xs.map((_, index) => below[carries + index]);
  const sliceResults = ofSlices.filter((value) => value !== undefined);
  const rows = rowGradients.map(([index, tensor]) =>
    trace.valueOf(trace.cast(tensor, body.above.get(index)?.dtype ?? DATA_TYPE.float32)),
  );
  const zeroRows = missing.map(([, argument]) => {
    const { shape, dtype } = argument;
    return trace.valueOf(zeros([length, ...shape], dtype));
  });
  const loop: Loop = {
    length,
    reverse: !reverse,
    body: body.scope,
    captures: [...new Set([...captures, ...body.scope.captures])],
    carryArguments: carried.map(({ argument }) => argument),
    carryResults: carried.map(({ result }) => result),
    sliceArguments: [
      ...values.sliceArguments,
      ...kept,
      ...[...rowGradients, ...missing].map(([index]) => body.above.get(index) as Value),
    ],
    sliceResults,
  };
  const starts = carried.map(({ first }) => trace.valueOf(first));
  const outputs = recordLoop(trace, [...starts, ...xs, ...stacks, ...rows, ...zeroRows], loop);
  let row = 0;
  return below.map((value, index) => {
    const slot = slots.get(index);
    if (slot !== undefined) return outputs.carry[slot];
    if (value === undefined || index < carries || index >= carries + xs.length) return undefined;
    return outputs.ys[row++];
  });
}

/**
 * Traces a body and its gradient in a separate scope. Meanwhile the tape is the body's own, so that a path from
 * one tensor from outside to another, which is outside too, is not counted here.
 */
function differentiate(trace: Trace, options: ScanOptions): Differentiated {
  const { state } = tf.engine();
  const outerTape = state.activeTape;
  state.activeTape = [];
  try {
    const { scope, result } = trace.inner(() => {
      const start = firstIdOfBody();
      let traced: Omit<Differentiated, "scope" | "below"> | undefined;
      // tfjs reads the list only after the function has run, so the function can fill it. It is of float32 tensors alone: along a
      // path from another one lie operations without a gradient, such as the comparisons of a mask.
      const wanted: tf.Tensor[] = [tf.scalar(0)];
      const sources: tf.Tensor[] = [];
      const { grads } = tf.engine().gradients(
        () => {
          const body = traceBody(trace, options);
          const mark = trace.scope.operations.length;
          const outside = tensorsFromOutside(state.activeTape, start);
          const results = [...body.carryResults, ...body.sliceResults];
          const above = new Map(
            results.flatMap((tensor, index) => {
              if (tensor.dtype !== "float32") return [];
              const { shape, dtype } = trace.valueOf(tensor);
              return [[index, trace.placeholder(shape, dtype, { kind: "argument" })] as const];
            }),
          );
          sources.push(...body.carryArguments, ...body.sliceArguments, ...outside);
          const differentiable = sources.filter(({ dtype }) => dtype === "float32");
          if (differentiable.length > 0) wanted.splice(0, 1, ...differentiable);
          const aboveValues = new Map([...above].map(([index, tensor]) => [index, trace.valueOf(tensor)]));
          traced = { ...body, mark, outside, above: aboveValues };
          for (const tensor of [...results, ...outside, ...above.values(), ...sources]) tf.keep(tensor);
          return joined(
            [...above.keys()].map((index) => entry(results, index)),
            [...above.values()],
          );
        },
        wanted,
        undefined,
        true,
      );
      if (traced === undefined) throw new JitError("EXECUTION_FAILED", "scan: the body was not traced");
      const below = sources.map((tensor) => grads[wanted.indexOf(tensor)]);
      for (const gradient of below) if (gradient !== undefined) tf.keep(gradient);
      return { ...traced, below };
    });
    return { scope, ...result };
  } finally {
    for (const { saved = [] } of state.activeTape ?? []) for (const tensor of saved) tensor.dispose();
    state.activeTape = outerTape;
  }
}

/** Tensor ids ascend: those of the body are at least this one. */
function firstIdOfBody(): number {
  const probe = tf.scalar(0);
  const { id } = probe;
  probe.dispose();
  return id;
}

/** Returns the real-valued tensors that operations of the body use but that existed before it. */
function tensorsFromOutside(tape: readonly TapeNode[], firstId: number): tf.Tensor[] {
  const found = new Set<tf.Tensor>();
  for (const { inputs } of tape)
    for (const tensor of Object.values(inputs))
      if (tensor.id < firstId && tensor.dtype === "float32") found.add(tensor);
  return [...found];
}

interface TapeNode {
  readonly inputs: Readonly<Record<string, tf.Tensor>>;
}

/** Combines tensors into one whose gradient gives each of them its own. Its value is never used. */
function joined(results: readonly tf.Tensor[], above: readonly tf.Tensor[]): tf.Tensor {
  return tf.customGrad(() => ({ value: tf.scalar(0), gradFunc: () => [...above] }))(...results);
}

/**
 * Values of the forward part that are passed to the backward loop: what the policy keeps, and the carry at the start of each
 * step. Slices are available anyway, and the rest is recomputed.
 */
function keptValues(
  scope: Scope,
  mark: number,
  below: readonly (Value | undefined)[],
  { carryArguments, sliceArguments }: Pick<Loop, "carryArguments" | "sliceArguments">,
  keep: Keep,
): Value[] {
  const isForward = new Set(scope.operations.slice(0, mark));
  const slices = new Set(sliceArguments);
  const carries = new Set(carryArguments);
  const kept = new Set<Value>();
  const seen = new Set<Value>();
  const pending = [...below];
  while (pending.length > 0) {
    const value = pending.pop();
    if (value === undefined || seen.has(value) || value.scope !== scope || slices.has(value)) continue;
    seen.add(value);
    if (carries.has(value)) kept.add(value);
    if (value.origin.kind !== "operation") continue;
    const { operation } = value.origin;
    if (isForward.has(operation) && isKept(operation, keep)) kept.add(value);
    else pending.push(...operation.inputs);
  }
  return [...kept];
}

function isKept({ name, loop }: Operation, keep: Keep): boolean {
  if (keep === "everything") return name !== "Reshape";
  return (
    keep === "products" && loop === undefined && (name === XLA_MODULE || opRules[name]?.isProduct === true)
  );
}

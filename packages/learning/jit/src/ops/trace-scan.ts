import { entry } from "../base/entry.js";
import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import type { RuleOutput } from "../trace/shape-inference/rules.js";
import type { Trace } from "../trace/trace.js";
import type { Loop, Scope, Value } from "../trace/value.js";
import { checkCarry, type Scanned, type ScanOptions } from "./scan-options.js";

/* Recording a scan in a trace: the body once, in a separate scope, and one While. */

/** A traced body: the tensors that went in and came out. */
export interface TracedBody {
  readonly scope: Scope;
  readonly carryArguments: readonly tf.Tensor[];
  readonly sliceArguments: readonly tf.Tensor[];
  readonly carryResults: readonly tf.Tensor[];
  readonly sliceResults: readonly tf.Tensor[];
}

/** Records a scan without a gradient. */
export function plainScan(trace: Trace, options: ScanOptions, length: number): Scanned {
  const { scope, result } = trace.inner(() => {
    let values: BodyValues | undefined;
    tf.tidy(() => {
      values = valuesOf(trace, traceBody(trace, options));
    });
    if (values === undefined) throw new JitError("EXECUTION_FAILED", "internal: scan did not trace its body");
    return values;
  });
  const inputs = [...options.carry, ...options.xs].map((tensor) => trace.valueOf(tensor));
  return recordLoop(trace, inputs, {
    length,
    reverse: options.reverse ?? false,
    body: scope,
    captures: [...scope.captures],
    ...result,
  });
}

/** Runs the body on arguments, in the current scope. */
export function traceBody(trace: Trace, { carry, xs, body }: ScanOptions): Omit<TracedBody, "scope"> {
  const argument = (like: tf.Tensor, shape: readonly number[], index: number): tf.Tensor =>
    trace.placeholder(shape, trace.valueOf(like).dtype, { kind: "argument", index });
  const carryArguments = carry.map((tensor, index) => argument(tensor, tensor.shape, index));
  const sliceArguments = xs.map((tensor, index) =>
    argument(tensor, tensor.shape.slice(1), carry.length + index),
  );
  const given = body([...carryArguments], [...sliceArguments]);
  checkCarry(carry, given.carry);
  // A carry keeps its type: bfloat16 stays bfloat16, whatever type the step computes in.
  const carryResults = given.carry.map((tensor, index) => {
    const before = trace.valueOf(entry(carry, index));
    return tensor.dtype === "float32" ? castKept(trace, tensor, before.dtype) : tensor;
  });
  return { carryArguments, sliceArguments, carryResults, sliceResults: [...(given.ys ?? [])] };
}

/** A cast that tfjs knows about, so that it has a gradient. */
function castKept(trace: Trace, x: tf.Tensor, dtype: number): tf.Tensor {
  const before = trace.valueOf(x).dtype;
  if (before === dtype) return x;
  return tf.customGrad((input) => ({
    value: trace.cast(input as tf.Tensor, dtype),
    gradFunc: (dy: tf.Tensor) => trace.cast(dy, before),
  }))(x);
}

type BodyValues = Pick<Loop, "carryArguments" | "sliceArguments" | "carryResults" | "sliceResults">;

export function valuesOf(trace: Trace, body: Omit<TracedBody, "scope">): BodyValues {
  const values = (tensors: readonly tf.Tensor[]): Value[] => tensors.map((tensor) => trace.valueOf(tensor));
  return {
    carryArguments: values(body.carryArguments),
    sliceArguments: values(body.sliceArguments),
    carryResults: values(body.carryResults),
    sliceResults: values(body.sliceResults),
  };
}

/** Records a loop in the current scope; inputs are carry and xs. */
export function recordLoop(trace: Trace, inputs: readonly Value[], loop: Loop): Scanned {
  const forms: RuleOutput[] = [
    ...loop.carryResults.map(({ shape, dtype }) => ({ shape, dtype })),
    ...loop.sliceResults.map(({ shape, dtype }) => ({ shape: [loop.length, ...shape], dtype })),
  ];
  const operation = { name: "While", attributes: [], inputs: [...inputs, ...loop.captures], loop };
  const outputs = trace.record(operation, forms);
  if (outputs.length !== forms.length) throw new JitError("EXECUTION_FAILED", "scan recorded no outputs");
  const carries = loop.carryResults.length;
  return { carry: outputs.slice(0, carries), ys: outputs.slice(carries) };
}

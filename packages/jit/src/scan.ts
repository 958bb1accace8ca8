import * as tf from "@tensorflow/tfjs";
import { JitError } from "./error.js";
import type { RuleOutput } from "./shape-inference/rules.js";
import { currentTrace, type Trace } from "./trace.js";
import type { Loop, Value } from "./value.js";

export type ScanBody = (
  carry: tf.Tensor[],
  slices: tf.Tensor[],
) => { readonly carry: readonly tf.Tensor[]; readonly ys?: readonly tf.Tensor[] };

export interface ScanOptions {
  /** What passes from step to step; shapes and types stay. */
  readonly carry: readonly tf.Tensor[];
  /** Stacked tensors [L, ...]; a step sees [...]. At least one. */
  readonly xs: readonly tf.Tensor[];
  /** May use tensors from outside. Its own tensors leave it as carry or ys only. */
  readonly body: ScanBody;
  /** From the last slice to the first; ys keep the order of xs. */
  readonly reverse?: boolean;
}

/**
 * A loop over stacked tensors: one While in a graph, a plain loop elsewhere. It has no gradient of its own: keep each
 * step's inputs as ys, and take tf.grads of the body step by step in a second scan with `reverse`.
 * @returns the last carry, and every step's ys stacked [L, ...]
 * @throws {JitError} SHAPE_MISMATCH, DTYPE_MISMATCH where the carry changes its form or xs differ in length
 */
export function scan(options: ScanOptions): { carry: tf.Tensor[]; ys: tf.Tensor[] } {
  const length = options.xs[0]?.shape[0];
  if (length === undefined || options.xs.some((x) => x.shape[0] !== length)) {
    const shapes = options.xs.map((x) => `[${x.shape.join(", ")}]`).join(", ");
    throw new JitError(
      "SHAPE_MISMATCH",
      `scan: xs are ${shapes || "none"}; give at least one, all of one length`,
    );
  }
  const trace = currentTrace();
  return trace === undefined ? runScan(options, length) : traceScan(trace, options, length);
}

function runScan(
  { carry, xs, body, reverse }: ScanOptions,
  length: number,
): { carry: tf.Tensor[]; ys: tf.Tensor[] } {
  return tf.tidy(() => {
    let present = [...carry];
    const rows: tf.Tensor[][] = [];
    for (let step = 0; step < length; step += 1) {
      const index = reverse === true ? length - 1 - step : step;
      const slices = xs.map((x) => tf.reshape(tf.slice(x, [index], [1]), x.shape.slice(1)));
      const result = body(present, slices);
      checkCarry(present, result.carry);
      present = [...result.carry];
      rows[index] = [...(result.ys ?? [])];
    }
    const width = rows[0]?.length ?? 0;
    const ys = Array.from({ length: width }, (_, column) => tf.stack(rows.map((row) => rowAt(row, column))));
    return { carry: present, ys };
  });
}

function rowAt(row: readonly tf.Tensor[], column: number): tf.Tensor {
  const value = row[column];
  if (value === undefined)
    throw new JitError("SHAPE_MISMATCH", `scan: a step gave no ys[${column}], the first one did`);
  return value;
}

function traceScan(
  trace: Trace,
  options: ScanOptions,
  length: number,
): { carry: tf.Tensor[]; ys: tf.Tensor[] } {
  const { carry, xs, reverse = false } = options;
  const outer = [...carry, ...xs].map((tensor) => trace.valueOf(tensor));
  const { scope, result } = trace.inner(() => traceBody(trace, options, outer));
  const captures = [...scope.captures];
  const forms: RuleOutput[] = [
    ...result.carryResults.map(({ shape, dtype }) => ({ shape, dtype })),
    ...result.sliceResults.map(({ shape, dtype }) => ({ shape: [length, ...shape], dtype })),
  ];
  const loop: Loop = { length, reverse, body: scope, captures, ...result };
  const outputs = trace.record(
    { name: "While", attributes: [], inputs: [...outer, ...captures], loop },
    forms,
  );
  return { carry: outputs.slice(0, carry.length), ys: outputs.slice(carry.length) };
}

type TracedBody = Pick<Loop, "carryArguments" | "sliceArguments" | "carryResults" | "sliceResults">;

function traceBody(trace: Trace, { carry, xs, body }: ScanOptions, outer: readonly Value[]): TracedBody {
  let traced: TracedBody | undefined;
  tf.tidy(() => {
    const argument = (shape: readonly number[], index: number): tf.Tensor =>
      trace.placeholder(shape, outer[index]?.dtype ?? 0, { kind: "argument", index });
    const carries = carry.map((tensor, index) => argument(tensor.shape, index));
    const slices = xs.map((tensor, index) => argument(tensor.shape.slice(1), carry.length + index));
    const values = (tensors: readonly tf.Tensor[]) => tensors.map((tensor) => trace.valueOf(tensor));
    const [carryArguments, sliceArguments] = [values(carries), values(slices)];
    const given = body(carries, slices);
    checkCarry(carry, given.carry);
    traced = {
      carryArguments,
      sliceArguments,
      carryResults: values(given.carry),
      sliceResults: values(given.ys ?? []),
    };
  });
  if (traced === undefined) throw new JitError("EXECUTION_FAILED", "scan: the body was not traced");
  return traced;
}

function checkCarry(before: readonly tf.Tensor[], after: readonly tf.Tensor[]): void {
  const form = (tensors: readonly tf.Tensor[]) =>
    tensors.map((tensor) => `${tensor.dtype}[${tensor.shape.join(", ")}]`).join(", ");
  if (form(before) === form(after)) return;
  throw new JitError(
    "SHAPE_MISMATCH",
    `scan: the body was given carry ${form(before)} and returned ${form(after)}; keep the form`,
  );
}

import { entry } from "../base/entry.js";
import type { ArgumentProto } from "../base/graph-protos.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import type { Loop, Operation, Value } from "../trace/value.js";
import { constant, shapeProto, typeOf } from "./attributes.js";
import type { Emitter, WriteOperations } from "./emit.js";
import type { LoopUse } from "./liveness.js";

const INT = typeOf(DATA_TYPE.int32);

interface Form {
  readonly shape: readonly number[];
  readonly dtype: number;
}

/** The arguments that a loop passes from step to step, in order, by index into the scan's lists. */
interface Arguments {
  readonly carries: readonly number[];
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly captures: readonly Value[];
  readonly forms: readonly Form[];
}

/**
 * Emits the used parts of a scan as one While. The loop's arguments are: step, carries, whole xs, whole ys, captures.
 * Each step takes one slice of every x and writes one row of every y.
 */
export function emitLoop(
  outer: Emitter,
  operation: Operation,
  loop: Loop,
  use: LoopUse,
  write: WriteOperations,
): void {
  const inOrder = (indices: ReadonlySet<number>) => [...indices].sort((a, b) => a - b);
  const [carries, xs, ys] = [inOrder(use.carries), inOrder(use.xs), inOrder(use.ys)];
  const captures = loop.captures.filter((value) => use.captures.has(value));
  const input = (index: number): Value => entry(operation.inputs, index);
  const whole = xs.map((index) => input(loop.carryArguments.length + index));
  const buffers: Form[] = ys.map((index) => {
    const { shape, dtype } = entry(loop.sliceResults, index);
    return { shape: [loop.length, ...shape], dtype };
  });
  // Values stored in bfloat16 are passed without conversion: otherwise a float32 copy of all layers' weights would exist during the loop.
  const form = (value: Value): Form =>
    outer.stored(value) === undefined ? value : { shape: value.shape, dtype: BFLOAT16 };
  const forms: Form[] = [
    { shape: [], dtype: DATA_TYPE.int32 },
    ...carries.map(input),
    ...whole.map(form),
    ...buffers,
    ...captures.map(form),
  ];
  const { condition, body } = loopFunctions(
    outer,
    outer.loopName(),
    loop,
    { carries, xs, ys, captures, forms },
    use,
    write,
  );
  const inputs = [
    outer.int(0),
    ...carries.map((index) => outer.reference(input(index))),
    ...whole.map((value) => outer.stored(value) ?? outer.reference(value)),
    ...buffers.map(({ shape, dtype }) => emptyBuffer(outer, dtype, shape)),
    ...captures.map((value) => outer.stored(value) ?? outer.reference(value)),
  ];
  const node = outer.node("While", inputs, {
    T: { list: { type: forms.map(({ dtype }) => dtype) } },
    cond: { func: { name: condition } },
    body: { func: { name: body } },
    output_shapes: { list: { shape: forms.map(({ shape }) => shapeProto(shape)) } },
    parallel_iterations: { i: 1 },
    // When inlined, the body gets TensorFlow's rewrites to oneDNN kernels, which skip functions.
    ...(outer.program.xla ? {} : { _lower_using_switch_merge: { b: true } }),
  });
  const [base = node] = outer.inFunction ? node.split(":") : [node];
  const bind = (output: number, position: number): void =>
    outer.bind(
      entry(operation.outputs, output),
      outer.inFunction ? `${base}:output:${position}` : `${base}:${position}`,
    );
  carries.forEach((index, position) => {
    bind(index, 1 + position);
  });
  ys.forEach((index, position) => {
    bind(loop.carryArguments.length + index, 1 + carries.length + xs.length + position);
  });
}

/** XLA has no uninitialized buffers; elsewhere they save a pass over memory. */
function emptyBuffer(emitter: Emitter, dtype: number, shape: readonly number[]): string {
  if (emitter.program.xla || dtype === DATA_TYPE.bool) return emitter.fill(dtype, shape, 0);
  return emitter.node("Empty", [emitter.int(shape)], { dtype: typeOf(dtype), init: { b: false } });
}

function loopFunctions(
  outer: Emitter,
  name: string,
  loop: Loop,
  { carries, xs, ys, captures, forms }: Arguments,
  use: LoopUse,
  write: WriteOperations,
): { readonly condition: string; readonly body: string } {
  const argument = (index: number): string => `a${index}`;
  const inputArg: ArgumentProto[] = forms.map(({ dtype }, index) => ({ name: argument(index), type: dtype }));
  const condition = `${name}_condition`;
  const bodyName = `${name}_body`;
  outer.program.functions.push({
    signature: { name: condition, inputArg, outputArg: [{ name: "continue", type: DATA_TYPE.bool }] },
    nodeDef: [
      { name: "length", op: "Const", input: [], attr: constant(DATA_TYPE.int32, [], [loop.length]) },
      { name: "less", op: "Less", input: [argument(0), "length:output:0"], attr: { T: INT } },
    ],
    ret: { continue: "less:z:0" },
  });

  const body = outer.forFunction(bodyName);
  const firstX = 1 + carries.length;
  const firstY = firstX + xs.length;
  const firstCapture = firstY + ys.length;
  const index = loop.reverse
    ? body.node("Sub", [body.int(loop.length - 1), argument(0)], { T: INT }, { output: "z" })
    : argument(0);
  const results = forms.map((_, position) => argument(position));
  results[0] = body.node("AddV2", [argument(0), body.int(1)], { T: INT }, { output: "z" });
  carries.forEach((carry, position) => {
    body.bind(entry(loop.carryArguments, carry), argument(1 + position));
  });
  xs.forEach((x, position) => {
    const value = entry(loop.sliceArguments, x);
    const dtype = forms[firstX + position]?.dtype ?? value.dtype;
    const { shape } = value;
    bindAs(body, value, dtype, slice(body, argument(firstX + position), index, { shape, dtype }));
  });
  captures.forEach((value, position) => {
    const at = firstCapture + position;
    bindAs(body, value, forms[at]?.dtype ?? value.dtype, argument(at));
  });
  write(body, loop.body.operations, use);
  carries.forEach((carry, position) => {
    results[1 + position] = body.reference(entry(loop.carryResults, carry));
  });
  ys.forEach((y, position) => {
    const at = firstY + position;
    results[at] = writeRow(body, argument(at), index, entry(loop.sliceResults, y));
  });
  outer.program.functions.push({
    signature: {
      name: bodyName,
      inputArg,
      outputArg: forms.map(({ dtype }, position) => ({ name: `r${position}`, type: dtype })),
    },
    nodeDef: body.nodes,
    ret: Object.fromEntries(results.map((reference, position) => [`r${position}`, reference])),
  });
  return { condition, body: bodyName };
}

function bindAs(body: Emitter, value: Value, dtype: number, reference: string): void {
  if (dtype === value.dtype) body.bind(value, reference);
  else body.bindStored(value, reference);
}

/** The start of row `index` of a stacked tensor. */
function rowStart(body: Emitter, index: string, rank: number): string {
  const zeros = Array.from({ length: rank - 1 }, () => body.int(0));
  return body.node("Pack", [index, ...zeros], { T: INT, N: { i: rank }, axis: { i: 0 } });
}

/** x[index] of a stacked tensor: on a CPU a slice along the first axis shares the memory. */
function slice(body: Emitter, stacked: string, index: string, value: Form): string {
  const T = typeOf(value.dtype);
  const inputs = [stacked, rowStart(body, index, value.shape.length + 1), body.int([1, ...value.shape])];
  const taken = body.program.xla
    ? body.node("XlaDynamicSlice", inputs, { T, Tindices: INT })
    : body.node("Slice", inputs, { T, Index: INT });
  return body.node("Reshape", [taken, body.int(value.shape)], { T, Tshape: INT });
}

/** Writes a value as row `index` of a loop's buffer, to which there is no other reference. */
function writeRow(body: Emitter, buffer: string, index: string, value: Value): string {
  const T = typeOf(value.dtype);
  const row = body.node("ExpandDims", [body.reference(value), body.int(0)], { T, Tdim: INT });
  if (body.program.xla) {
    // XLA writes this one in place, fused with the computation of the row.
    const inputs = [buffer, row, rowStart(body, index, value.shape.length + 1)];
    return body.node("XlaDynamicUpdateSlice", inputs, { T, Tindices: INT });
  }
  const inPlace = value.dtype !== DATA_TYPE.bool;
  const rows = body.node("Reshape", [index, body.int(inPlace ? [1] : [1, 1])], { T: INT, Tshape: INT });
  return inPlace
    ? body.node("InplaceUpdate", [buffer, rows, row], { T }, { output: "y" })
    : body.node("TensorScatterUpdate", [buffer, rows, row], { T, Tindices: INT });
}

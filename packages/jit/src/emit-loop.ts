import { constant, shapeProto, typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";
import type { ArgumentProto } from "./saved-model.js";
import { BFLOAT16, DATA_TYPE } from "./tensorflow-binding.js";
import type { Loop, Operation, Value } from "./value.js";

const INT = typeOf(DATA_TYPE.int32);

interface Form {
  readonly shape: readonly number[];
  readonly dtype: number;
}

/**
 * Writes a scan as one While. The loop's arguments are: step, carries, whole xs, whole ys, captures. Each step takes
 * one slice of every x and writes one row of every y.
 */
export function emitLoop(
  outer: Emitter,
  operation: Operation,
  loop: Loop,
  live: ReadonlySet<Operation>,
): void {
  const carries = loop.carryArguments.length;
  const xs = operation.inputs.slice(carries, carries + loop.sliceArguments.length);
  const ys: Form[] = loop.sliceResults.map(({ shape, dtype }) => ({ shape: [loop.length, ...shape], dtype }));
  // What is stored in bfloat16 goes in as it is: a float32 copy of all layers' weights would stand during the loop.
  const form = (value: Value): Form =>
    outer.stored(value) === undefined ? value : { shape: value.shape, dtype: BFLOAT16 };
  const forms: Form[] = [
    { shape: [], dtype: DATA_TYPE.int32 },
    ...loop.carryArguments,
    ...xs.map(form),
    ...ys,
    ...loop.captures.map(form),
  ];
  const firstY = 1 + carries + xs.length;
  const name = `loop_${outer.program.functions.length}_${outer.prefix.replaceAll("/", "_")}`;
  const { condition, body } = loopFunctions(outer, name, loop, forms, live);

  const step = outer.int(0);
  const buffers = ys.map(({ shape, dtype }) => emptyBuffer(outer, dtype, shape));
  const inputs = [
    step,
    ...operation.inputs.slice(0, carries).map((value) => outer.reference(value)),
    ...xs.map((value) => outer.stored(value) ?? outer.reference(value)),
    ...buffers,
    ...loop.captures.map((value) => outer.stored(value) ?? outer.reference(value)),
  ];
  const node = outer.node("While", inputs, {
    T: { list: { type: forms.map((form) => form.dtype) } },
    cond: { func: { name: condition } },
    body: { func: { name: body } },
    output_shapes: { list: { shape: forms.map((form) => shapeProto(form.shape)) } },
    parallel_iterations: { i: 1 },
    // Inlined, the body meets TensorFlow's rewrites to oneDNN kernels, which leave functions alone.
    ...(outer.program.xla ? {} : { _lower_using_switch_merge: { b: true } }),
  });
  const [base = node] = outer.inFunction ? node.split(":") : [node];
  operation.outputs.forEach((output, index) => {
    const position = index < carries ? 1 + index : firstY + index - carries;
    outer.bind(output, outer.inFunction ? `${base}:output:${position}` : `${base}:${position}`);
  });
}

/** XLA knows no uninitialised buffers; elsewhere they save a pass over memory. */
function emptyBuffer(emitter: Emitter, dtype: number, shape: readonly number[]): string {
  if (emitter.program.xla || dtype === DATA_TYPE.bool) return emitter.fill(dtype, shape, 0);
  return emitter.node("Empty", [emitter.int(shape)], { dtype: typeOf(dtype), init: { b: false } });
}

function loopFunctions(
  outer: Emitter,
  name: string,
  loop: Loop,
  forms: readonly Form[],
  live: ReadonlySet<Operation>,
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
  const firstX = 1 + loop.carryArguments.length;
  const firstY = firstX + loop.sliceArguments.length;
  const firstCapture = firstY + loop.sliceResults.length;
  const index = loop.reverse
    ? body.node("Sub", [body.int(loop.length - 1), argument(0)], { T: INT }, { output: "z" })
    : argument(0);
  const results = forms.map((_, position) => argument(position));
  results[0] = body.node("AddV2", [argument(0), body.int(1)], { T: INT }, { output: "z" });
  loop.carryArguments.forEach((value, position) => {
    body.bind(value, argument(1 + position));
  });
  loop.sliceArguments.forEach((value, position) => {
    const dtype = forms[firstX + position]?.dtype ?? value.dtype;
    bindAs(body, value, dtype, slice(body, argument(firstX + position), index, { ...value, dtype }));
  });
  loop.captures.forEach((value, position) => {
    const at = firstCapture + position;
    bindAs(body, value, forms[at]?.dtype ?? value.dtype, argument(at));
  });
  body.operations(loop.body.operations, live);
  loop.carryResults.forEach((value, position) => {
    results[1 + position] = body.reference(value);
  });
  loop.sliceResults.forEach((value, position) => {
    const at = firstY + position;
    results[at] = writeRow(body, argument(at), index, value);
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

/** x[index] of a stacked tensor: a slice along the first axis shares the memory on CPU. */
function slice(body: Emitter, stacked: string, index: string, value: Form): string {
  const T = typeOf(value.dtype);
  const zeros = value.shape.map(() => body.int(0));
  const begin = body.node("Pack", [index, ...zeros], { T: INT, N: { i: zeros.length + 1 }, axis: { i: 0 } });
  const taken = body.node("Slice", [stacked, begin, body.int([1, ...value.shape])], { T, Index: INT });
  return body.node("Reshape", [taken, body.int(value.shape)], { T, Tshape: INT });
}

/** Writes a value as row `index` of a loop's buffer, which no one else holds. */
function writeRow(body: Emitter, buffer: string, index: string, value: Value): string {
  const T = typeOf(value.dtype);
  const row = body.node("ExpandDims", [body.reference(value), body.int(0)], { T, Tdim: INT });
  const inPlace = !body.program.xla && value.dtype !== DATA_TYPE.bool;
  const shape = body.int(inPlace ? [1] : [1, 1]);
  const rows = body.node("Reshape", [index, shape], { T: INT, Tshape: INT });
  return inPlace
    ? body.node("InplaceUpdate", [buffer, rows, row], { T }, { output: "y" })
    : body.node("TensorScatterUpdate", [buffer, rows, row], { T, Tindices: INT });
}

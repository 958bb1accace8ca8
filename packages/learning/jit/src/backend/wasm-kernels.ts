import { JitError } from "../base/error.js";
import { sizeOf } from "../base/spec.js";
import { tf } from "../base/tf.js";
import { ROTATE_PAIRS } from "../trace/shape-inference/rules.js";
import { addRows } from "./segment-sum.js";

/*
 * Replacements for kernels that the stock wasm backend lacks or runs slowly. It multiplies matrices through XNNPACK only for one
 * pair without transposes; everything else, and so all of a backward pass, runs in a scalar loop. Here operands are transposed
 * first and each pair of a batch goes through XNNPACK on views of the same memory. UnsortedSegmentSum, the gradient of a gather,
 * is missing there; OneHot writes integers into float tensors. RotatePairs is no kernel of tfjs: composed of slices of five axes,
 * which go value by value through arrays of indices, it took more than half of a training step. And the allocator returns 0 when the heap is full, after which
 * tensors overwrite one another.
 */

type Dimensions = Uint8Array;

interface WasmExports {
  _malloc: (bytes: number) => number;
  _free(offset: number): void;
  cwrap(name: string, result: null, parameters: readonly string[]): (...values: unknown[]) => void;
  readonly tfjs: {
    registerTensor(id: number, size: number, offset: number): void;
    disposeData(id: number): void;
  };
}

interface WasmBackend {
  readonly wasm: WasmExports;
  readonly dataIdMap: { get(dataId: object): { readonly memoryOffset: number } };
  dataIdNextNumber: number;
  makeOutput(shape: readonly number[], dtype: string): tf.TensorInfo;
  typedArrayFromHeap(info: tf.TensorInfo): Float32Array | Int32Array;
  disposeData(dataId: object): boolean;
}

type Multiply = (
  a: number,
  aShape: Dimensions,
  aRank: number,
  b: number,
  bShape: Dimensions,
  bRank: number,
  transposeA: number,
  transposeB: number,
  out: number,
) => void;

interface Arguments<Inputs, Attributes> {
  readonly inputs: Inputs;
  readonly attrs: Attributes;
  readonly backend: WasmBackend;
}

type MatMulArguments = Arguments<
  { readonly a: tf.TensorInfo; readonly b: tf.TensorInfo },
  { readonly transposeA: boolean; readonly transposeB: boolean }
>;

type SegmentSumArguments = Arguments<
  { readonly x: tf.TensorInfo; readonly segmentIds: tf.TensorInfo },
  { readonly numSegments: number }
>;

type RotatePairsArguments = Arguments<
  { readonly x: tf.TensorInfo; readonly turns: tf.TensorInfo },
  Record<string, never>
>;

type OneHotArguments = Arguments<
  { readonly indices: tf.TensorInfo },
  { readonly dtype: string; readonly depth: number; readonly onValue: number; readonly offValue: number }
>;

/** Below this many rows, packing a batch's matrices for XNNPACK costs more than the scalar loop. */
const MIN_ROWS_OF_A_BATCH = 8;

/** Registers the kernels. Call it before the wasm backend starts, which is when kernels are set up. */
export function registerWasmKernels(): void {
  if (registered) return;
  registered = true;
  registerMatMul();
  tf.unregisterKernel("OneHot", "wasm");
  tf.registerKernel({
    kernelName: "OneHot",
    backendName: "wasm",
    kernelFunc: (given) => oneHot(given as unknown as OneHotArguments),
  });
  tf.registerKernel({
    kernelName: "UnsortedSegmentSum",
    backendName: "wasm",
    kernelFunc: (given) => segmentSum(given as unknown as SegmentSumArguments),
  });
  tf.registerKernel({
    kernelName: ROTATE_PAIRS,
    backendName: "wasm",
    kernelFunc: (given) => rotatePairs(given as unknown as RotatePairsArguments),
  });
}

/** Makes a full heap an error instead of silent corruption. */
export function guardHeap(wasm: WasmExports): void {
  // The first call replaces the exported function by the module's own, so it is wrapped after that.
  wasm._free(wasm._malloc(8));
  const allocate = wasm._malloc;
  wasm._malloc = (bytes) => {
    const offset = allocate(bytes);
    if (offset !== 0 || bytes === 0) return offset;
    throw new JitError(
      "MEMORY_EXHAUSTED",
      `the wasm heap, which is limited to 4 GiB, has no ${bytes} bytes left; use a smaller batch or the tensorflow backend`,
    );
  };
}

let registered = false;

function registerMatMul(): void {
  const stock = tf.getKernel("BatchMatMul", "wasm");
  if (stock === undefined) return;
  let multiply: Multiply | undefined;
  tf.unregisterKernel("BatchMatMul", "wasm");
  tf.registerKernel({
    ...stock,
    setupFunc: (started) => {
      stock.setupFunc?.(started);
      const { wasm } = started as unknown as WasmBackend;
      guardHeap(wasm);
      const shape = ["number", "array", "number"];
      multiply = wasm.cwrap("BatchMatMul", null, [
        ...shape,
        ...shape,
        "number",
        "number",
        "number",
      ]) as Multiply;
    },
    kernelFunc: (given) => {
      const matMul = given as unknown as MatMulArguments;
      const plan = multiply === undefined ? undefined : planOf(matMul);
      if (plan === undefined || multiply === undefined) return stock.kernelFunc(given);
      return batched(matMul, plan, multiply);
    },
  });
}

/** Which matrix of each operand each matrix of the result uses. */
interface Plan {
  readonly outer: readonly number[];
  readonly aIndices: readonly number[];
  readonly bIndices: readonly number[];
}

/** Plans XNNPACK pair by pair if that is faster than the stock kernel, or correct where that one is not; otherwise undefined. */
function planOf({ inputs: { a, b }, attrs: { transposeA, transposeB } }: MatMulArguments): Plan | undefined {
  if (a.dtype !== "float32" || b.dtype !== "float32") return undefined;
  if (sizeOf(a.shape) === 0 || sizeOf(b.shape) === 0) return undefined;
  const aOuter = a.shape.slice(0, -2);
  const bOuter = b.shape.slice(0, -2);
  const outer = tf.backend_util.assertAndGetBroadcastShape(aOuter, bOuter);
  const batch = sizeOf(outer);
  if (batch === 1 && !transposeA && !transposeB) return undefined;
  const rows = a.shape.at(transposeA ? -1 : -2) ?? 1;
  const repeats = [sizeOf(aOuter), sizeOf(bOuter)];
  // The stock kernel repeats the smaller batch from its start, which is correct only for one matrix or for one matrix each.
  const stockIsRight = repeats.every((count) => count === 1 || count === batch);
  if (stockIsRight && batch > 1 && rows < MIN_ROWS_OF_A_BATCH) return undefined;
  return { outer, aIndices: broadcastIndices(aOuter, outer), bIndices: broadcastIndices(bOuter, outer) };
}

/** For each position of the broadcast shape, the corresponding position in the smaller shape. */
function broadcastIndices(shape: readonly number[], outer: readonly number[]): number[] {
  const padded = [...outer.slice(shape.length).map(() => 1), ...shape];
  return Array.from({ length: sizeOf(outer) }, (_, position) => {
    let rest = position;
    let index = 0;
    let stride = 1;
    for (let axis = outer.length - 1; axis >= 0; axis -= 1) {
      const [dimension = 1, own = 1] = [outer[axis], padded[axis]];
      index += own === 1 ? 0 : (rest % dimension) * stride;
      rest = Math.floor(rest / dimension);
      stride *= own;
    }
    return index;
  });
}

function batched({ inputs, attrs, backend }: MatMulArguments, plan: Plan, multiply: Multiply): tf.TensorInfo {
  const temporary: tf.TensorInfo[] = [];
  const transposed = (x: tf.TensorInfo): tf.TensorInfo => {
    const shape = [sizeOf(x.shape.slice(0, -2)), ...x.shape.slice(-2)];
    const result = transpose({ dataId: x.dataId, dtype: x.dtype, shape }, backend);
    temporary.push(result);
    return result;
  };
  try {
    const a = attrs.transposeA ? transposed(inputs.a) : inputs.a;
    const b = attrs.transposeB ? transposed(inputs.b) : inputs.b;
    const [rows = 1, inner = 1] = a.shape.slice(-2);
    const columns = b.shape.at(-1) ?? 1;
    const out = backend.makeOutput([...plan.outer, rows, columns], "float32");
    multiplyPairs(backend, multiply, [
      { info: a, shape: [rows, inner], indices: plan.aIndices },
      { info: b, shape: [inner, columns], indices: plan.bIndices },
      { info: out, shape: [rows, columns], indices: [...plan.aIndices.keys()] },
    ]);
    return out;
  } finally {
    for (const { dataId } of temporary) backend.disposeData(dataId);
  }
}

interface Operand {
  readonly info: tf.TensorInfo;
  readonly shape: readonly [number, number];
  /** The operand's matrix in each pair. */
  readonly indices: readonly number[];
}

function multiplyPairs(
  backend: WasmBackend,
  multiply: Multiply,
  operands: readonly [Operand, Operand, Operand],
): void {
  const { tfjs } = backend.wasm;
  const view = ({ info, shape, indices }: Operand, pair: number): number => {
    const size = shape[0] * shape[1];
    const start = (indices[pair] ?? 0) * size * Float32Array.BYTES_PER_ELEMENT;
    const id = backend.dataIdNextNumber;
    backend.dataIdNextNumber += 1;
    tfjs.registerTensor(id, size, backend.dataIdMap.get(info.dataId).memoryOffset + start);
    return id;
  };
  const [a, b, out] = operands;
  const aShape = new Uint8Array(Int32Array.of(1, ...a.shape).buffer);
  const bShape = new Uint8Array(Int32Array.of(1, ...b.shape).buffer);
  for (const pair of out.indices.keys()) {
    const [aId, bId, outId] = [view(a, pair), view(b, pair), view(out, pair)];
    multiply(aId, aShape, 3, bId, bShape, 3, 0, 0, outId);
    for (const id of [aId, bId, outId]) tfjs.disposeData(id);
  }
}

function transpose(x: tf.TensorInfo, backend: WasmBackend): tf.TensorInfo {
  const kernel = tf.getKernel("Transpose", "wasm");
  const given = { inputs: { x }, attrs: { perm: [0, 2, 1] }, backend };
  const result = kernel?.kernelFunc(given as unknown as Parameters<tf.KernelFunc>[0]);
  if (result === undefined || Array.isArray(result))
    throw new JitError("BACKEND_UNAVAILABLE", "wasm has no Transpose");
  return result;
}

function segmentSum({
  inputs: { x, segmentIds },
  attrs: { numSegments },
  backend,
}: SegmentSumArguments): tf.TensorInfo {
  const rest = x.shape.slice(segmentIds.shape.length);
  const out = backend.makeOutput([numSegments, ...rest], x.dtype);
  // Views are created last, because an allocation may grow the heap and detach them.
  const sums = backend.typedArrayFromHeap(out).fill(0);
  const values = backend.typedArrayFromHeap(x);
  const segments = backend.typedArrayFromHeap(segmentIds);
  addRows(sums, values, segments, sizeOf(rest));
  return out;
}

function rotatePairs({ inputs: { x, turns }, backend }: RotatePairsArguments): tf.TensorInfo {
  const out = backend.makeOutput(x.shape, "float32");
  const turned = backend.typedArrayFromHeap(out);
  const values = backend.typedArrayFromHeap(x);
  const factors = backend.typedArrayFromHeap(turns);
  const width = x.shape.at(-1) ?? 0;
  const rows = broadcastIndices(turns.shape.slice(0, -1), x.shape.slice(0, -1));
  for (const [row, ownRow] of rows.entries()) {
    const start = row * width;
    const first = ownRow * width;
    for (let at = 0; at < width; at += 2) {
      const [a = 0, b = 0] = [values[start + at], values[start + at + 1]];
      const [c = 0, s = 0] = [factors[first + at], factors[first + at + 1]];
      // Each product is rounded to float32, so that the bits are those of the composed form.
      turned[start + at] = Math.fround(a * c) - Math.fround(b * s);
      turned[start + at + 1] = Math.fround(a * s) + Math.fround(b * c);
    }
  }
  return out;
}

function oneHot({ inputs: { indices }, attrs, backend }: OneHotArguments): tf.TensorInfo {
  const { dtype, depth, onValue, offValue } = attrs;
  const out = backend.makeOutput([...indices.shape, depth], dtype);
  const values = backend.typedArrayFromHeap(out).fill(offValue);
  backend.typedArrayFromHeap(indices).forEach((column, row) => {
    if (column >= 0 && column < depth) values[row * depth + column] = onValue;
  });
  return out;
}

import {
  type Code,
  f32,
  f32Store,
  f32x4,
  get,
  i16x8,
  i32,
  i32Const,
  i32x4,
  laneSum,
  repeat,
  set,
  type,
  v128,
  type WasmFunction,
  wasmModule,
} from "./assembler.js";

/*
 * The hot loops of a single request, in WebAssembly with 128-bit SIMD and without instructions whose results depend on the
 * machine: products of a matrix and one vector, with weights in float32, bfloat16 or 8-bit integers, and exponentials with
 * their sum. They process four rows at a time, so that the additions of their sums do not wait for each other.
 */

/** The number format of a matrix's weights. */
export type WeightFormat = "float32" | "bfloat16" | "int8";

/** The number of rows of a product is a multiple of it. */
export const rowUnit = 4;

/**
 * Memory layout of a format: four rows side by side, tile after tile of `columns` columns, so that a product reads one stream.
 * A tile has its first row's weights, then the second's, and so on; 8-bit weights are followed by four float32 scales, one per
 * row. The vector is split into tiles as well, of 16-bit integers with one scale each, because a few large activations would
 * otherwise take the precision of all others.
 */
export interface TileForm {
  readonly columns: number;
  /** Of one row. */
  readonly rowBytes: number;
  readonly tileBytes: number;
  /** Of the part of the vector that a tile is multiplied by. */
  readonly vectorBytes: number;
}

export const tileForms: Readonly<Record<WeightFormat, TileForm>> = {
  float32: { columns: 8, rowBytes: 32, tileBytes: 128, vectorBytes: 32 },
  bfloat16: { columns: 8, rowBytes: 16, tileBytes: 64, vectorBytes: 32 },
  int8: { columns: 64, rowBytes: 64, tileBytes: 272, vectorBytes: 144 },
};

/**
 * out[r] = factor · Σ W[r, c] · x[c], for `rows` rows, a multiple of four. Addresses are in bytes. `x` is laid out as the format
 * requires (matrix.ts).
 * @param groupBytes from four rows to the next four
 * @param xEnd the end of x, which determines the number of columns
 */
type Product = (
  weights: number,
  groupBytes: number,
  rows: number,
  x: number,
  xEnd: number,
  out: number,
  factor: number,
) => void;

/** out[i] = exp((x[i] − shift) · factor) of a multiple of 4 float32; returns their sum. An exponent below -87 gives 0, one above 88 e^88. */
type Exponentials = (x: number, xEnd: number, out: number, shift: number, factor: number) => number;

export interface Kernels {
  readonly product: Readonly<Record<WeightFormat, Product>>;
  readonly exponentials: Exponentials;
}

const rows = Array.from({ length: rowUnit }, (_, row) => row);

/** How a format is multiplied. */
interface Form {
  readonly name: WeightFormat;
  /** v128 locals, by `own`. */
  readonly ownLocals: number;
  /** Runs before a tile's rows. */
  readonly load: Code;
  readonly multiply: (row: number) => Code;
}

const at = { weights: 0, groupBytes: 1, rows: 2, x: 3, xEnd: 4, out: 5, factor: 6 };
const local = {
  tile: 7,
  xAt: 8,
  outEnd: 9,
  /** v128: two sums per row. */
  sum: (row: number, part: number) => 10 + 2 * row + part,
  own: (index: number) => 18 + index,
};
const { own } = local;
const addTo = (sum: number, value: Code): Code => set(sum, f32x4.add(get(sum), value));

const float32Form: Form = {
  name: "float32",
  ownLocals: 2,
  load: [0, 1].flatMap((half) => set(own(half), v128.load(get(local.xAt), 16 * half))),
  multiply: (row) =>
    [0, 1].flatMap((half) =>
      addTo(
        local.sum(row, half),
        f32x4.mul(v128.load(get(local.tile), 32 * row + 16 * half), get(own(half))),
      ),
    ),
};

/** A bfloat16 is the upper half of a float32. x has four even columns, then four odd ones. */
const bfloat16Form: Form = {
  name: "bfloat16",
  ownLocals: 3,
  load: float32Form.load,
  multiply: (row) => [
    ...set(own(2), v128.load(get(local.tile), 16 * row)),
    ...addTo(local.sum(row, 0), f32x4.mul(i32x4.shiftLeft(get(own(2)), 16), get(own(0)))),
    ...addTo(local.sum(row, 1), f32x4.mul(v128.and(get(own(2)), v128.intSplat(-65_536)), get(own(1)))),
  ],
};

/** x is 16-bit integers; 64 products with 8-bit ones stay far below 2^31. */
const int8Form: Form = {
  name: "int8",
  ownLocals: 11,
  load: [
    ...Array.from({ length: 8 }, (_, i) => set(own(i), v128.load(get(local.xAt), 16 * i))).flat(),
    ...set(own(10), v128.loadSplat(get(local.xAt), 128)),
  ],
  multiply: (row) => {
    const [bytes, products] = [own(8), own(9)];
    const quarter = (i: number): Code => {
      const pair = i32x4.add(
        i32x4.dot(i16x8.low(get(bytes)), get(own(2 * i))),
        i32x4.dot(i16x8.high(get(bytes)), get(own(2 * i + 1))),
      );
      return [
        ...set(bytes, v128.load(get(local.tile), 64 * row + 16 * i)),
        ...set(products, i === 0 ? pair : i32x4.add(get(products), pair)),
      ];
    };
    return [
      ...[0, 1, 2, 3].flatMap(quarter),
      ...addTo(
        local.sum(row, 0),
        f32x4.mul(
          f32x4.ofInts(get(products)),
          f32x4.mul(v128.loadSplat(get(local.tile), 256 + 4 * row), get(own(10))),
        ),
      ),
    ];
  },
};

function productFunction(form: Form): WasmFunction {
  const { i32: int, f32: float, v128: lanes } = type;
  const { tileBytes, vectorBytes } = tileForms[form.name];
  const next = (of: number, bytes: number): Code => set(of, i32.add(get(of), i32Const(bytes)));
  const oneTile: Code = [
    ...form.load,
    ...rows.flatMap((row) => form.multiply(row)),
    ...next(local.tile, tileBytes),
    ...next(local.xAt, vectorBytes),
  ];
  const fourRows: Code = [
    ...set(local.tile, get(at.weights)),
    ...set(at.weights, i32.add(get(at.weights), get(at.groupBytes))),
    ...rows.flatMap((row) => [0, 1].flatMap((part) => set(local.sum(row, part), v128.zero))),
    ...set(local.xAt, get(at.x)),
    ...repeat(oneTile, i32.lessUnsigned(get(local.xAt), get(at.xEnd))),
    ...rows.flatMap((row) => {
      const [first, second] = [local.sum(row, 0), local.sum(row, 1)];
      return [
        ...set(first, f32x4.add(get(first), get(second))),
        ...f32Store(get(at.out), f32.mul(laneSum(get(first)), get(at.factor)), 4 * row),
      ];
    }),
    ...next(at.out, 4 * rowUnit),
  ];
  return {
    name: form.name,
    parameters: [int, int, int, int, int, int, float],
    results: [],
    locals: [...Array<typeof int>(3).fill(int), ...Array<typeof lanes>(8 + form.ownLocals).fill(lanes)],
    body: [
      ...set(local.outEnd, i32.add(get(at.out), i32.shiftLeft(get(at.rows), i32Const(2)))),
      ...repeat(fourRows, i32.lessUnsigned(get(at.out), get(local.outEnd))),
    ],
  };
}

/** From Cephes' expf: e^r on |r| ≤ ln 2 / 2, with a relative error of 2e-7. */
const polynomial = [1.9875691e-4, 1.3981999e-3, 8.3334519e-3, 4.1665796e-2, 1.6666665e-1, 0.5, 1, 1];
const [ln2High, ln2Low] = [0.693359375, -2.1219444e-4];
const smallestExponent = -87;
const largestExponent = 88;

function exponentialFunction(): WasmFunction {
  const [x, xEnd, out, shift, factor] = [0, 1, 2, 3, 4];
  const [value, power, rest, sum, result] = [5, 6, 7, 8, 9];
  const horner = polynomial
    .slice(1)
    .reduce<Code>(
      (code, coefficient) => f32x4.add(f32x4.mul(code, get(rest)), v128.splat(coefficient)),
      v128.splat(polynomial[0] as number),
    );
  const scale = i32x4.shiftLeft(i32x4.add(i32x4.truncated(get(power)), v128.intSplat(127)), 23);
  const step: Code = [
    ...set(
      value,
      f32x4.min(
        f32x4.mul(f32x4.sub(v128.load(get(x)), v128.f32Splat(get(shift))), v128.f32Splat(get(factor))),
        v128.splat(largestExponent),
      ),
    ),
    ...set(power, f32x4.nearest(f32x4.mul(get(value), v128.splat(Math.LOG2E)))),
    ...set(
      rest,
      f32x4.sub(
        f32x4.sub(get(value), f32x4.mul(get(power), v128.splat(ln2High))),
        f32x4.mul(get(power), v128.splat(ln2Low)),
      ),
    ),
    // Comparisons with NaN are false, so NaN is propagated.
    ...set(
      result,
      v128.andNot(f32x4.mul(horner, scale), f32x4.lessThan(get(value), v128.splat(smallestExponent))),
    ),
    ...set(sum, f32x4.add(get(sum), get(result))),
    ...v128.store(get(out), get(result)),
    ...set(x, i32.add(get(x), i32Const(16))),
    ...set(out, i32.add(get(out), i32Const(16))),
  ];
  const { i32: int, f32: float, v128: lanes } = type;
  return {
    name: "exponentials",
    parameters: [int, int, int, float, float],
    results: [float],
    locals: Array<typeof lanes>(5).fill(lanes),
    body: [
      ...set(sum, v128.zero),
      ...repeat(step, i32.lessUnsigned(get(x), get(xEnd))),
      ...laneSum(get(sum)),
    ],
  };
}

declare const WebAssembly: {
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, SharedMemory>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

const pageBytes = 65_536;
/** The most that 32 bits can address. */
export const mostBytes = 65_535 * pageBytes;

/** Allocates memory that threads share. @throws RangeError if there is not enough */
export function sharedMemory(sizeBytes: number): SharedMemory {
  const pages = Math.ceil(sizeBytes / pageBytes);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

let compiled: object | undefined;

export function kernelsOver(memory: SharedMemory): Kernels {
  compiled ??= new WebAssembly.Module(
    wasmModule([...[float32Form, bfloat16Form, int8Form].map(productFunction), exponentialFunction()]),
  );
  const { exports } = new WebAssembly.Instance(compiled, { m: { m: memory } });
  return {
    product: {
      float32: exports["float32"] as Product,
      bfloat16: exports["bfloat16"] as Product,
      int8: exports["int8"] as Product,
    },
    exponentials: exports["exponentials"] as Exponentials,
  };
}

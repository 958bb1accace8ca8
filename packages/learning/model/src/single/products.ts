import {
  type Code,
  during,
  f32x4,
  get,
  i32,
  i32Const,
  i32x4,
  repeat,
  set,
  type,
  v128,
  type WasmFunction,
} from "./assembler.js";
import { panelRows, scalesAt, tileForms, type WeightFormat } from "./tiles.js";

/**
 * out[v, r] = Σ W[r, c] · x[v, c] of `panels` panels of eight rows and of as many vectors as the product is for. Addresses are in
 * bytes. Vectors are laid out as the format requires (matrix.ts).
 * @param panelBytes from one panel to the next
 * @param xEnd the end of the first vector, which determines the number of columns
 * @param xBytes from one vector to the next, and `outBytes` from one vector's results to the next
 */
export type Product = (
  weights: number,
  panelBytes: number,
  panels: number,
  x: number,
  xEnd: number,
  xBytes: number,
  out: number,
  outBytes: number,
) => void;

/** The most vectors of one product: more would need more registers than there are. */
export const mostVectors = 4;

const at = { weights: 0, panelBytes: 1, panels: 2, x: 3, xEnd: 4, xBytes: 5, out: 6, outBytes: 7 };
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

const locals = {
  end: 8,
  tileEnd: 9,
  out: 10,
  panel: 11,
  x: (vector: number) => 12 + vector,
  /** v128: two sums of four rows. */
  sum: (vector: number, half: number) => 16 + 2 * vector + half,
  weights: (half: number) => 16 + 2 * mostVectors + half,
  element: (vector: number) => 18 + 2 * mostVectors + vector,
};
const intLocals = 4 + mostVectors;
const vectorLocals = 3 * mostVectors + 2;

/** a · b + c */
export type MultiplyAdd = (a: Code, b: Code, c: Code) => Code;

const advance = (local: number, bytes: number): Code => set(local, i32.add(get(local), i32Const(bytes)));
const halves = [0, 1] as const;

/** Loads the next eight weights of a panel. */
const loadWeights: Readonly<Record<WeightFormat, Code>> = {
  float32: halves.flatMap((half) => set(locals.weights(half), v128.load(get(locals.panel), 16 * half))),
  // A bfloat16 is the upper half of a float32.
  bfloat16: [
    ...set(locals.weights(1), v128.load(get(locals.panel))),
    ...set(locals.weights(0), i32x4.shiftLeft(get(locals.weights(1)), 16)),
    ...set(locals.weights(1), v128.and(get(locals.weights(1)), v128.intSplat(-65_536))),
  ],
  // Of two columns.
  int8: halves.flatMap((half) => set(locals.weights(half), v128.loadBytes(get(locals.panel), 8 * half))),
};

type EachSum = (body: (vector: number, half: number) => Code) => Code;

/** Where a panel's results for a vector begin. */
const outOf = (vector: number): Code =>
  range(vector).reduce<Code>((address) => i32.add(address, get(at.outBytes)), get(locals.out));

/**
 * Adds the products of what follows in the panel and the vectors. It is one short loop, which V8 unrolls itself: what is written
 * out here, its scheduler reorders until nothing fits into registers. Nor are several panels multiplied at once: reading one
 * stream takes half the time of reading two.
 */
function addProducts(
  vectors: readonly number[],
  load: Code,
  weightBytes: number,
  end: number,
  sum: (weights: Code, element: Code, sum: Code) => Code,
): Code {
  return repeat(
    [
      ...load,
      ...vectors.flatMap((vector) => [
        ...set(locals.element(vector), v128.loadSplat(get(locals.x(vector)))),
        ...halves.flatMap((half) => {
          const to = locals.sum(vector, half);
          return set(to, sum(get(locals.weights(half)), get(locals.element(vector)), get(to)));
        }),
      ]),
      ...advance(locals.panel, weightBytes),
      ...vectors.flatMap((vector) => advance(locals.x(vector), 4)),
    ],
    i32.lessUnsigned(get(locals.x(0)), get(end)),
  );
}

function floatPanel(
  format: "float32" | "bfloat16",
  vectors: readonly number[],
  eachSum: EachSum,
  multiplyAdd: MultiplyAdd,
): Code {
  return [
    ...eachSum((...of) => set(locals.sum(...of), v128.zero)),
    ...addProducts(vectors, loadWeights[format], tileForms[format].tileBytes, at.xEnd, multiplyAdd),
    ...eachSum((vector, half) => v128.store(outOf(vector), get(locals.sum(vector, half)), 16 * half)),
  ];
}

/** Sums of 64 products of 8-bit weights and 16-bit integers stay far below 2^31. */
function intPanel(vectors: readonly number[], eachSum: EachSum): Code {
  const scaled = (vector: number, half: number): Code => {
    const scale = f32x4.mul(v128.load(get(locals.panel), 16 * half), v128.loadSplat(get(locals.x(vector))));
    const value = f32x4.mul(f32x4.ofInts(get(locals.sum(vector, half))), scale);
    return v128.store(outOf(vector), f32x4.add(v128.load(outOf(vector), 16 * half), value), 16 * half);
  };
  const addDot = (weights: Code, element: Code, sum: Code) => i32x4.add(sum, i32x4.dot(weights, element));
  const { tileBytes, vectorBytes } = tileForms.int8;
  const tile: Code = [
    ...eachSum((...of) => set(locals.sum(...of), v128.zero)),
    ...set(locals.tileEnd, i32.add(get(locals.x(0)), i32Const(scalesAt.vector))),
    ...addProducts(vectors, loadWeights.int8, 2 * panelRows, locals.tileEnd, addDot),
    ...eachSum(scaled),
    ...advance(locals.panel, tileBytes - scalesAt.weights),
    ...vectors.flatMap((vector) => advance(locals.x(vector), vectorBytes - scalesAt.vector)),
  ];
  return [
    ...eachSum((vector, half) => v128.store(outOf(vector), v128.zero, 16 * half)),
    ...repeat(tile, i32.lessUnsigned(get(locals.x(0)), get(at.xEnd))),
  ];
}

export function productName(format: WeightFormat, vectors: number): string {
  return `${format}_${vectors}`;
}

/** A vector's results have the same bits in products of any number of vectors. */
export function productFunction(
  format: WeightFormat,
  vectorCount: number,
  multiplyAdd: MultiplyAdd,
): WasmFunction {
  const { i32: int, v128: lanes } = type;
  const vectors = range(vectorCount);
  const eachSum: EachSum = (body) =>
    vectors.flatMap((vector) => halves.flatMap((half) => body(vector, half)));
  const panel: Code = [
    ...set(locals.panel, get(at.weights)),
    ...set(at.weights, i32.add(get(at.weights), get(at.panelBytes))),
    ...vectors.flatMap((vector) =>
      set(locals.x(vector), vector === 0 ? get(at.x) : i32.add(get(locals.x(vector - 1)), get(at.xBytes))),
    ),
    ...(format === "int8" ? intPanel(vectors, eachSum) : floatPanel(format, vectors, eachSum, multiplyAdd)),
    ...advance(locals.out, 4 * panelRows),
  ];
  return {
    name: productName(format, vectorCount),
    parameters: Array<typeof int>(8).fill(int),
    results: [],
    locals: [...Array<typeof int>(intLocals).fill(int), ...Array<typeof lanes>(vectorLocals).fill(lanes)],
    body: [
      ...set(locals.out, get(at.out)),
      ...set(locals.end, i32.add(get(at.out), i32.mul(get(at.panels), i32Const(4 * panelRows)))),
      ...during(i32.lessUnsigned(get(locals.out), get(locals.end)), panel),
    ],
  };
}

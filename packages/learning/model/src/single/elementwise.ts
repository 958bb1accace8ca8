import {
  type Code,
  f32,
  f32Const,
  f32Store,
  f32x4,
  foldLanes,
  get,
  i16x8,
  i32,
  i32Const,
  i32x4,
  repeat,
  set,
  type,
  v128,
  type WasmFunction,
} from "./assembler.js";
import { scalesAt, tileForms } from "./tiles.js";

/*
 * Passes over vectors. Addresses are in bytes, lengths are multiples of four float32 and not 0.
 */

/** out[i] = exp((x[i] − shift) · factor); returns their sum. An exponent below -87 gives 0, one above 88 e^88. */
export type Exponentials = (x: number, xEnd: number, out: number, shift: number, factor: number) => number;

/** Returns the largest number; NaN if one is. */
export type Largest = (x: number, xEnd: number) => number;

/** out[i] = x[i] · gains[i] / √(mean(x²) + epsilon). @param share 1 / the number of elements */
export type Normalize = (
  x: number,
  xEnd: number,
  gains: number,
  out: number,
  share: number,
  epsilon: number,
) => void;

/** Writes x · gains as the 16-bit integers of int8 products: relative to the largest of each 64. */
export type Quantize = (x: number, xEnd: number, gains: number, out: number) => void;

/** x[i] += y[i] */
export type Add = (x: number, xEnd: number, y: number) => void;

/** x[i] *= factor */
export type Scale = (x: number, xEnd: number, factor: number) => void;

/** gate[i] = gate[i] / (1 + e[i]) · up[i], where e are the exponentials of −gate. */
export type Gate = (gate: number, gateEnd: number, exponentials: number, up: number) => void;

const { i32: int, f32: float, v128: lanes } = type;

/** Runs `body` for each four elements, whose addresses are `pointers`; the first ends at the local `end`. */
function eachFour(pointers: readonly number[], end: number, body: Code): Code {
  return repeat(
    [...body, ...pointers.flatMap((pointer) => set(pointer, i32.add(get(pointer), i32Const(16))))],
    i32.lessUnsigned(get(pointers[0] as number), get(end)),
  );
}

/** From Cephes' expf: e^r on |r| ≤ ln 2 / 2, with a relative error of 2e-7. */
const polynomial = [1.9875691e-4, 1.3981999e-3, 8.3334519e-3, 4.1665796e-2, 1.6666665e-1, 0.5, 1, 1];
const [ln2High, ln2Low] = [0.693359375, -2.1219444e-4];
const smallestExponent = -87;
const largestExponent = 88;

function exponentials(): WasmFunction {
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
  ];
  return {
    name: "exponentials",
    parameters: [int, int, int, float, float],
    results: [float],
    locals: Array<typeof lanes>(5).fill(lanes),
    body: [...set(sum, v128.zero), ...eachFour([x, out], xEnd, step), ...foldLanes(sum, f32.add)],
  };
}

function largest(): WasmFunction {
  const [x, xEnd, found] = [0, 1, 2];
  return {
    name: "largest",
    parameters: [int, int],
    results: [float],
    locals: [lanes],
    body: [
      ...set(found, v128.load(get(x))),
      ...eachFour([x], xEnd, set(found, f32x4.max(get(found), v128.load(get(x))))),
      ...foldLanes(found, f32.max),
    ],
  };
}

function normalize(): WasmFunction {
  const [x, xEnd, gains, out, share, epsilon] = [0, 1, 2, 3, 4, 5];
  const [at, factor, sum] = [6, 7, 8];
  const loaded = v128.load(get(at));
  return {
    name: "normalize",
    parameters: [int, int, int, int, float, float],
    results: [],
    locals: [int, float, lanes],
    body: [
      ...set(at, get(x)),
      ...set(sum, v128.zero),
      ...eachFour([at], xEnd, set(sum, f32x4.add(get(sum), f32x4.mul(loaded, loaded)))),
      ...set(
        factor,
        f32.div(f32Const(1), f32.sqrt(f32.add(f32.mul(foldLanes(sum, f32.add), get(share)), get(epsilon)))),
      ),
      ...eachFour(
        [x, gains, out],
        xEnd,
        v128.store(
          get(out),
          f32x4.mul(f32x4.mul(v128.load(get(x)), v128.f32Splat(get(factor))), v128.load(get(gains))),
        ),
      ),
    ],
  };
}

const most16Bits = 32_767;

function quantize(): WasmFunction {
  const [x, xEnd, gains, out] = [0, 1, 2, 3];
  const [at, gainsAt, tileEnd, size, found] = [4, 5, 6, 7, 8];
  const { columns, vectorBytes } = tileForms.int8;
  const product = (from: number, by: number, offset = 0): Code =>
    f32x4.mul(v128.load(get(from), offset), v128.load(get(by), offset));
  const rounded = (offset: number): Code =>
    i32x4.truncated(
      // Infinite where all numbers are 0: zeros times it are NaN, which becomes 0.
      f32x4.nearest(
        f32x4.mul(product(x, gains, offset), v128.f32Splat(f32.div(f32Const(most16Bits), get(size)))),
      ),
    );
  const eight: Code = [
    ...v128.store(get(out), i16x8.narrow(rounded(0), rounded(16))),
    ...[x, gains].flatMap((pointer) => set(pointer, i32.add(get(pointer), i32Const(32)))),
    ...set(out, i32.add(get(out), i32Const(16))),
  ];
  const tile: Code = [
    ...set(at, get(x)),
    ...set(gainsAt, get(gains)),
    ...set(tileEnd, i32.add(get(x), i32Const(4 * columns))),
    ...set(found, v128.zero),
    // A NaN stays the largest and reaches the results through the scale.
    ...eachFour([at, gainsAt], tileEnd, set(found, f32x4.max(get(found), f32x4.abs(product(at, gainsAt))))),
    ...set(size, foldLanes(found, f32.max)),
    ...repeat(eight, i32.lessUnsigned(get(x), get(tileEnd))),
    ...f32Store(get(out), f32.mul(get(size), f32Const(1 / most16Bits))),
    ...set(out, i32.add(get(out), i32Const(vectorBytes - scalesAt.vector))),
  ];
  return {
    name: "quantize",
    parameters: [int, int, int, int],
    results: [],
    locals: [int, int, int, float, lanes],
    body: repeat(tile, i32.lessUnsigned(get(x), get(xEnd))),
  };
}

function add(): WasmFunction {
  const [x, xEnd, y] = [0, 1, 2];
  return {
    name: "add",
    parameters: [int, int, int],
    results: [],
    locals: [],
    body: eachFour([x, y], xEnd, v128.store(get(x), f32x4.add(v128.load(get(x)), v128.load(get(y))))),
  };
}

function scale(): WasmFunction {
  const [x, xEnd, factor] = [0, 1, 2];
  return {
    name: "scale",
    parameters: [int, int, float],
    results: [],
    locals: [],
    body: eachFour([x], xEnd, v128.store(get(x), f32x4.mul(v128.load(get(x)), v128.f32Splat(get(factor))))),
  };
}

function gate(): WasmFunction {
  const [x, xEnd, exponents, up] = [0, 1, 2, 3];
  const silu = f32x4.div(v128.load(get(x)), f32x4.add(v128.load(get(exponents)), v128.splat(1)));
  return {
    name: "gate",
    parameters: [int, int, int, int],
    results: [],
    locals: [],
    body: eachFour([x, exponents, up], xEnd, v128.store(get(x), f32x4.mul(silu, v128.load(get(up))))),
  };
}

export const elementwiseFunctions: readonly WasmFunction[] = [
  exponentials(),
  largest(),
  normalize(),
  quantize(),
  add(),
  scale(),
  gate(),
];

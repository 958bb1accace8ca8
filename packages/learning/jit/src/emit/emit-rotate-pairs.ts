import { DATA_TYPE } from "../base/tensorflow-binding.js";
import type { Operation } from "../trace/value.js";
import { typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";

/** TensorFlow's DataType number of a complex number of two float32. */
const COMPLEX64 = 8;

const FLOAT = typeOf(DATA_TYPE.float32);
const INT = typeOf(DATA_TYPE.int32);

/**
 * See rotate-pairs.ts. Two adjacent float32 are a complex number in memory, so a graph bitcasts them and multiplies; XLA
 * has no such bitcast and gets the four products.
 */
export function emitRotatePairs(emitter: Emitter, { inputs, outputs }: Operation): void {
  const [x, turns] = inputs;
  const [output] = outputs;
  if (x === undefined || turns === undefined || output === undefined) return;
  const paired = (reference: string, shape: readonly number[]): string =>
    reshaped(emitter, reference, [...shape.slice(0, -1), (shape.at(-1) ?? 0) / 2, 2]);
  const pairs = paired(emitter.reference(x), x.shape);
  const factors = paired(emitter.reference(turns), turns.shape);
  const products = emitter.program.xla
    ? byParts(emitter, pairs, factors)
    : asComplex(emitter, pairs, factors);
  emitter.bind(output, reshaped(emitter, products, x.shape));
}

function reshaped(emitter: Emitter, reference: string, shape: readonly number[]): string {
  return emitter.node("Reshape", [reference, emitter.int(shape)], { T: FLOAT, Tshape: INT });
}

function asComplex(emitter: Emitter, pairs: string, factors: string): string {
  const complex = typeOf(COMPLEX64);
  const read = (reference: string) => emitter.node("Bitcast", [reference], { T: FLOAT, type: complex });
  const product = emitter.node("Mul", [read(pairs), read(factors)], { T: complex }, { output: "z" });
  return emitter.node("Bitcast", [product], { T: complex, type: FLOAT });
}

function byParts(emitter: Emitter, pairs: string, factors: string): string {
  const last = emitter.int(-1);
  const sizes = emitter.int([1, 1]);
  const parts = (reference: string): [string, string] => {
    const attr = { T: FLOAT, Tlen: INT, num_split: { i: 2 } };
    const first = emitter.node("SplitV", [reference, sizes, last], attr);
    return [first, emitter.inFunction ? first.replace(/:0$/, ":1") : `${first}:1`];
  };
  const binary = (op: string, left: string, right: string) =>
    emitter.node(op, [left, right], { T: FLOAT }, { output: "z" });
  const [a, b] = parts(pairs);
  const [c, s] = parts(factors);
  const real = binary("Sub", binary("Mul", a, c), binary("Mul", b, s));
  const imaginary = binary("Add", binary("Mul", a, s), binary("Mul", b, c));
  return emitter.node("ConcatV2", [real, imaginary, last], { N: { i: 2 }, T: FLOAT, Tidx: INT });
}

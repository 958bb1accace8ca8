import { MULTIPLIERS, ROUNDS, SCRAMBLE_KEY, WEYL } from "../base/philox.js";
import { DATA_TYPE } from "../base/tensorflow-binding.js";
import type { Operation } from "../trace/value.js";
import { constant, shapeProto, typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";

/*
 * Uniform numbers that are the same in a graph, in a launch and on the host. XLA has Philox too, but it combines two int32
 * seeds into one 64-bit key where TensorFlow's kernels encrypt them first, and uses other bits of the result for a number. In a
 * launch the key is therefore computed by operations on a few numbers, and the result's bits are assembled here.
 */

const INT = typeOf(DATA_TYPE.int32);
const INT64 = 9;
const UINT64 = 23;
const LOW_WORD = 0xffffffffn;
/** TensorFlow's number of the algorithm Philox. */
const PHILOX = 1;

/** The lower 23 bits of a random integer are the mantissa of a number in [1, 2). */
const MANTISSA = 0x7fffff;
const EXPONENT_OF_ONE = 0x3f800000;

export function emitRandom(emitter: Emitter, { inputs, outputs }: Operation): void {
  const [shape, seed] = inputs;
  const [output] = outputs;
  if (shape === undefined || seed === undefined || output === undefined) return;
  const references = [emitter.reference(shape), emitter.reference(seed)] as const;
  if (!emitter.program.xla) {
    const attr = { dtype: typeOf(DATA_TYPE.float32), T: INT, Tseed: INT };
    emitter.bind(output, emitter.node("StatelessRandomUniform", references, attr));
    return;
  }
  const { key, counter } = scrambled(emitter, references[1]);
  const bits = emitter.node(
    "StatelessRandomUniformFullIntV2",
    [references[0], key, counter, emitter.int(PHILOX)],
    { dtype: INT, Tshape: INT },
  );
  const combine = (op: string, left: string, right: number): string =>
    emitter.node(op, [left, emitter.int(right)], { T: INT }, { output: "z" });
  const number = combine("BitwiseOr", combine("BitwiseAnd", bits, MANTISSA), EXPONENT_OF_ONE);
  const float = typeOf(DATA_TYPE.float32);
  const fromOne = emitter.node("Bitcast", [number], { T: INT, type: float });
  const one = emitter.node("Const", [], constant(DATA_TYPE.float32, [], [1]));
  emitter.bind(output, emitter.node("Sub", [fromOne, one], { T: float }, { output: "z" }));
}

/** Computes key [1] and counter [2], uint64, as TensorFlow's kernels do from two int32 seeds: one block of Philox over them. */
function scrambled(emitter: Emitter, seed: string): { readonly key: string; readonly counter: string } {
  const long = typeOf(UINT64);
  const binary = (op: string, a: string, b: string, T = long): string =>
    emitter.node(op, [a, b], { T }, { output: "z" });
  const number = (value: bigint, dtype = UINT64): string =>
    emitter.node("Const", [], {
      dtype: typeOf(dtype),
      value: {
        tensor: {
          dtype,
          tensorShape: shapeProto([1]),
          tensorContent: new Uint8Array(BigUint64Array.of(value).buffer),
        },
      },
    });
  const mask = number(LOW_WORD);
  const shift = number(32n);
  const low = (x: string): string => binary("BitwiseAnd", x, mask);
  const high = (x: string): string => binary("RightShift", x, shift);
  const xor = (...[first = "", ...rest]: string[]): string =>
    rest.reduce((all, next) => binary("BitwiseXor", all, next), first);
  // Both words of each sign-extended seed, as unsigned numbers.
  const signed = typeOf(INT64);
  const word = (at: number, isHigh: boolean): string => {
    const taken = emitter.node("Slice", [seed, emitter.int([at]), emitter.int([1])], { T: INT, Index: INT });
    const wide = emitter.node("Cast", [taken], { SrcT: INT, DstT: signed }, { output: "y" });
    const moved = isHigh ? binary("RightShift", wide, number(32n, INT64), signed) : wide;
    const cut = binary("BitwiseAnd", moved, number(LOW_WORD, INT64), signed);
    return emitter.node("Cast", [cut], { SrcT: signed, DstT: long }, { output: "y" });
  };
  let words = [word(0, false), word(0, true), word(1, false), word(1, true)] as const;
  const keys: [bigint, bigint] = [BigInt(SCRAMBLE_KEY[0]), BigInt(SCRAMBLE_KEY[1])];
  const factors = [number(BigInt(MULTIPLIERS[0])), number(BigInt(MULTIPLIERS[1]))] as const;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [c0, c1, c2, c3] = words;
    const a = binary("Mul", c0, factors[0]);
    const b = binary("Mul", c2, factors[1]);
    words = [xor(high(b), c1, number(keys[0])), low(b), xor(high(a), c3, number(keys[1])), low(a)];
    keys[0] = (keys[0] + BigInt(WEYL[0])) & LOW_WORD;
    keys[1] = (keys[1] + BigInt(WEYL[1])) & LOW_WORD;
  }
  const joined = (lower: string, upper: string): string =>
    binary("BitwiseOr", lower, binary("LeftShift", upper, shift));
  const upper = joined(words[2], words[3]);
  const counter = emitter.node("ConcatV2", [number(0n), upper, emitter.int(0)], {
    T: long,
    N: { i: 2 },
    Tidx: INT,
  });
  return { key: joined(words[0], words[1]), counter };
}

import { JitError } from "./error.js";
import { type StateSpec, sizeOf } from "./spec.js";

/* bfloat16 on the host: the upper halves of float32 numbers, as their bits. */

/** A matrix whose rows are multiplied by scales: values [rows, columns], scales [rows]; without scales, as it is. */
export interface HalfPart {
  readonly bits: Uint16Array;
  readonly scales?: Float32Array;
}

/** Some of an entry's values in bfloat16. */
export interface HalfPiece {
  readonly bits: Uint16Array;
  /** Whether none is infinite or NaN. */
  readonly isFinite: boolean;
}

/**
 * Rounds to nearest, ties to even, as TensorFlow does. Numbers beyond the largest bfloat16 become infinite.
 * @param halves has as many values
 */
export function roundToHalf(
  values: Float32Array,
  halves: Uint16Array = new Uint16Array(values.length),
): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    // A NaN's upper half alone could be the bits of an infinity.
    const isNotANumber = (word & 0x7fffffff) > 0x7f800000;
    halves[i] = isNotANumber ? 0x7fc0 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return halves;
}

/** @param into has as many values as there are bits */
export function widenHalf(
  bits: Uint16Array,
  into: Float32Array = new Float32Array(bits.length),
): Float32Array {
  const words = new Uint32Array(into.buffer, into.byteOffset, into.length);
  for (let i = 0; i < bits.length; i++) words[i] = (bits[i] as number) << 16;
  return into;
}

export function roundedPiece(values: Float32Array, take?: (values: number) => Uint16Array): HalfPiece {
  const bits = roundToHalf(values, take?.(values.length));
  return { bits, isFinite: bits.every((half) => (half & 0x7f80) !== 0x7f80) };
}

/** Returns the same bits as float32 values, two in each, which is how they pass through the addon. Their number is even. */
function asPairs(bits: Uint16Array): Float32Array {
  const aligned = bits.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bits : bits.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
}

/** Pairs that are copied to a device at once: 32 MiB, for which an event loop waits some milliseconds. */
const pairsAtOnce = 2 ** 23;

/** Cuts a number of pairs into pieces. @returns their sizes */
export function piecesOf(pairs: number): number[] {
  const count = Math.max(1, Math.ceil(pairs / pairsAtOnce));
  return Array.from({ length: count }, (_, piece) => Math.min(pairsAtOnce, pairs - piece * pairsAtOnce));
}

/** Sizes of the pieces in which an entry's bits are written, in float32 values; the first piece of joined matrices is their scales. */
export function pieceSizes({ shape, joined }: StateSpec): number[] {
  if (joined === undefined) return piecesOf(sizeOf(shape) / 2);
  const rows = shape[0] ?? 1;
  return [joined.length * rows, ...joined.flatMap((width) => piecesOf((rows * width) / 2))];
}

/** Returns for each step of `writeHalf` but the last the part whose bits it copies; one that copies scales comes before the parts. */
export function partsOfPieces(parts: readonly HalfPart[]): readonly (number | "scales")[] {
  const scales = parts.some((part) => part.scales !== undefined) ? (["scales"] as const) : [];
  return [...scales, ...parts.flatMap(({ bits }, part) => piecesOf(bits.length / 2).map(() => part))];
}

/** Returns these pieces of an entry; those of bits are views. */
export function* cutIntoPieces(parts: readonly HalfPart[]): Generator<Float32Array> {
  const scales = parts.flatMap(({ scales: own }) => (own === undefined ? [] : [own]));
  if (scales.length > 0) {
    const all = new Float32Array(scales.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const own of scales) {
      all.set(own, at);
      at += own.length;
    }
    yield all;
  }
  for (const { bits } of parts) {
    const pairs = asPairs(bits);
    let at = 0;
    for (const size of piecesOf(pairs.length)) {
      yield pairs.subarray(at, at + size);
      at += size;
    }
  }
}

/** @throws {JitError} INVALID_OPTIONS, SHAPE_MISMATCH */
export function checkHalf(name: string, spec: StateSpec, parts: readonly HalfPart[]): void {
  const { shape, asHalf, joined } = spec;
  if (asHalf === undefined || asHalf === "read")
    throw new JitError(
      "INVALID_OPTIONS",
      `state ${JSON.stringify(name)} cannot be written as bfloat16; specify it with asHalf "written"`,
    );
  const rows = shape[0] ?? 1;
  const wanted = joined === undefined ? [sizeOf(shape)] : joined.map((width) => rows * width);
  const fits =
    parts.length === wanted.length &&
    parts.every(({ bits, scales }, part) => {
      const wantedScales = joined === undefined ? undefined : rows;
      return bits.length === wanted[part] && scales?.length === wantedScales;
    });
  if (fits) return;
  const form = joined === undefined ? "" : ` with ${rows} scales each`;
  throw new JitError(
    "SHAPE_MISMATCH",
    `state ${JSON.stringify(name)} takes ${wanted.length} parts of ${wanted.join(", ")} values${form}, got ${parts.map(({ bits, scales }) => `${bits.length} values and ${scales?.length ?? "no"} scales`).join("; ")}`,
  );
}

/** Does on the host what the device does with parts of an entry. */
export function joinedOnHost({ shape, joined }: StateSpec, parts: readonly HalfPart[]): Float32Array {
  const whole = new Float32Array(sizeOf(shape));
  if (joined === undefined) {
    const [first] = parts;
    return first === undefined ? whole : widenHalf(first.bits, whole);
  }
  const [rows = 0, columns = 0] = shape;
  let left = 0;
  for (const { bits, scales } of parts) {
    const values = widenHalf(bits);
    const width = values.length / rows;
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < width; column++)
        whole[row * columns + left + column] =
          (values[row * width + column] as number) * (scales?.[row] ?? 1);
    left += width;
  }
  return whole;
}

/**
 * Sums of float32 and bfloat16 numbers on the host, in WebAssembly with 128-bit SIMD: JavaScript
 * takes 6 ns for each sum of two bfloat16 numbers, which would be slower than the network that they came over.
 */
import { simdModule } from "@palimpsest/std";

/** Values that are computed at once: sums are the first 64 KiB of WebAssembly's memory, what is added, or bits, the next 64 KiB. */
const blockValues = 16_384;
const bitsAt = 4 * blockValues;
/** bitsAt as an operand. */
const atBits = [0x80, 0x80, 4];

/** (func (param $end i32)): adds bits, widened to float32, to the float32 values up to the byte $end, a multiple of 16. */
const addBody = [
  ...[1, 1, 0x7f], // local $at i32
  ...[0x03, 0x40], // loop
  ...[0x20, 1, 0x20, 1, 0xfd, 0, 4, 0], //   $at, float32 at $at
  ...[0x20, 1, 0x41, 1, 0x76, 0xfd, 4, 3, ...atBits], //   four bits at bitsAt + $at / 2, each as 32-bit integer
  ...[0x41, 16, 0xfd, 0xab, 1, 0xfd, 0xe4, 1], //   shifted left by 16: float32; added
  ...[0xfd, 0x0b, 4, 0], //   store at $at
  ...[0x20, 1, 0x41, 16, 0x6a, 0x22, 1, 0x20, 0, 0x49, 0x0d, 0, 0x0b], //   again while ($at += 16) < $end
  0x0b,
];

/** (func (param $end i32)): adds float32 values, from bitsAt on, to those up to the byte $end, a multiple of 16. */
const addFloatsBody = [
  ...[1, 1, 0x7f, 0x03, 0x40], // local $at i32; loop
  ...[0x20, 1, 0x20, 1, 0xfd, 0, 4, 0, 0x20, 1, 0xfd, 0, 4, ...atBits, 0xfd, 0xe4, 1, 0xfd, 0x0b, 4, 0], //   sum at $at
  ...[0x20, 1, 0x41, 16, 0x6a, 0x22, 1, 0x20, 0, 0x49, 0x0d, 0, 0x0b], //   again while ($at += 16) < $end
  0x0b,
];

/** Rounds the four float32 values at $at + offset to nearest, ties to even; what is no number stays one. */
const rounded = (offset: number): number[] => [
  ...[0x20, 1, 0xfd, 0, 4, offset, 0x22, 2], // $a = float32 at $at + offset
  ...[0x41, 0xff, 0xff, 1, 0xfd, 0x11, 0xfd, 0xae, 1], // + 0x7fff
  ...[0x20, 2, 0x41, 16, 0xfd, 0xad, 1, 0x41, 1, 0xfd, 0x11, 0xfd, 0x4e, 0xfd, 0xae, 1], // + (($a >> 16) & 1)
  ...[0x41, 16, 0xfd, 0xad, 1], // >> 16
  ...[0x41, 0xc0, 0xff, 1, 0xfd, 0x11, 0x20, 2, 0x20, 2, 0xfd, 0x41, 0xfd, 0x52], // $a == $a ? that : 0x7fc0
];

/** (func (param $end i32)): rounds the float32 values up to the byte $end, a multiple of 32, to bits. */
const roundBody = [
  ...[2, 1, 0x7f, 1, 0x7b], // locals: $at i32, $a v128
  ...[0x03, 0x40], // loop
  ...[0x20, 1, 0x41, 1, 0x76, ...rounded(0), ...rounded(16), 0xfd, 0x86, 1], //   $at / 2, eight bits
  ...[0xfd, 0x0b, 4, ...atBits], //   store at bitsAt + $at / 2
  ...[0x20, 1, 0x41, 32, 0x6a, 0x22, 1, 0x20, 0, 0x49, 0x0d, 0, 0x0b], //   again while ($at += 32) < $end
  0x0b,
];

const open = simdModule({
  add: { parameters: 1, body: addBody },
  addFloats: { parameters: 1, body: addFloatsBody },
  round: { parameters: 1, body: roundBody },
});

interface Kernel {
  readonly floats: Float32Array;
  readonly bits: Uint16Array;
  readonly added: Float32Array;
  readonly add: (end: number) => void;
  readonly addFloats: (end: number) => void;
  readonly round: (end: number) => void;
}

let opened: Kernel | undefined;

function kernel(): Kernel {
  if (opened !== undefined) return opened;
  const { memory, functions } = open(2);
  opened = {
    floats: new Float32Array(memory, 0, blockValues),
    bits: new Uint16Array(memory, bitsAt, blockValues),
    added: new Float32Array(memory, bitsAt, blockValues),
    ...functions,
  };
  return opened;
}

/** What any number can be added to, and stays the same: 0 would take the sign of a −0. */
const nothing = -0;

/** Bytes of so many float32 values, up to the next multiple of 32. */
const endOf = (values: number) => (4 * values + 31) & ~31;

/** Adds the parts up from the first to the last in float32 and rounds the sums. @param into may be one of the parts */
export function sumHalves(parts: readonly Uint16Array[], into: Uint16Array): void {
  const { floats, bits, add, round } = kernel();
  for (let at = 0; at < into.length; at += blockValues) {
    const count = Math.min(blockValues, into.length - at);
    floats.fill(nothing, 0, endOf(count) / 4);
    for (const part of parts) {
      bits.set(part.subarray(at, at + count));
      add(endOf(count));
    }
    round(endOf(count));
    into.set(bits.subarray(0, count), at);
  }
}

/** Adds the parts up from the first to the last. @param into may be one of the parts */
export function sumFloats([first, ...others]: readonly Float32Array[], into: Float32Array): void {
  const { floats, added, addFloats } = kernel();
  for (let at = 0; first !== undefined && at < into.length; at += blockValues) {
    const count = Math.min(blockValues, into.length - at);
    floats.set(first.subarray(at, at + count));
    for (const part of others) {
      added.set(part.subarray(at, at + count));
      addFloats(endOf(count));
    }
    into.set(floats.subarray(0, count), at);
  }
}

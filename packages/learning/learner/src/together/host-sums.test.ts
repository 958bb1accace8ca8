import { roundToHalf, widenHalf } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { createRandom } from "../config/random.js";
import { sumFloats, sumHalves } from "./host-sums.js";

const random = createRandom(5);
/** Any bits, so that zeros, infinities and what is no number are among them. */
const anyBits = (count: number) => Uint16Array.from({ length: count }, () => random.below(2 ** 16));
const isNumber = (bits: number) => (bits & 0x7fff) <= 0x7f80;
/** What is no number has many bits, of which any will do. */
const sameBits = (got: Uint16Array, expected: Uint16Array) => {
  expect(got.length).toBe(expected.length);
  const at = got.findIndex((bits, i) => {
    const other = expected[i] as number;
    return isNumber(bits) !== isNumber(other) || (isNumber(bits) && bits !== other);
  });
  expect(at, `value ${at}: ${got[at]} instead of ${expected[at]}`).toBe(-1);
};

it.each([0, 1, 7, 8, 33, 16_384, 40_001])(
  "%i values are summed in the order of parts, rounded once, and widened",
  (count) => {
    for (const parts of [1, 2, 3, 5]) {
      const given = Array.from({ length: parts }, () => anyBits(count));
      const sums = widenHalf(given[0] as Uint16Array);
      for (const part of given.slice(1))
        widenHalf(part).forEach((value, i) => {
          sums[i] = (sums[i] as number) + value;
        });
      const floats = given.map((part) => widenHalf(part));
      const total = floats.at(-1) as Float32Array;
      sumFloats(floats, total);
      expect(total).toEqual(sums);
      const into = given.at(-1) as Uint16Array;
      sumHalves(given, into);
      sameBits(into, roundToHalf(sums));
    }
  },
);

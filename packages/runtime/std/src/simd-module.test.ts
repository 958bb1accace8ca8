import { expect, test } from "vitest";
import { simdModule } from "./simd-module.js";

/** Stores its second parameter as an integer at its first. */
const store = [0, 0x20, 0, 0x20, 1, 0x36, 2, 0, 0x0b];
/** Adds 1 to the integer at 0; longer than a size of one byte. */
const increase = [
  0,
  ...Array<number>(200).fill(0x01),
  0x41,
  0,
  0x41,
  0,
  0x28,
  2,
  0,
  0x41,
  1,
  0x6a,
  0x36,
  2,
  0,
  0x0b,
];

test("functions of several parameters work on the memory of their instance alone", () => {
  const open = simdModule({
    store: { parameters: 2, body: store },
    increase: { parameters: 0, body: increase },
  });
  const [one, other] = [open(1), open(2)];
  one.functions.store(0, 41);
  one.functions.increase();
  one.functions.store(8, 7);
  expect([...new Int32Array(one.memory, 0, 3)]).toEqual([42, 0, 7]);
  expect([...new Int32Array(other.memory, 0, 3)]).toEqual([0, 0, 0]);
  expect([one.memory.byteLength, other.memory.byteLength]).toEqual([65_536, 131_072]);
});

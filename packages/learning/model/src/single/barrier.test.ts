/** SINGLE-1: after a thread has waited in vain, no other passes a barrier. */
import { expect, test } from "vitest";
import { Barrier } from "./barrier.js";
import { SYNC } from "./layout.js";

test("a thread that comes too late is not paired with a later pass of the one that gave up", () => {
  const sync = new Int32Array(new SharedArrayBuffer(4 * SYNC.count));
  const [patient, late] = [new Barrier(sync, 2, 1), new Barrier(sync, 2, 1)];
  expect(() => patient.wait()).toThrow(/did not reach the barrier within 1 ms/);
  expect(patient.isBroken).toBe(true);
  expect(() => late.wait()).toThrow(/gave up waiting/);
  expect(() => patient.wait()).toThrow(/gave up waiting/);
});

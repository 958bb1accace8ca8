import { expect, test } from "vitest";
import { GpuSlots } from "./gpu-slots.js";

test("whole GPUs are leased to one actor each and come back (G1)", () => {
  const slots = new GpuSlots(2);
  const first = slots.lease(1);
  const second = slots.lease(1);
  expect([...(first?.indices ?? []), ...(second?.indices ?? [])].sort()).toEqual([0, 1]);
  if (first) slots.release(first);
  expect(slots.lease(1)?.indices).toEqual(first?.indices);
});

test("shares of one GPU are packed together, so that a whole one stays free (G2)", () => {
  const slots = new GpuSlots(2);
  const half = slots.lease(0.5);
  expect(slots.lease(0.5)?.indices).toEqual(half?.indices);
  expect(slots.lease(1)?.indices).not.toEqual(half?.indices);
});

test("an actor without GPUs sees none, and a machine without GPUs hides nothing", () => {
  expect(new GpuSlots(2).lease(0)?.indices).toEqual([]);
  expect(new GpuSlots(0).lease(0)).toBeUndefined();
});

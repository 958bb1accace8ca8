import { expect, it } from "vitest";
import { Backoff, jittered } from "./backoff.js";

it("waits twice as long each time, up to the limit, and begins anew after a success", () => {
  const waits = new Backoff({ firstMs: 10, longestMs: 40 });
  expect([1, 2, 3, 4].map(() => waits.next())).toEqual([10, 20, 40, 40]);
  waits.reset();
  expect(waits.next()).toBe(10);
});

it("shortens a delay by up to half", () => {
  expect([0, 0.5, 1].map((random) => jittered(100, random))).toEqual([50, 75, 100]);
});

import { expect, test } from "vitest";
import { sparkline } from "./sparkline.js";

test("a rising curve rises and never leaves the scale", () => {
  expect(sparkline([0, 0.5, 1], 10)).toBe("▁▅█");
  expect(sparkline([-5, 5], 10)).toBe("▁█");
});

test("more points than columns are averaged", () => {
  expect(sparkline([0, 0, 1, 1], 2)).toBe("▁█");
  expect(sparkline([], 5)).toBe("");
});

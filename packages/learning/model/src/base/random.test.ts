import { expect, it } from "vitest";
import { normalGenerator } from "./random.js";

it("the initial weights of a seed and a name are the same in every release", () => {
  const normal = normalGenerator(7, "x");
  expect([1, 2, 3].map(() => normal())).toEqual([0.15994107628937781, 1.082337127169985, 0.9568455999065404]);
});

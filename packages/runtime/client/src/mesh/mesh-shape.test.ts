import { expect, test } from "vitest";
import { checkShape, coordinatesOf, isWithin } from "./mesh-shape.js";

test("places run through the last dimension first, and a slice keeps their order", () => {
  const places = coordinatesOf({ node: 2, lane: 3 });
  expect(places).toEqual([
    { node: 0, lane: 0 },
    { node: 0, lane: 1 },
    { node: 0, lane: 2 },
    { node: 1, lane: 0 },
    { node: 1, lane: 1 },
    { node: 1, lane: 2 },
  ]);
  const chosen = (selection: Parameters<typeof isWithin>[1]) =>
    places.flatMap((at, index) => (isWithin(at, selection) ? [index] : []));
  expect(chosen({})).toEqual([0, 1, 2, 3, 4, 5]);
  expect(chosen({ node: 1 })).toEqual([3, 4, 5]);
  expect(chosen({ lane: [2, 0] })).toEqual([0, 2, 3, 5]);
  expect(chosen({ node: 0, lane: 1 })).toEqual([1]);
  expect(chosen({ rack: 0 })).toEqual([]);
});

test("a shape that cannot be is refused by its field", () => {
  const refused = (shape: Record<string, number>, options: Parameters<typeof checkShape>[1] = {}) =>
    expect(() => checkShape(shape, options));
  refused({}).toThrow("shape is {}");
  refused({ lane: 0 }).toThrow("shape.lane is 0");
  refused({ lane: 1.5 }).toThrow("shape.lane is 1.5");
  refused({ a: 1_000, b: 1_000 }).toThrow("1000000 members, more than 100000");
  refused({ lane: 2 }, { name: "x" }).toThrow('name is "x"');
  refused({ node: 2 }, { strategy: "spread" }).toThrow("shape.node chooses the nodes");
  expect(() => checkShape({ lane: 2 }, { strategy: "spread" })).not.toThrow();
});

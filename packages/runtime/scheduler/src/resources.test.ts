import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  fits,
  normalizeQuantities,
  quantitiesProblem,
  requestProblem,
  subtractQuantities,
} from "./resources.js";

const fraction = fc.integer({ min: 1, max: 100_000 }).map((steps) => steps / 10_000);

describe("quantities", () => {
  it("gives back exactly what was taken, whatever the fractions", () => {
    fc.assert(
      fc.property(fc.array(fraction, { maxLength: 30 }), (taken) => {
        const start = { cpu: 1_000, memory: 2 ** 42 };
        const used = taken.reduce(
          (left, cpu) => subtractQuantities(left, { cpu }),
          start as Record<string, number>,
        );
        const back = taken.reduce((left, cpu) => addQuantities(left, { cpu }), used);
        expect(back).toEqual(start);
      }),
    );
  });

  it("fits ten tenths into one", () => {
    let left: Readonly<Record<string, number>> = { cpu: 1 };
    for (let count = 0; count < 10; count++) {
      expect(fits(left, { cpu: 0.1 })).toBe(true);
      left = subtractQuantities(left, { cpu: 0.1 });
    }
    expect(fits(left, { cpu: 0.0001 })).toBe(false);
  });

  it("names the resource and the value that cannot be", () => {
    expect(quantitiesProblem({ cpu: -1 })).toContain("resource cpu is -1");
    expect(quantitiesProblem({ cpu: Number.NaN })).toContain("resource cpu is NaN");
    expect(quantitiesProblem({ cpu: 0.000_01 })).toContain("smallest fraction");
    expect(quantitiesProblem({ cpu: 0.5, memory: 1e12, custom: 0 })).toBeUndefined();
  });

  it("refuses a request of more than one gpu that is not whole", () => {
    expect(requestProblem({ gpu: 1.5 })).toBe(
      "resource gpu is 1.5: above one it must be a whole number of devices; request 1 or 2",
    );
    for (const gpu of [0, 0.5, 1, 2]) expect(requestProblem({ gpu, cpu: 1.5 })).toBeUndefined();
    expect(requestProblem({ gpu: -1 })).toContain("resource gpu is -1");
  });

  it("drops zero quantities and sorts names", () => {
    expect(Object.entries(normalizeQuantities({ gpu: 0, memory: 5, cpu: 0.25 }))).toEqual([
      ["cpu", 0.25],
      ["memory", 5],
    ]);
  });
});

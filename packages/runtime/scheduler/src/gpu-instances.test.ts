import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseGpus, giveBackGpus, gpusFit, takeGpus, wholeGpus } from "./gpu-instances.js";

const amount = fc.oneof(
  fc.integer({ min: 1, max: 9_999 }).map((steps) => steps / 10_000),
  fc.constantFrom(0.25, 0.5, 1, 2, 3),
);
type Step =
  | { readonly kind: "lease"; readonly amount: number }
  | { readonly kind: "end"; readonly which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("lease" as const), amount }),
  fc.record({ kind: fc.constant("end" as const), which: fc.nat(50) }),
);

describe("GPU instances", () => {
  it("never give a device away twice: fractions lie on one device, whole ones have theirs alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), fc.array(step, { maxLength: 60 }), (count, steps) => {
        let free = wholeGpus(count);
        const leases: { readonly ids: readonly number[]; readonly amount: number }[] = [];
        for (const taken of steps) {
          if (taken.kind === "end") {
            const [lease] = leases.splice(taken.which % Math.max(1, leases.length), 1);
            if (lease) free = giveBackGpus(free, lease.ids, lease.amount);
          } else {
            const ids = chooseGpus(free, taken.amount);
            expect(ids !== undefined).toBe(gpusFit(free, taken.amount));
            if (ids === undefined) continue;
            expect(new Set(ids).size).toBe(Math.max(1, taken.amount));
            leases.push({ ids, amount: taken.amount });
            free = takeGpus(free, ids, taken.amount);
          }
          for (let id = 0; id < count; id++) {
            const here = leases.filter((lease) => lease.ids.includes(id));
            // The sum is taken in steps of 1/10000, so that it is exact.
            const used = here.reduce((sum, lease) => sum + Math.round(Math.min(1, lease.amount) * 10_000), 0);
            expect(used).toBeLessThanOrEqual(10_000);
            if (here.some((lease) => lease.amount >= 1)) expect(here).toHaveLength(1);
            expect(free[id]).toBe((10_000 - used) / 10_000);
          }
        }
        for (const lease of leases) free = giveBackGpus(free, lease.ids, lease.amount);
        expect(free).toEqual(wholeGpus(count));
      }),
    );
  });

  it("keep halves together, so that a whole device stays free", () => {
    const afterHalf = takeGpus(wholeGpus(2), [0], 0.5);
    expect(chooseGpus(afterHalf, 0.5)).toEqual([0]);
    expect(chooseGpus(afterHalf, 1)).toEqual([1]);
  });

  it("refuse a whole device when two halves are free on different ones", () => {
    const free = takeGpus(takeGpus(wholeGpus(2), [0], 0.5), [1], 0.5);
    expect(chooseGpus(free, 1)).toBeUndefined();
    expect(chooseGpus(free, 0.5)).toEqual([0]);
  });
});

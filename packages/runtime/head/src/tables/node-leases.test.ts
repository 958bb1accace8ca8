import { addQuantities, fits, type Quantities } from "@palimpsest/scheduler";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NodeLeases } from "./node-leases.js";

const total: Quantities = { cpu: 8, gpu: 3 };
const amounts = fc.record({
  cpu: fc.constantFrom(0, 0.5, 1, 2),
  gpu: fc.constantFrom(0, 0, 0.25, 0.5, 1, 2),
});
const name = fc.constantFrom("a", "b", "c", "d", "e");
const step = fc.oneof(
  fc.record({ kind: fc.constant("bundle" as const), name, quantities: amounts }),
  fc.record({ kind: fc.constant("take" as const), name, within: name, quantities: amounts }),
  fc.record({ kind: fc.constant("giveBack" as const), name, bundle: fc.boolean() }),
  fc.record({ kind: fc.constant("register" as const) }),
);

describe("NodeLeases", () => {
  it("LEASES-1, LEASES-2: what is free is the total less what lies on it; bundles hold what was taken of them", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let leases = new NodeLeases(total);
        for (const taken of steps) {
          if (taken.kind === "register") leases = new NodeLeases(total, leases);
          else if (taken.kind === "giveBack") leases.giveBack((taken.bundle ? "bundle/" : "") + taken.name);
          else if (taken.kind === "bundle") {
            const { cpu, gpu } = taken.quantities;
            const ids = [...leases.gpus.keys()].filter((id) => (leases.gpus[id] ?? 0) >= Math.min(1, gpu));
            const room = fits(leases.available, { cpu }) && ids.length >= Math.ceil(gpu);
            const bundle = `bundle/${taken.name}`;
            if (room && !leases.names.includes(bundle))
              leases.takeBundle(bundle, taken.quantities, ids.slice(0, Math.ceil(gpu)));
          } else {
            const within = `bundle/${taken.within}`;
            const view = leases.bundleView(within);
            const have = view?.available ?? leases.available;
            const shares = view?.gpus ?? leases.gpus;
            const { gpu } = taken.quantities;
            const devices = shares.filter((share) => (gpu < 1 ? share >= gpu : share === 1)).length;
            const room = fits(have, taken.quantities) && (gpu === 0 || devices >= Math.ceil(gpu));
            if (!leases.names.includes(taken.name) && room) {
              const ids = leases.take(taken.name, taken.quantities, { within });
              expect(ids).toHaveLength(Math.ceil(gpu));
            }
          }
          check(leases);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("LEASES-2: processes within a bundle that is given back keep what they use", () => {
    const leases = new NodeLeases({ cpu: 4, gpu: 2 });
    leases.takeBundle("bundle", { cpu: 3, gpu: 1 }, [1]);
    expect(leases.take("x", { cpu: 1, gpu: 0.5 }, { within: "bundle" })).toEqual([1]);
    expect(leases.bundleView("bundle")).toMatchObject({ available: { cpu: 2, gpu: 0.5 }, leases: 1 });
    leases.giveBack("bundle");
    expect([leases.available, leases.gpus]).toEqual([{ cpu: 3, gpu: 1.5 }, [1, 0.5]]);
    leases.giveBack("x");
    expect([leases.available, leases.gpus]).toEqual([{ cpu: 4, gpu: 2 }, [1, 1]]);
  });
});

function check(leases: NodeLeases): void {
  let ofNode: Quantities = {};
  const shares = [1, 1, 1];
  const within = new Map<string, Quantities>();
  for (const [, lease] of leases.all()) {
    if (lease.within !== "") {
      within.set(lease.within, addQuantities(within.get(lease.within) ?? {}, lease.quantities));
      const bundle = leases.gpusOf(lease.within);
      expect(lease.gpuIds.every((id) => bundle.includes(id))).toBe(true);
      continue;
    }
    ofNode = addQuantities(ofNode, lease.quantities);
    for (const id of lease.gpuIds) shares[id] = (shares[id] ?? 0) - Math.min(1, lease.quantities["gpu"] ?? 0);
  }
  expect(addQuantities(leases.available, ofNode)).toEqual(total);
  expect(leases.gpus.map((share) => share.toFixed(4))).toEqual(shares.map((share) => share.toFixed(4)));
  for (const [name, taken] of within) {
    const view = leases.bundleView(name);
    expect(fits(view?.total ?? {}, taken)).toBe(true);
    expect(addQuantities(view?.available ?? {}, taken)).toEqual(view?.total);
  }
}

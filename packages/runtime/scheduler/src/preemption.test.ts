import { describe, expect, it } from "vitest";
import { noClaim } from "./claim.js";
import { choosePreemption, type Yielding } from "./preemption.js";
import { aNode } from "./testing/nodes.js";
import { plantedPreemptionBugs, runPreemption } from "./testing/preemptions.js";

const shares = { mayTake: () => false, score: () => 0 };

function lease(name: string, nodeId: string, over: Partial<Yielding> = {}): Yielding {
  const claim = { ...noClaim, priority: -1 };
  return { name, nodeId, claim, quantities: { cpu: 1 }, gpuIds: [], sinceMs: 0, ...over };
}

describe("preemption", () => {
  it("PREEMPT-1, PREEMPT-2: in no schedule does more end than must, nor what may take its place back", () => {
    for (let seed = 1; seed <= 500; seed++) expect(runPreemption(seed), `seed ${seed}`).toBeUndefined();
  });

  for (const [name, plant] of Object.entries(plantedPreemptionBugs))
    it(`schedules find a planted bug: ${name}`, () => {
      let found = false;
      for (let seed = 1; seed <= 2_000 && !found; seed++) found = runPreemption(seed, plant) !== undefined;
      expect(found).toBe(true);
    });

  it("of several nodes takes the one where the lowest priority and the fewest end, there the latest", () => {
    const nodes = ["a", "b"].map((nodeId) => aNode(nodeId, { total: { cpu: 2 }, available: {} }));
    const request = { resources: { cpu: 1 }, labels: {} };
    const low = { ...noClaim, priority: -5 };
    const leases = [
      lease("a1", "a"),
      lease("b1", "b", { claim: low }),
      lease("b2", "b", { claim: low, sinceMs: 1 }),
    ];
    const names = (resources: Yielding["quantities"]) =>
      choosePreemption(nodes, leases, { ...request, resources }, shares)?.victims.map(({ name }) => name);
    expect(names({ cpu: 1 })).toEqual(["b2"]);
    expect(names({ cpu: 2 })).toEqual(["b2", "b1"]);
    expect(names({ cpu: 3 })).toBeUndefined();
  });

  it("a request for a device needs one as a whole, and a request with labels a node that has them", () => {
    const total = { cpu: 4, gpu: 2 };
    const node = { ...aNode("g", { total, available: { cpu: 4, gpu: 1 } }), gpus: [0.5, 0.5] };
    const half = { quantities: { gpu: 0.5 } };
    const leases = [
      lease("x", "g", { ...half, gpuIds: [0] }),
      lease("y", "g", { ...half, gpuIds: [1], sinceMs: 1 }),
    ];
    const choose = (resources: Yielding["quantities"], labels = {}) =>
      choosePreemption([node], leases, { resources, labels }, shares)?.victims.map(({ name }) => name);
    expect(choose({ gpu: 1 })).toEqual(["y"]);
    expect(choose({ gpu: 2 })).toEqual(["y", "x"]);
    expect(choose({ gpu: 1 }, { zone: "z" })).toBeUndefined();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain } from "./explanation.js";
import { chooseGpus, gpusFit } from "./gpu-instances.js";
import { place } from "./placement.js";
import { addQuantities, fits, type Quantities } from "./resources.js";
import { aNode, leased } from "./testing/nodes.js";

const quantity = fc.integer({ min: 0, max: 80_000 }).map((steps) => steps / 10_000);
const gpu = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 1, max: 9 }).map((tenths) => tenths / 10),
);
const quantities: fc.Arbitrary<Quantities> = fc.record(
  { cpu: quantity, gpu, memory: fc.integer({ min: 0, max: 2 ** 41 }), tpu: quantity },
  { requiredKeys: [] },
);
const labels = fc.record(
  { zone: fc.constantFrom("a", "b"), disk: fc.constantFrom("ssd") },
  { requiredKeys: [] },
);
const cluster = fc
  .array(fc.record({ total: quantities, labels }), { maxLength: 6 })
  .map((rows) => rows.map((row, index) => aNode(`node-${index}`, row)));
const request = fc.record({ resources: quantities, labels });

describe("place", () => {
  it("PLACE-1, PLACE-2: never overcommits a node and finds a place whenever one exists, over any sequence of requests", () => {
    fc.assert(
      fc.property(cluster, fc.array(request, { maxLength: 20 }), (start, requests) => {
        let nodes = start;
        const taken = new Map<string, Quantities[]>();
        for (const asked of requests) {
          const answer = place(nodes, asked);
          const possible = nodes.filter(
            (node) =>
              fits(node.available, asked.resources) &&
              gpusFit(node.gpus, asked.resources["gpu"] ?? 0) &&
              Object.entries(asked.labels).every(([name, value]) => node.labels[name] === value),
          );
          expect(answer !== undefined).toBe(possible.length > 0);
          if (answer === undefined) continue;
          const chosen = possible.find((node) => node.nodeId === answer);
          expect(chosen && chooseGpus(chosen.gpus, asked.resources["gpu"] ?? 0)).toBeDefined();
          taken.set(answer, [...(taken.get(answer) ?? []), asked.resources]);
          nodes = nodes.map((node) => (node.nodeId === answer ? leased(node, asked.resources) : node));
        }
        for (const node of start) {
          const sum = (taken.get(node.nodeId) ?? []).reduce(addQuantities, {});
          expect(fits(node.total, sum)).toBe(true);
        }
      }),
    );
  });

  it("PLACE-3: the order of the nodes does not matter", () => {
    fc.assert(
      fc.property(cluster, request, (nodes, asked) => {
        expect(place([...nodes].reverse(), asked)).toEqual(place(nodes, asked));
      }),
    );
  });

  it("packs a node to half of its capacity, then spreads", () => {
    const requestOne = { resources: { cpu: 1 }, labels: {} };
    let nodes = [aNode("a"), aNode("b")];
    const chosen: string[] = [];
    for (let count = 0; count < 8; count++) {
      const answer = place(nodes, requestOne);
      chosen.push(answer ?? "nowhere");
      nodes = nodes.map((node) => (node.nodeId === answer ? leased(node, { cpu: 1 }) : node));
    }
    expect(chosen.join("")).toBe("aabbabab");
  });

  it("keeps requests without a gpu away from gpu nodes while another node can take them", () => {
    const nodes = [aNode("gpu", { total: { cpu: 8, gpu: 1 } }), aNode("plain", { total: { cpu: 1 } })];
    expect(place(nodes, { resources: { cpu: 1 }, labels: {} })).toBe("plain");
    expect(place(nodes, { resources: { cpu: 2 }, labels: {} })).toBe("gpu");
  });

  it("spreads requests that ask for nothing by the number of leases", () => {
    const nodes = [aNode("a", { leases: 3 }), aNode("b", { leases: 1 })];
    expect(place(nodes, { resources: {}, labels: {} })).toBe("b");
  });
});

describe("explain", () => {
  it("counts nodes by cause and names the nearest with what it lacks, resources and labels", () => {
    const nodes = [
      ...Array.from({ length: 8 }, (_, index) => aNode(`plain-${index}`, { total: { cpu: 4 } })),
      aNode("gpu-1", { total: { cpu: 4, gpu: 8 }, available: { cpu: 4, gpu: 1 } }),
      aNode("gpu-2", { total: { cpu: 4, gpu: 8 }, available: { cpu: 4, gpu: 2 } }),
    ];
    expect(explain(nodes, { resources: { gpu: 4 }, labels: {} })).toBe(
      "needs 4 gpu: 8 nodes without gpu, 2 nodes with too little gpu free; nearest is gpu-2 has 2 of 8 gpu",
    );
    expect(explain(nodes.slice(0, 2), { resources: { cpu: 8 }, labels: { zone: "a" } })).toBe(
      "needs 8 cpu, label zone=a: 2 nodes without label zone=a; nearest is plain-0 lacks label zone=a and has 4 of 4 cpu",
    );
    expect(explain([], { resources: {}, labels: {} })).toContain("palimpsest worker join");
  });

  it("says when gpus are free in parts only", () => {
    const node = leased(leased(aNode("n", { total: { gpu: 2 } }), { gpu: 0.6 }), { gpu: 0.6 });
    expect(explain([node], { resources: { gpu: 0.5 }, labels: {} })).toBe(
      "needs 0.5 gpu: n has its free gpu in parts (0.4, 0.4)",
    );
  });

  it("is as long for a thousand nodes as for ten", () => {
    const sentence = (count: number) =>
      explain(
        Array.from({ length: count }, (_, index) => aNode(`node-${1000 + index}`, { total: { cpu: 1 } })),
        { resources: { cpu: 2 }, labels: {} },
      );
    expect(sentence(1_000).length).toBeLessThanOrEqual(sentence(10).length + 2);
  });
});

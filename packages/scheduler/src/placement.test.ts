import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NodeView, place } from "./placement.js";
import { addQuantities, fits, type Quantities, subtractQuantities } from "./resources.js";

function aNode(nodeId: string, over: Partial<NodeView> = {}): NodeView {
  const total = over.total ?? { cpu: 4 };
  return { nodeId, total, available: over.available ?? total, labels: {}, leases: 0, ...over };
}

const quantity = fc.integer({ min: 0, max: 80_000 }).map((steps) => steps / 10_000);
const quantities: fc.Arbitrary<Quantities> = fc.record(
  { cpu: quantity, gpu: quantity, memory: fc.integer({ min: 0, max: 2 ** 41 }), tpu: quantity },
  { requiredKeys: [] },
);
const labels = fc.record(
  { zone: fc.constantFrom("a", "b"), disk: fc.constantFrom("ssd") },
  { requiredKeys: [] },
);
const cluster: fc.Arbitrary<NodeView[]> = fc
  .array(fc.record({ total: quantities, labels }), { maxLength: 6 })
  .map((rows) => rows.map((row, index) => aNode(`node-${index}`, { ...row, available: row.total })));
const request = fc.record({ resources: quantities, labels });

describe("place", () => {
  it("P1, P2: never overcommits a node and finds a place whenever one exists, over any sequence of requests", () => {
    fc.assert(
      fc.property(cluster, fc.array(request, { maxLength: 20 }), (start, requests) => {
        let nodes = start;
        const taken = new Map<string, Quantities[]>();
        for (const asked of requests) {
          const answer = place(nodes, asked);
          const possible = nodes.filter(
            (node) =>
              fits(node.available, asked.resources) &&
              Object.entries(asked.labels).every(([name, value]) => node.labels[name] === value),
          );
          expect(answer.placed).toBe(possible.length > 0);
          if (!answer.placed) continue;
          expect(possible.map((node) => node.nodeId)).toContain(answer.nodeId);
          taken.set(answer.nodeId, [...(taken.get(answer.nodeId) ?? []), asked.resources]);
          nodes = nodes.map((node) =>
            node.nodeId === answer.nodeId
              ? {
                  ...node,
                  leases: node.leases + 1,
                  available: subtractQuantities(node.available, asked.resources),
                }
              : node,
          );
        }
        for (const node of start) {
          const sum = (taken.get(node.nodeId) ?? []).reduce(addQuantities, {});
          expect(fits(node.total, sum)).toBe(true);
        }
      }),
    );
  });

  it("P3: a refusal names every node", () => {
    fc.assert(
      fc.property(cluster, request, (nodes, asked) => {
        const answer = place(nodes, asked);
        if (answer.placed) return;
        for (const node of nodes) expect(answer.reason).toContain(node.nodeId);
      }),
    );
  });

  it("P4: the order of the nodes does not matter", () => {
    fc.assert(
      fc.property(cluster, request, (nodes, asked) => {
        expect(place([...nodes].reverse(), asked)).toEqual(place(nodes, asked));
      }),
    );
  });

  it("says what each node lacks, resources and labels", () => {
    const nodes = [
      aNode("node-1", { total: { cpu: 2 }, available: { cpu: 0.5 } }),
      aNode("node-2", { total: { cpu: 4 }, available: { cpu: 4 }, labels: { zone: "b" } }),
    ];
    expect(place(nodes, { resources: { cpu: 1, gpu: 1 }, labels: { zone: "a" } })).toEqual({
      placed: false,
      feasible: false,
      reason:
        "needs 1 cpu, 1 gpu, label zone=a: node-1 lacks label zone=a and has 0.5 of 2 cpu and has no gpu; " +
        "node-2 lacks label zone=a and has no gpu",
    });
  });

  it("tells a full cluster from one that can never hold the request", () => {
    const full = [aNode("n", { total: { cpu: 2 }, available: { cpu: 0 } })];
    expect(place(full, { resources: { cpu: 2 }, labels: {} })).toMatchObject({ feasible: true });
    expect(place(full, { resources: { cpu: 3 }, labels: {} })).toMatchObject({ feasible: false });
    expect(place([], { resources: {}, labels: {} })).toMatchObject({
      reason: expect.stringContaining("palimpsest worker join"),
    });
  });

  it("packs a node to half of its capacity, then spreads", () => {
    const requestOne = { resources: { cpu: 1 }, labels: {} };
    let nodes = [aNode("a"), aNode("b")];
    const chosen: string[] = [];
    for (let count = 0; count < 8; count++) {
      const answer = place(nodes, requestOne);
      if (!answer.placed) throw new Error(answer.reason);
      chosen.push(answer.nodeId);
      nodes = nodes.map((node) =>
        node.nodeId === answer.nodeId
          ? { ...node, leases: node.leases + 1, available: subtractQuantities(node.available, { cpu: 1 }) }
          : node,
      );
    }
    expect(chosen.join("")).toBe("aabbabab");
  });

  it("keeps requests without a gpu away from gpu nodes while another node can take them", () => {
    const nodes = [aNode("gpu", { total: { cpu: 8, gpu: 1 } }), aNode("plain", { total: { cpu: 1 } })];
    expect(place(nodes, { resources: { cpu: 1 }, labels: {} })).toMatchObject({ nodeId: "plain" });
    expect(place(nodes, { resources: { cpu: 2 }, labels: {} })).toMatchObject({ nodeId: "gpu" });
  });

  it("spreads requests that ask for nothing by the number of leases", () => {
    const nodes = [aNode("a", { leases: 3 }), aNode("b", { leases: 1 })];
    expect(place(nodes, { resources: {}, labels: {} })).toMatchObject({ nodeId: "b" });
  });
});

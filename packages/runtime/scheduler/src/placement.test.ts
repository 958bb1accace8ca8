import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain } from "./explanation.js";
import { chooseGpus, gpusFit } from "./gpu-instances.js";
import type { LabelCondition, Labels } from "./label-conditions.js";
import { type PlacementRequest, place, type Strategy } from "./placement.js";
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
const conditions: fc.Arbitrary<LabelCondition[]> = fc.array(
  fc.oneof(
    fc.record({
      name: fc.constantFrom("zone", "disk"),
      operator: fc.constantFrom("in", "not in"),
      values: fc.uniqueArray(fc.constantFrom("a", "b", "ssd"), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      name: fc.constantFrom("zone", "disk"),
      operator: fc.constantFrom("exists", "not exists"),
      values: fc.constant([]),
    }),
  ),
  { maxLength: 2 },
);
const onNode = (nodeId: string, soft: boolean): Strategy => ({ kind: "node", nodeId, soft });
const strategy: fc.Arbitrary<Strategy> = fc.oneof(
  fc.constantFrom<Strategy>({ kind: "pack" }, { kind: "spread" }),
  fc.tuple(fc.constantFrom("node-0", "node-1", "node-9"), fc.boolean()).map(([id, soft]) => onNode(id, soft)),
);
const request: fc.Arbitrary<PlacementRequest> = fc.record({
  resources: quantities,
  labels,
  conditions,
  strategy,
});
const asks = (resources: Quantities): PlacementRequest => ({ resources, labels: {} });

/** States the meaning of the conditions a second time, independently. */
function meetsAll(own: Labels, all: readonly LabelCondition[]): boolean {
  return all.every(({ name, operator, values }) => {
    const value = own[name];
    const among = value !== undefined && values.includes(value);
    return {
      in: among,
      "not in": !among,
      exists: value !== undefined,
      "not exists": value === undefined,
    }[operator];
  });
}

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
              Object.entries(asked.labels).every(([name, value]) => node.labels[name] === value) &&
              meetsAll(node.labels, asked.conditions ?? []) &&
              (asked.strategy?.kind !== "node" ||
                asked.strategy.soft ||
                asked.strategy.nodeId === node.nodeId),
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

  it("spreads what is to be spread, over nodes with gpus too", () => {
    let nodes = [aNode("a"), aNode("gpu", { total: { cpu: 4, gpu: 1 } }), aNode("c")];
    const chosen: string[] = [];
    for (let count = 0; count < 6; count++) {
      const answer = place(nodes, { ...asks({ cpu: 1 }), strategy: { kind: "spread" } }) ?? "nowhere";
      chosen.push(answer);
      nodes = nodes.map((node) => (node.nodeId === answer ? leased(node, { cpu: 1 }) : node));
    }
    expect(chosen.join(" ")).toBe("a c gpu a c gpu");
  });

  it("places a bound request on its node or nowhere, a softly bound one elsewhere while that is full", () => {
    const nodes = [aNode("a"), aNode("b", { available: { cpu: 1 } })];
    const on = (nodeId: string, cpu: number, soft: boolean) =>
      place(nodes, { ...asks({ cpu }), strategy: onNode(nodeId, soft) });
    expect([on("b", 1, false), on("b", 2, false), on("c", 1, false)]).toEqual(["b", undefined, undefined]);
    expect([on("b", 1, true), on("b", 2, true), on("c", 1, true)]).toEqual(["b", "a", "a"]);
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
      "needs 8 cpu, label zone=a: no node has label zone=a, 2 nodes too small in cpu; nearest is plain-0 lacks label zone=a and has 4 of 4 cpu",
    );
    expect(explain([], { resources: {}, labels: {} })).toContain("palimpsest worker join");
  });

  it("names each condition that no node meets, and counts the others", () => {
    const nodes = [aNode("a", { labels: { zone: "x", spot: "" } }), aNode("b", { labels: { spot: "" } })];
    const conditions: LabelCondition[] = [
      { name: "zone", operator: "in", values: ["y", "z"] },
      { name: "zone", operator: "exists", values: [] },
      { name: "spot", operator: "not exists", values: [] },
    ];
    expect(explain(nodes, { resources: {}, labels: {}, conditions })).toBe(
      "needs label zone in (y, z), a label zone, no label spot: no node has label zone in (y, z), " +
        "no node is without a label spot, 1 node without a label zone; " +
        "nearest is a lacks label zone in (y, z) and has label spot=",
    );
  });

  it("says of a bound request what its node lacks, or that it is not there", () => {
    const nodes = [aNode("a"), aNode("b", { available: { cpu: 1 } })];
    const bound = (nodeId: string) =>
      explain(nodes, { ...asks({ cpu: 2 }), strategy: onNode(nodeId, false) });
    expect(bound("b")).toBe("needs node b, 2 cpu: b has 1 of 4 cpu");
    expect(bound("c")).toBe("needs node c, 2 cpu: no node c is alive");
  });

  it("says when gpus are free in parts only", () => {
    const node = leased(leased(aNode("n", { total: { gpu: 2 } }), { gpu: 0.6 }), { gpu: 0.6 });
    expect(explain([node], { resources: { gpu: 0.5 }, labels: {} })).toBe(
      "needs 0.5 gpu: n has only fractions of its GPUs free (0.4, 0.4)",
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

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../test/support/processor-time.js";
import { explainBundles } from "./bundle-explanation.js";
import { type BundlePlace, type GroupRequest, groupStrategies, placeBundles } from "./bundle-placement.js";
import { takeGpus } from "./gpu-instances.js";
import { hasRoom, type NodeView, type PlacementRequest } from "./placement.js";
import { type Quantities, subtractQuantities } from "./resources.js";
import { aNode } from "./testing/nodes.js";

const asks = (resources: Quantities, labels = {}): PlacementRequest => ({ resources, labels });
const amount = fc.constantFrom(0, 0.25, 0.3, 0.5, 0.7, 1, 1.5, 2);
const gpu = fc.constantFrom(0, 0, 0.3, 0.5, 0.7, 1, 2);
const label = fc.constantFrom<Record<string, string>>({}, {}, { zone: "a" });

const node = fc.record({
  total: fc.record({ cpu: fc.constantFrom(0, 1, 2, 3), gpu: fc.nat(2) }),
  labels: fc.constantFrom<Record<string, string>>({ zone: "a" }, { zone: "b" }),
  leases: fc.nat(3),
});
const cluster = fc
  .array(node, { maxLength: 4 })
  .map((rows) => rows.map((row, index) => aNode(`n${index}`, row)));
const bundle = fc.record({ resources: fc.record({ cpu: amount, gpu }), labels: label });
const group: fc.Arbitrary<GroupRequest> = fc.record({
  strategy: fc.constantFrom(...groupStrategies),
  bundles: fc.array(bundle, { minLength: 1, maxLength: 4 }),
});

function after(view: NodeView, { resources }: PlacementRequest, gpuIds: readonly number[]): NodeView {
  return {
    ...view,
    available: subtractQuantities(view.available, resources),
    gpus: takeGpus(view.gpus, gpuIds, resources["gpu"] ?? 0),
  };
}

/** Decides by trying every assignment whether any assignment of nodes and devices exists. */
function exists(nodes: readonly NodeView[], { strategy, bundles, placed }: GroupRequest): boolean {
  const start = bundles.map((_, index) => placed?.get(index));
  const choose = (
    index: number,
    views: readonly NodeView[],
    chosen: readonly (string | undefined)[],
  ): boolean => {
    if (index === bundles.length) {
      const distinct = new Set(chosen).size;
      if (strategy === "STRICT_PACK") return distinct === 1;
      return strategy !== "STRICT_SPREAD" || distinct === bundles.length;
    }
    const request = bundles[index];
    if (request === undefined || chosen[index] !== undefined) return choose(index + 1, views, chosen);
    const need = request.resources["gpu"] ?? 0;
    return views.some((view, at) => {
      if (!hasRoom(view, request)) return false;
      return subsets(view.gpus, need).some((gpuIds) =>
        choose(
          index + 1,
          views.map((one, position) => (position === at ? after(view, request, gpuIds) : one)),
          chosen.map((one, position) => (position === index ? view.nodeId : one)),
        ),
      );
    });
  };
  return choose(0, nodes, start);
}

/** Returns every set of devices that a request could get. */
function subsets(gpus: readonly number[], need: number): number[][] {
  if (need === 0) return [[]];
  const free = [...gpus.keys()].filter((id) => (need < 1 ? (gpus[id] ?? 0) >= need : gpus[id] === 1));
  if (need <= 1) return free.map((id) => [id]);
  return free.flatMap((a, at) => free.slice(at + 1).map((b) => [a, b]));
}

/** Applies what was chosen and returns what is wrong with it. */
function problemsOf(
  nodes: readonly NodeView[],
  { strategy, bundles, placed = new Map() }: GroupRequest,
  plan: ReadonlyMap<number, BundlePlace>,
): string[] {
  const problems: string[] = [];
  const views = new Map(nodes.map((view) => [view.nodeId, view]));
  for (const [index, { nodeId, gpuIds }] of plan) {
    const view = views.get(nodeId);
    const request = bundles[index];
    if (view === undefined || request === undefined || placed.has(index))
      return [`bundle ${index} of nothing`];
    if (!hasRoom(view, request)) problems.push(`bundle ${index} has no room on ${nodeId}`);
    const need = request.resources["gpu"] ?? 0;
    if (gpuIds.length !== Math.ceil(need)) problems.push(`bundle ${index} has ${gpuIds.length} gpus`);
    const next = after(view, request, gpuIds);
    if (next.gpus.some((share) => share < 0)) problems.push(`a gpu of ${nodeId} is leased twice`);
    views.set(nodeId, next);
  }
  if (plan.size + placed.size !== bundles.length) problems.push("not all bundles were placed");
  const all = [...plan.values()].map(({ nodeId }) => nodeId).concat([...placed.values()]);
  if (strategy === "STRICT_PACK" && new Set(all).size > 1) problems.push("STRICT_PACK on several nodes");
  if (strategy === "STRICT_SPREAD" && new Set(all).size < all.length)
    problems.push("STRICT_SPREAD shares a node");
  return problems;
}

describe("placeBundles", () => {
  it("BUNDLES-1, BUNDLES-2, BUNDLES-3: what it chooses fits, strict strategies hold, and it finds a choice exactly when there is one", () => {
    fc.assert(
      fc.property(cluster, group, (nodes, asked) => {
        const plan = placeBundles(nodes, asked);
        if (plan !== undefined) expect(problemsOf(nodes, asked, plan)).toEqual([]);
        expect(plan !== undefined).toBe(exists(nodes, asked));
      }),
      { numRuns: 2_000 },
    );
  });

  it("BUNDLES-2, BUNDLES-3: bundles that have their nodes stay, and count for the strategy", () => {
    fc.assert(
      fc.property(cluster, group, fc.nat(4), (nodes, whole, lost) => {
        const first = placeBundles(nodes, whole);
        if (first === undefined) return;
        // One node has gone with its bundles; those on the other nodes are still there.
        const gone = nodes[lost]?.nodeId;
        let left = nodes.filter(({ nodeId }) => nodeId !== gone);
        const placed = new Map<number, string>();
        for (const [index, { nodeId, gpuIds }] of first) {
          const request = whole.bundles[index];
          if (nodeId === gone || request === undefined) continue;
          placed.set(index, nodeId);
          left = left.map((view) => (view.nodeId === nodeId ? after(view, request, gpuIds) : view));
        }
        const asked = { ...whole, placed };
        const plan = placeBundles(left, asked);
        if (plan !== undefined) expect(problemsOf(left, asked, plan)).toEqual([]);
        expect(plan !== undefined).toBe(exists(left, asked));
      }),
      { numRuns: 1_000 },
    );
  });

  it("BUNDLES-4: the order of the nodes does not matter", () => {
    fc.assert(
      fc.property(cluster, group, (nodes, asked) => {
        expect(placeBundles([...nodes].reverse(), asked)).toEqual(placeBundles(nodes, asked));
      }),
    );
  });

  it("packs onto one node where it can, else onto few, and spreads over as many as there are", () => {
    const nodes = ["a", "b", "c"].map((nodeId) => aNode(nodeId));
    const two = [asks({ cpu: 2 }), asks({ cpu: 2 })];
    const nodesOf = (strategy: GroupRequest["strategy"], bundles: readonly PlacementRequest[]) =>
      [...(placeBundles(nodes, { strategy, bundles })?.values() ?? [])]
        .map(({ nodeId }) => nodeId)
        .sort()
        .join("");
    expect(nodesOf("PACK", two)).toBe("aa");
    expect(nodesOf("PACK", [...two, ...two])).toBe("aabb");
    expect(nodesOf("SPREAD", two)).toBe("ab");
    expect(nodesOf("SPREAD", [...two, ...two])).toBe("aabc");
  });

  it("ends for the largest group on a thousand nodes, also where there is no room", () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) =>
      aNode(`n${index}`, { total: { cpu: 4, gpu: 1 } }),
    );
    const started = processorMs();
    const bundles = Array.from({ length: 256 }, () => asks({ cpu: 3, gpu: 0.5 }));
    for (const strategy of groupStrategies) placeBundles(nodes, { strategy, bundles });
    placeBundles(nodes.slice(0, 200), { strategy: "PACK", bundles });
    expect(processorMs() - started).toBeLessThan(30_000);
  });
});

describe("explainBundles", () => {
  const nodes = [aNode("a"), aNode("b", { available: { cpu: 1 } })];
  const why = (strategy: GroupRequest["strategy"], bundles: readonly PlacementRequest[]) =>
    explainBundles(nodes, { strategy, bundles });

  it("names the bundle that fits nowhere, or what keeps them from fitting together", () => {
    expect(why("PACK", [asks({ cpu: 1 }), asks({ gpu: 1 })])).toBe(
      "bundle 1 needs 1 gpu: 2 nodes without gpu; nearest is a has no gpu",
    );
    expect(why("STRICT_SPREAD", [asks({ cpu: 2 }), asks({ cpu: 2 })])).toBe(
      "STRICT_SPREAD needs a node for each of 2 bundles, and only 1 could get one now",
    );
    expect(why("STRICT_PACK", [asks({ cpu: 3 }), asks({ cpu: 3 })])).toBe(
      "STRICT_PACK needs 2 bundles on one node: needs 6 cpu: 2 nodes too small in cpu; nearest is a has 4 of 4 cpu",
    );
    expect(why("PACK", [asks({ cpu: 3 }), asks({ cpu: 3 })])).toBe(
      "each bundle has room somewhere, but the 2 of them do not fit together: they need 6 cpu",
    );
  });
});

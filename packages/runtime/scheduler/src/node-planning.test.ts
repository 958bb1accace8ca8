import fc from "fast-check";
import { expect, it } from "vitest";
import { placeBundles } from "./bundle-placement.js";
import { emptyNode, type NodeType, type PendingDemand, planNodes } from "./node-planning.js";
import { hasRoom, type NodeView, type PlacementRequest } from "./placement.js";
import { fits, type Quantities } from "./resources.js";
import { aNode } from "./testing/nodes.js";

const asks = (resources: Quantities, labels = {}): PlacementRequest => ({ resources, labels });
const aType = (name: string, over: Partial<NodeType> = {}): NodeType => ({
  ...{ name, resources: { cpu: 4 }, labels: {}, minNodes: 0, maxNodes: 10 },
  ...over,
});
const waits = (...requests: [PlacementRequest, number][]): PendingDemand => ({
  requests: requests.map(([request, count]) => ({ request, count })),
  groups: [],
});
const launched = (types: readonly NodeType[], demand: PendingDemand, views: readonly NodeView[] = []) =>
  Object.fromEntries(planNodes({ types, counts: new Map(), views, demand }).launch);

it("requests are packed into as few nodes as hold them, after what nodes have free", () => {
  const small = [aType("small")];
  expect(launched(small, waits([asks({ cpu: 1 }), 9]))).toEqual({ small: 3 });
  expect(launched(small, waits([asks({ cpu: 1 }), 9]), [aNode("a"), aNode("b")])).toEqual({ small: 1 });
  expect(launched(small, waits([asks({ cpu: 3 }), 2], [asks({ cpu: 1 }), 2]))).toEqual({ small: 2 });
  expect(launched(small, waits([asks({}), 1_000]))).toEqual({ small: 1 });
  expect(launched([aType("small", { minNodes: 2 })], waits())).toEqual({ small: 2 });
});

it("what wants no GPU gets no node with GPUs while another type could hold it", () => {
  const types = [
    aType("gpu", { resources: { cpu: 4, gpu: 2 }, maxNodes: 2 }),
    aType("plain", { resources: { cpu: 4 }, maxNodes: 1 }),
  ];
  expect(launched(types, waits([asks({ cpu: 1 }), 4]))).toEqual({ plain: 1 });
  // PLAN-2: a request without a GPU gets a GPU node rather than none.
  expect(launched(types, waits([asks({ cpu: 1 }), 8]))).toEqual({ plain: 1, gpu: 1 });
  expect(launched(types, waits([asks({ gpu: 0.5 }), 6]))).toEqual({ gpu: 2 });
});

it("groups get nodes for all of their bundles or none, apart where they must be (PLAN-4)", () => {
  const types = [aType("small", { maxNodes: 3 })];
  const bundles = (count: number, cpu: number) => Array.from({ length: count }, () => asks({ cpu }));
  const group = (strategy: "PACK" | "STRICT_PACK" | "STRICT_SPREAD", count: number, cpu: number) => ({
    requests: [],
    groups: [{ strategy, bundles: bundles(count, cpu) }],
  });
  expect(launched(types, group("STRICT_SPREAD", 3, 1))).toEqual({ small: 3 });
  expect(launched(types, group("STRICT_SPREAD", 3, 1), [aNode("a")])).toEqual({ small: 2 });
  expect(launched(types, group("PACK", 6, 2))).toEqual({ small: 3 });
  expect(launched(types, group("STRICT_PACK", 2, 2))).toEqual({ small: 1 });
  for (const demand of [group("STRICT_SPREAD", 4, 1), group("STRICT_PACK", 3, 2)]) {
    const plan = planNodes({ types, counts: new Map(), views: [], demand });
    expect([plan.launch.size, plan.unmet.length]).toEqual([0, 1]);
  }
});

it("what gets no node is told why", () => {
  const types = [aType("small", { maxNodes: 1 })];
  const plan = planNodes({
    ...{ types, counts: new Map(), views: [] },
    demand: waits(
      [asks({ cpu: 4 }), 3],
      [asks({ cpu: 8 }), 1],
      [{ ...asks({ cpu: 1 }), strategy: { kind: "node", nodeId: "node-7", soft: false } }, 1],
    ),
  });
  expect(plan.unmet.map(({ count, reason }) => [count, reason])).toEqual([
    [1, expect.stringContaining("no node type could hold it")],
    [2, "needs more of node type small, which has reached its maxNodes of 1"],
    [1, expect.stringContaining("bound to node node-7")],
  ]);
});

const quantities = fc.record({
  cpu: fc.constantFrom(0, 0.5, 1, 2, 3, 4, 8),
  gpu: fc.constantFrom(0, 0, 0.5, 1, 2),
  memory: fc.constantFrom(0, 1e9, 4e9),
});
const typesOf = fc
  .array(
    fc.record({
      resources: quantities,
      zone: fc.constantFrom("a", "b"),
      minNodes: fc.nat(2),
      more: fc.nat(5),
      there: fc.nat(4),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rows) =>
    rows.map(({ resources, zone, minNodes, more, there }, at) => ({
      there,
      type: aType(`type-${at}`, {
        resources: { ...resources, gpu: Math.floor(resources.gpu) },
        ...{ labels: { zone }, minNodes, maxNodes: minNodes + more },
      }),
    })),
  );
const demandOf = fc.record({
  requests: fc.array(
    fc.record({
      request: fc.record({ resources: quantities, labels: fc.constantFrom({}, {}, { zone: "a" }) }),
      count: fc.integer({ min: 1, max: 12 }),
    }),
    { maxLength: 5 },
  ),
  groups: fc.array(
    fc.record({
      strategy: fc.constantFrom("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"),
      bundles: fc.array(
        quantities.map((resources) => asks(resources)),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { maxLength: 2 },
  ),
});

it("for any types and any demand: bounds hold, what fits gets a node, and nothing is started in vain", () => {
  fc.assert(
    fc.property(typesOf, demandOf, (rows, demand) => {
      const types = rows.map(({ type }) => type);
      const counts = new Map(rows.map(({ type, there }) => [type.name, there]));
      const views = rows.flatMap(({ type, there }) =>
        Array.from({ length: there }, (_, at) => emptyNode(type, `${type.name}-${at}`)),
      );
      const { launch, unmet } = planNodes({ types, counts, views, demand });
      for (const { name, minNodes, maxNodes } of types) {
        const before = counts.get(name) ?? 0;
        const after = before + (launch.get(name) ?? 0);
        // PLAN-1
        expect(after).toBeGreaterThanOrEqual(minNodes);
        expect(after).toBeLessThanOrEqual(Math.max(before, maxNodes));
      }
      const full = (type: NodeType) =>
        (counts.get(type.name) ?? 0) + (launch.get(type.name) ?? 0) >= type.maxNodes;
      // PLAN-2
      for (const { resources, reason } of unmet) {
        if (reason.startsWith("bundles")) continue;
        const asking = demand.requests.filter(({ request }) => request.resources === resources);
        for (const type of types)
          if (asking.some(({ request }) => hasRoom(emptyNode(type, ""), request)))
            expect(full(type), `${type.name} for ${JSON.stringify(resources)}`).toBe(true);
      }
      // PLAN-3: without demand there are only the nodes of the minimum.
      const rest = planNodes({ types, counts, views, demand: { requests: [], groups: [] } }).launch;
      for (const { name, minNodes } of types)
        expect(rest.get(name) ?? 0).toBe(Math.max(0, minNodes - (counts.get(name) ?? 0)));
      const started = [...launch.values()].reduce((sum, count) => sum + count, 0);
      const least = [...rest.values()].reduce((sum, count) => sum + count, 0);
      const asked =
        demand.requests.reduce((sum, { count }) => sum + count, 0) +
        demand.groups.reduce((sum, { bundles }) => sum + bundles.length, 0);
      expect(started - least).toBeLessThanOrEqual(asked);
    }),
    { numRuns: 300 },
  );
});

it("for any demand of single requests: what is planned holds all that is not left over", () => {
  fc.assert(
    fc.property(typesOf, demandOf, (rows, { requests }) => {
      const types = rows.map(({ type }) => type);
      const plan = planNodes({ types, counts: new Map(), views: [], demand: { requests, groups: [] } });
      const nodes = types.flatMap((type) =>
        Array.from({ length: plan.launch.get(type.name) ?? 0 }, (_, at) =>
          emptyNode(type, `${type.name}-${at}`),
        ),
      );
      const sum = (name: string, of: readonly Quantities[]) =>
        of.reduce((all, one) => all + (one[name] ?? 0), 0);
      const left = new Map<Quantities, number>();
      for (const { resources, count } of plan.unmet) left.set(resources, (left.get(resources) ?? 0) + count);
      const met = requests.flatMap(({ request, count }) =>
        Array.from({ length: count - (left.get(request.resources) ?? 0) }, () => request.resources),
      );
      for (const name of ["cpu", "gpu", "memory"])
        expect(sum(name, met)).toBeLessThanOrEqual(
          sum(
            name,
            nodes.map(({ total }) => total),
          ) + 1e-6,
        );
      for (const resources of met) expect(nodes.some(({ total }) => fits(total, resources))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it("for any group that is met: the nodes that are there and planned hold all of its bundles", () => {
  fc.assert(
    fc.property(typesOf, demandOf, (rows, { groups }) => {
      const [group] = groups;
      if (group === undefined) return;
      const types = rows.map(({ type }) => ({ ...type, minNodes: 0 }));
      const plan = planNodes({
        ...{ types, counts: new Map(), views: [] },
        demand: { requests: [], groups: [group] },
      });
      const nodes = types.flatMap((type) =>
        Array.from({ length: plan.launch.get(type.name) ?? 0 }, (_, at) =>
          emptyNode(type, `${type.name}-${at}`),
        ),
      );
      if (plan.unmet.length === 0) expect(placeBundles(nodes, group)).toBeDefined();
      else expect(nodes).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

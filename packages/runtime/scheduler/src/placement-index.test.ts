import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseGpus, giveBackGpus, takeGpus } from "./gpu-instances.js";
import { type NodeView, type PlacementRequest, place, type Strategy } from "./placement.js";
import { PlacementIndex } from "./placement-index.js";
import { addQuantities, type Quantities, subtractQuantities } from "./resources.js";
import { aNode, leased } from "./testing/nodes.js";

const asks = (resources: Quantities, labels = {}): PlacementRequest => ({ resources, labels });

/** The specification of the index: it gives the same answers by examining everything. */
class Model {
  readonly nodes = new Map<string, NodeView>();
  readonly waiting: { readonly key: string; readonly request: PlacementRequest }[] = [];
  readonly leases: Lease[] = [];

  pass(): string[] {
    const placed: string[] = [];
    for (const { key, request } of [...this.waiting]) {
      const nodeId = place(this.nodes.values(), request);
      if (nodeId === undefined) continue;
      this.waiting.splice(
        this.waiting.findIndex((waiter) => waiter.key === key),
        1,
      );
      this.take(nodeId, key, request.resources);
      placed.push(`${key}@${nodeId}`);
    }
    return placed;
  }

  take(nodeId: string, key: string, resources: Quantities): NodeView {
    const node = this.nodes.get(nodeId);
    if (node === undefined) throw new Error(`no node ${nodeId}`);
    const ids = chooseGpus(node.gpus, resources["gpu"] ?? 0) ?? [];
    const next: NodeView = {
      ...node,
      leases: node.leases + 1,
      available: subtractQuantities(node.available, resources),
      gpus: takeGpus(node.gpus, ids, resources["gpu"] ?? 0),
    };
    this.nodes.set(nodeId, next);
    this.leases.push({ nodeId, key, resources, ids });
    return next;
  }

  giveBack(which: number): NodeView | undefined {
    const [lease] = this.leases.splice(which % Math.max(1, this.leases.length), 1);
    const node = lease && this.nodes.get(lease.nodeId);
    if (!lease || !node) return undefined;
    const next: NodeView = {
      ...node,
      leases: node.leases - 1,
      available: addQuantities(node.available, lease.resources),
      gpus: giveBackGpus(node.gpus, lease.ids, lease.resources["gpu"] ?? 0),
    };
    this.nodes.set(next.nodeId, next);
    return next;
  }
}

interface Lease {
  readonly nodeId: string;
  readonly key: string;
  readonly resources: Quantities;
  readonly ids: readonly number[];
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const request: fc.Arbitrary<PlacementRequest> = fc.record({
  resources: fc.constantFrom<Quantities>(
    {},
    { cpu: 1 },
    { cpu: 3 },
    { cpu: 1, gpu: 0.5 },
    { gpu: 2 },
    { cpu: 9 },
  ),
  labels: fc.constantFrom({}, {}, { zone: "a" }),
  conditions: fc.constantFrom(
    undefined,
    undefined,
    [{ name: "zone", operator: "not in" as const, values: ["a"] }],
    [{ name: "disk", operator: "exists" as const, values: [] }],
  ),
  strategy: fc.constantFrom<Strategy | undefined>(
    undefined,
    { kind: "spread" },
    { kind: "node", nodeId: "node-1", soft: false },
    { kind: "node", nodeId: "node-2", soft: true },
  ),
});
const totals = fc.constantFrom<Quantities>({ cpu: 2 }, { cpu: 4 }, { cpu: 4, gpu: 2 });

type Step =
  | { readonly kind: "ask"; readonly request: PlacementRequest }
  | { readonly kind: "join"; readonly node: number; readonly total: Quantities; readonly zone: string }
  | { readonly kind: "leave" | "end" | "cancel"; readonly node: number };

const node = fc.nat(6);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("ask" as const), request }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("join" as const),
      node,
      total: totals,
      zone: fc.constantFrom("a", "b"),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("leave", "end", "cancel"), node }) },
);

/** Takes every request for which there is room out of the index, together with the leases that result. */
function drain(index: PlacementIndex, model: Model): string[] {
  const placed: string[] = [];
  for (let choice = index.next(); choice !== undefined; choice = index.next()) {
    const { key, nodeId } = choice;
    const waiter = model.waiting.find((candidate) => candidate.key === key);
    if (waiter === undefined) throw new Error(`${key} does not wait`);
    model.waiting.splice(model.waiting.indexOf(waiter), 1);
    index.setNode(model.take(nodeId, key, waiter.request.resources));
    placed.push(`${key}@${nodeId}`);
  }
  return placed;
}

describe("PlacementIndex", () => {
  it("INDEX-1, INDEX-2, SHAPES-2: places the same requests on the same nodes in the same order as looking at everything", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, reserving) => {
        const index = new PlacementIndex();
        const mine = new Model();
        const model = new Model();
        let asked = 0;
        for (const taken of steps) {
          if (taken.kind === "ask") {
            asked += 1;
            for (const each of [mine, model]) each.waiting.push({ key: `r${asked}`, request: taken.request });
            index.add(`r${asked}`, taken.request, asked);
          } else if (taken.kind === "join") {
            const labels = { zone: taken.zone };
            const view = aNode(`node-${taken.node}`, { total: taken.total, labels });
            for (const each of [mine, model]) forget(each, view.nodeId).nodes.set(view.nodeId, view);
            index.setNode(view);
          } else if (taken.kind === "leave") {
            for (const each of [mine, model]) forget(each, `node-${taken.node}`);
            index.removeNode(`node-${taken.node}`);
          } else if (taken.kind === "end") {
            model.giveBack(taken.node);
            const view = mine.giveBack(taken.node);
            if (view) index.setNode(view);
          } else {
            const key = mine.waiting[taken.node]?.key;
            if (key === undefined) continue;
            for (const each of [mine, model]) each.waiting.splice(taken.node, 1);
            index.delete(key);
          }
          if (!reserving) {
            expect(drain(index, mine)).toEqual(model.pass());
            expect([...mine.nodes]).toEqual([...model.nodes]);
            continue;
          }
          drain(index, mine);
          index.reserve(asked - 3);
          drain(index, mine);
          // No waiting request has room, except on nodes that are reserved for another.
          const reserved = index.reservations();
          for (const { request } of mine.waiting) {
            const open = [...mine.nodes.values()].filter(
              ({ nodeId }) => !reserved.has(nodeId) || same(reserved.get(nodeId), request),
            );
            expect(place(open, request)).toBeUndefined();
          }
          expect(index.size).toBe(mine.waiting.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("INDEX-3, SHAPES-1: an event is looked at by the shapes that could run on its node, whatever else waits", () => {
    const index = new PlacementIndex();
    const model = new Model();
    for (let number = 0; number < 1_000; number++) {
      const view = aNode(`node-${number}`, { total: { cpu: 1 } });
      model.nodes.set(view.nodeId, view);
      index.setNode(view);
    }
    const ask = (key: string, resources: Quantities) => {
      model.waiting.push({ key, request: asks(resources) });
      index.add(key, asks(resources), 0);
    };
    for (let number = 0; number < 2_000; number++) ask(`never-${number}`, { tpu: 1 + number });
    for (let number = 0; number < 3_000; number++) ask(`small-${number}`, { cpu: 1 });
    expect(drain(index, model)).toHaveLength(1_000);
    // Each node is examined once for the one shape that can run there, and once more when it is full.
    expect(index.looks).toBeLessThanOrEqual(2_000);
    const before = index.looks;
    for (let number = 0; number < 100; number++) {
      const view = model.giveBack(0);
      if (view) index.setNode(view);
      expect(drain(index, model)).toHaveLength(1);
    }
    expect(index.looks - before).toBeLessThanOrEqual(300);
    expect(index.size).toBe(3_900);
  });

  it("INDEX-4: a big request gets a node to itself after a while, and small ones go elsewhere", () => {
    const index = new PlacementIndex();
    const model = new Model();
    for (const nodeId of ["a", "b"]) {
      model.nodes.set(nodeId, aNode(nodeId));
      index.setNode(aNode(nodeId));
    }
    const ask = (key: string, resources: Quantities, sinceMs: number) => {
      model.waiting.push({ key, request: asks(resources) });
      index.add(key, asks(resources), sinceMs);
    };
    for (let number = 0; number < 8; number++) ask(`small-${number}`, { cpu: 1 }, 0);
    expect(drain(index, model)).toHaveLength(8);
    ask("big", { cpu: 4 }, 100);
    ask("never", { cpu: 5 }, 0);
    index.reserve(99);
    expect(index.reservations().size).toBe(0);
    // One small request ends and the next one arrives. Without a reservation this would go on forever.
    let placedBig = false;
    for (let turn = 0; turn < 40 && !placedBig; turn++) {
      index.reserve(100);
      ask(`next-${turn}`, { cpu: 1 }, 101);
      const view = model.giveBack(0);
      if (view) index.setNode(view);
      placedBig = drain(index, model).some((placed) => placed.startsWith("big@"));
    }
    expect(placedBig).toBe(true);
    expect(index.reservations().size).toBe(0);
    expect(index.waitingShapes().find(({ feasible }) => !feasible)?.request).toEqual(asks({ cpu: 5 }));
  });

  it("INDEX-4: a reservation ends with its request and with its node", () => {
    const index = new PlacementIndex();
    const full = leased(aNode("a"), { cpu: 1 });
    index.setNode(full);
    index.add("big", asks({ cpu: 4 }), 0);
    expect(index.next()).toBeUndefined();
    index.reserve(0);
    expect([...index.reservations().keys()]).toEqual(["a"]);
    index.add("small", asks({ cpu: 1 }), 0);
    expect(index.next()).toBeUndefined();
    index.delete("big");
    expect(index.next()).toEqual({ key: "small", nodeId: "a" });
    index.add("big", asks({ cpu: 4 }), 0);
    index.reserve(0);
    index.removeNode("a");
    expect(index.reservations().size).toBe(0);
  });
});

function forget(model: Model, nodeId: string): Model {
  model.nodes.delete(nodeId);
  for (let position = model.leases.length - 1; position >= 0; position--) {
    if (model.leases[position]?.nodeId === nodeId) model.leases.splice(position, 1);
  }
  return model;
}

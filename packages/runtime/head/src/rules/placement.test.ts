import { describe, expect, it } from "vitest";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

function reasonOf(test: TestPlane, actorId: string): string | undefined {
  const actor = test.plane.actors.get(actorId);
  return actor && test.plane.lifecycle.pendingReason(actor);
}

describe("what waits for a node", () => {
  it("PLACEMENT-2, PLACEMENT-4: says why an actor waits, and places it when a node that fits joins", async () => {
    const test = await TestPlane.open();
    await test.join("small", { cpu: 0.5 });
    await test.plane.lifecycle.create(aSpec("x", { resources: { quantities: { cpu: 2 } } }));
    await settle();
    expect(test.state("x")).toBe("PENDING");
    expect(reasonOf(test, "x")).toBe("needs 2 cpu: small has 0.5 of 0.5 cpu");
    const big = await test.join("big", { cpu: 2 });
    expect(big.startsOf("x")).toEqual([1]);
    expect(reasonOf(test, "x")).toBe("");
  });

  it("PLACEMENT-3: a pass that has used up its slice goes on in a later turn", async () => {
    const { plane, clock, ...test } = await TestPlane.open().then((open) => ({
      ...{ plane: open.plane, clock: open.clock },
      join: open.join.bind(open),
    }));
    await test.join("a", { cpu: 4 });
    const placed: string[] = [];
    for (const key of ["one", "two", "three"]) {
      plane.pendingQueue.enqueue(key, {
        leaseId: key,
        request: { resources: { cpu: 1 }, labels: {} },
        onPlaced: () => {
          placed.push(key);
          clock.sleep(5);
        },
      });
    }
    await settle();
    expect(placed).toEqual(["one", "two"]);
    await clock.advance(0);
    expect(placed).toEqual(["one", "two", "three"]);
  });

  it("a big actor is not starved by small ones: a node is kept free for it after a while", async () => {
    const test = await TestPlane.open({
      placementReserveAfterMs: 5_000,
      heartbeatIntervalMs: 1_000,
      nodeTimeoutMs: 86_400_000,
    });
    test.session("session-test");
    const nodes = [await test.join("a", { cpu: 2 }), await test.join("b", { cpu: 2 })];
    const small = async (number: number) => {
      await test.plane.lifecycle.create(aSpec(`small-${number}`));
      await settle();
    };
    for (let number = 0; number < 4; number++) await small(number);
    await test.plane.lifecycle.create(aSpec("big", { resources: { quantities: { cpu: 2 } } }));
    await test.clock.advance(6_000);
    for (let number = 4; number < 12 && test.state("big") === "PENDING"; number++) {
      await small(number);
      const ended = `small-${number - 4}`;
      const node = nodes.find(({ nodeId }) => nodeId === test.plane.actors.get(ended)?.nodeId);
      node?.died(ended, 1);
      await settle();
    }
    expect(test.state("big")).toBe("STARTING");
  });

  it("GPUs: the devices of a lease are told to the node, kept in the store, and taken again by the next head", async () => {
    const test = await TestPlane.open();
    const node = await test.join("a", { gpu: 2 });
    test.session("session-test");
    const create = async (actorId: string, gpu: number) => {
      await test.plane.lifecycle.create(aSpec(actorId, { resources: { quantities: { gpu } } }));
      await settle();
    };
    await create("half", 0.5);
    await create("whole", 1);
    await create("other-half", 0.5);
    const orders = node.sent.flatMap(({ startActor }) => (startActor ? [startActor.gpuIds] : []));
    expect(orders).toEqual([[0], [1], [0]]);
    node.died("half", 1);
    await settle();
    const next = await test.reopened();
    await next.join("a", {
      gpu: 2,
      actors: [{ actorId: "whole", incarnation: 1, address: "h:1", gpuIds: [1] }],
    });
    next.session("session-test");
    expect(next.plane.nodes.gpusOf("a", "actor/other-half#1")).toEqual([0]);
    expect(next.plane.nodes.gpusOf("a", "actor/whole#1")).toEqual([1]);
    await next.plane.lifecycle.create(aSpec("third", { resources: { quantities: { gpu: 1 } } }));
    await settle();
    expect(next.state("third")).toBe("PENDING");
  });

  it("two fractions on two GPUs, one ends: no whole GPU is placed on what is left", async () => {
    const test = await TestPlane.open();
    const node = await test.join("a", { gpu: 2 });
    test.session("session-test");
    for (const [actorId, gpu] of [
      ["a1", 0.6],
      ["a2", 0.6],
      ["whole", 1],
    ] as const) {
      await test.plane.lifecycle.create(aSpec(actorId, { resources: { quantities: { gpu } } }));
    }
    await settle();
    expect(test.state("whole")).toBe("PENDING");
    node.died("a1", 1);
    await settle();
    expect(test.state("whole")).toBe("STARTING");
    expect(node.sent.at(-1)?.startActor?.gpuIds).toEqual([0]);
    expect(() => aSpec("x", { resources: { quantities: { gpu: 1.5 } } })).toThrow("request 1 or 2");
  });
});

import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { TestPlane } from "../testing/plane.js";

describe("NodeTable", () => {
  it("NODE-1: offers only nodes with an open link to the scheduler", async () => {
    const { plane, ...test } = await open();
    const offered = new Map<string, boolean>();
    plane.nodes.onChange((nodeId, view) => offered.set(nodeId, view !== undefined));
    const node = await test.join("a");
    expect(offered.get("a")).toBe(true);
    node.disconnect();
    expect(plane.nodes.get("a")?.state).toBe("SUSPECT");
    expect(offered.get("a")).toBe(false);
  });

  it("NODE-2: counts and sums follow every change", async () => {
    const { plane, clock, ...test } = await open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
    const { sums } = plane.nodes;
    const node = await test.join("a", { cpu: 4 });
    await test.join("b", { cpu: 2 });
    plane.nodes.reserve("a", "one", { cpu: 1.5 });
    expect(sums.totals()).toEqual({ total: { cpu: 6 }, used: { cpu: 1.5 } });
    node.disconnect();
    expect(sums.totals()).toEqual({ total: { cpu: 2 }, used: { cpu: 0 } });
    await test.join("a", { cpu: 8 });
    expect(sums.totals()).toEqual({ total: { cpu: 10 }, used: { cpu: 1.5 } });
    expect([sums.count("ALIVE"), sums.count("SUSPECT"), sums.count("DEAD")]).toEqual([2, 0, 0]);
    await clock.advance(7_000);
    expect(sums.totals()).toEqual({ total: { cpu: 0 }, used: { cpu: 0 } });
    expect([sums.count("ALIVE"), sums.count("SUSPECT"), sums.count("DEAD")]).toEqual([0, 0, 2]);
  });

  it("NODE-6: a lease of GPUs keeps its devices, whatever is leased beside it and after a new registration", async () => {
    const { plane, ...test } = await open();
    await test.join("a", { gpu: 2 });
    expect(plane.nodes.reserve("a", "half", { gpu: 0.5 })).toEqual([0]);
    expect(plane.nodes.reserve("a", "whole", { gpu: 1 })).toEqual([1]);
    expect(plane.nodes.reserve("a", "other half", { gpu: 0.5 })).toEqual([0]);
    plane.nodes.release("a", "half");
    await test.join("a", { gpu: 2 });
    expect(plane.nodes.gpusOf("a", "other half")).toEqual([0]);
    expect(plane.nodes.reserve("a", "again", { gpu: 0.5 })).toEqual([0]);
    // What a process says it has is believed.
    plane.nodes.release("a", "whole");
    expect(plane.nodes.reserve("a", "adopted", { gpu: 1 }, { gpuIds: [1] })).toEqual([1]);
    expect(plane.nodes.get("a")?.available["gpu"]).toBe(0);
  });

  it("NODE-2: available is the total less all leases, also after a node registered anew", async () => {
    const { plane, ...test } = await open();
    await test.join("a", { cpu: 4 });
    plane.nodes.reserve("a", "one", { cpu: 1.5 });
    plane.nodes.reserve("a", "two", { cpu: 0.1 });
    plane.nodes.reserve("a", "two", { cpu: 0.2 });
    await test.join("a", { cpu: 8 });
    expect(plane.nodes.get("a")?.available).toEqual({ cpu: 6.3 });
    plane.nodes.release("a", "one");
    plane.nodes.release("a", "one");
    expect(plane.nodes.get("a")?.available).toEqual({ cpu: 7.8 });
  });

  it("NODE-3: declares a node dead after its timeout of silence, and not before", async () => {
    const { plane, clock, ...test } = await open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
    const node = await test.join("a");
    await clock.advance(4_000);
    expect(plane.nodes.get("a")?.state).toBe("ALIVE");
    node.heartbeat();
    await clock.advance(5_000);
    expect(plane.nodes.get("a")?.state).toBe("ALIVE");
    await clock.advance(2_000);
    expect(plane.nodes.get("a")?.state).toBe("DEAD");
    expect(node.closedBecause).toContain("no heartbeat from a");
  });

  it("NODE-3: a sleep of the head itself does not count as the nodes' silence", async () => {
    const { plane, clock, ...test } = await open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
    await test.join("a");
    clock.sleep(60_000);
    await clock.advance(1_000);
    expect(plane.nodes.get("a")?.state).toBe("ALIVE");
  });

  it("NODE-4: the end of a link that was replaced changes nothing", async () => {
    const { plane, ...test } = await open();
    const older = await test.join("a");
    const newer = await test.join("a");
    expect(older.closedBecause).toContain("newer link");
    older.disconnect();
    expect(plane.nodes.get("a")?.state).toBe("ALIVE");
    newer.disconnect();
    expect(plane.nodes.get("a")?.state).toBe("SUSPECT");
  });

  it("NODE-5: a second process under the id of a node is refused while the first one's link is open", async () => {
    const { plane, ...test } = await open();
    const first = await test.join("a");
    await expect(test.join("a", { instanceId: "instance-2" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    expect([first.closedBecause, plane.nodes.get("a")?.state]).toEqual([undefined, "ALIVE"]);
    first.disconnect();
    await test.join("a", { instanceId: "instance-2" });
    expect(plane.nodes.get("a")?.state).toBe("ALIVE");
  });

  it("a node that leaves in order is dead at once; one that comes back is alive again", async () => {
    const { plane, ...test } = await open();
    const node = await test.join("a");
    node.disconnect(true);
    expect(plane.nodes.get("a")?.state).toBe("DEAD");
    await test.join("a");
    expect(plane.nodes.get("a")?.state).toBe("ALIVE");
  });

  it("nodes of an earlier head are suspect and have the recovery grace to come back in", async () => {
    const times = { heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000, recoveryGraceMs: 12_000 };
    const first = await open(times);
    await first.join("a", { labels: { zone: "x" } });
    await first.join("b");
    const { plane, clock, ...second } = await first.reopened(times);
    expect(plane.nodes.get("a")).toMatchObject({
      state: "SUSPECT",
      labels: { zone: "x" },
      total: { cpu: 4 },
    });
    await clock.advance(10_000);
    const back = await second.join("b");
    expect(plane.nodes.get("a")?.state).toBe("SUSPECT");
    await clock.advance(4_000);
    expect(plane.nodes.get("a")?.state).toBe("DEAD");
    expect(plane.nodes.get("b")?.state).toBe("ALIVE");
    back.heartbeat();
  });

  it("writes nodes as messages that other versions can read", async () => {
    const { store, ...test } = await open();
    await test.join("a");
    const row = (await store.readTable("nodes")).get("a");
    expect(proto.NodeInfo.decode(row ?? new Uint8Array())).toMatchObject({
      nodeId: "a",
      objectsAddress: "a:1",
    });
  });
});

/** Methods bound, so that tests may take the parts they use. */
async function open(over: Parameters<typeof TestPlane.open>[0] = {}) {
  return bind(await TestPlane.open(over));
}

function bind(test: TestPlane) {
  return {
    plane: test.plane,
    clock: test.clock,
    store: test.store,
    join: test.join.bind(test),
    reopened: async (over: Parameters<typeof TestPlane.open>[0]) => bind(await test.reopened(over)),
  };
}

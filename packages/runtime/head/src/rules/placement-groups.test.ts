import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { expectGroup } from "../services/placement-group-rpcs.js";
import { type GroupSpec, groupSpecFromProto } from "../tables/placement-group.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

const {
  GROUP_STRATEGY_PACK: PACK,
  GROUP_STRATEGY_STRICT_PACK: STRICT_PACK,
  GROUP_STRATEGY_STRICT_SPREAD: STRICT_SPREAD,
} = proto.GroupStrategy;

function aGroup(
  groupId: string,
  bundles: readonly Record<string, number>[],
  over: proto.PlacementGroupSpec.$Properties = {},
): GroupSpec {
  return groupSpecFromProto({
    groupId,
    bundles: bundles.map((quantities) => ({ quantities })),
    strategy: STRICT_SPREAD,
    ownerId: "session-test",
    ...over,
  });
}

function inGroup(actorId: string, groupId: string, over: proto.ActorSpec.$Properties = {}) {
  return aSpec(actorId, { placement: { groupId }, ...over });
}

const cpu = (test: TestPlane, nodeId: string) => test.plane.nodes.get(nodeId)?.available["cpu"];
const nodesOf = (test: TestPlane, groupId: string) => test.plane.groups.nodesOf(groupId);

describe("placement groups", () => {
  it("PGROUP-1, PGROUP-2: leases all bundles or none, and is CREATED when the store has it", async () => {
    const test = await TestPlane.open();
    await test.join("a");
    const waiting = await test.plane.groups.create(aGroup("g", [{ cpu: 2 }, { cpu: 3 }]));
    expect(waiting.state).toBe("PENDING");
    expect(cpu(test, "a")).toBe(4);
    expect(test.plane.groups.reason(waiting)).toBe(
      "STRICT_SPREAD needs a node for each of 2 bundles, and only 1 could get one now",
    );
    test.store.failure = new Error("away");
    const settled = test.plane.groups.settled("g", new AbortController().signal);
    await test.join("b");
    expect([cpu(test, "a"), cpu(test, "b")].sort()).toEqual([1, 2]);
    expect(test.plane.groups.known("g").state).toBe("PENDING");
    test.store.failure = undefined;
    await test.clock.advance(1_000);
    expect((await settled).state).toBe("CREATED");
    expect(new Set(nodesOf(test, "g"))).toEqual(new Set(["a", "b"]));
  });

  it("actors take their resources of a bundle, of the one that they name or of any, and wait while it is full", async () => {
    const test = await TestPlane.open();
    const [a, b] = [await test.join("a"), await test.join("b")];
    await test.plane.groups.create(aGroup("g", [{ cpu: 2 }, { cpu: 1 }]));
    const at = (index: number) => (nodesOf(test, "g")?.[index] === "a" ? a : b);
    await test.plane.lifecycle.create(inGroup("x", "g", { placement: { groupId: "g", bundle: 1 } }));
    await test.plane.lifecycle.create(inGroup("y", "g", { placement: { groupId: "g", bundle: 1 } }));
    await test.plane.lifecycle.create(inGroup("z", "g"));
    await settle();
    expect(["x", "y", "z"].map((id) => test.state(id))).toEqual(["STARTING", "PENDING", "STARTING"]);
    expect(test.plane.actors.get("x")).toMatchObject({ nodeId: nodesOf(test, "g")?.[1], bundle: 1 });
    expect(test.plane.actors.get("z")).toMatchObject({ nodeId: nodesOf(test, "g")?.[0], bundle: 0 });
    const y = test.plane.actors.get("y");
    expect(y && test.plane.lifecycle.pendingReason(y)).toBe(
      "needs node bundle 1, 1 cpu: bundle 1 has 0 of 1 cpu",
    );
    // Nothing of the nodes themselves: the bundles have it.
    expect([cpu(test, "a"), cpu(test, "b")].sort()).toEqual([2, 3]);
    at(1).started("x", 1);
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "test" });
    at(1).died("x", 1);
    await settle();
    expect(test.state("y")).toBe("STARTING");
  });

  it("refuses an actor that no bundle could hold, and one of a group that is not there", async () => {
    const test = await TestPlane.open();
    await test.plane.groups.create(aGroup("g", [{ cpu: 2 }, { cpu: 1, gpu: 0.5 }]));
    const refusal = (over: proto.ActorSpec.$Properties) => () =>
      expectGroup(test.plane.groups, inGroup("x", "g", over));
    const cpus = (amount: number) => ({ resources: { quantities: { cpu: amount } } });
    expect(refusal({})).not.toThrow();
    expect(refusal(cpus(3))).toThrow("resources are 3 cpu, more than any bundle of group g has");
    expect(refusal({ placement: { groupId: "g", bundle: 2 } })).toThrow(
      "placement.bundle is 2, and group g has 2 bundles",
    );
    expect(refusal({ ...cpus(2), placement: { groupId: "g", bundle: 1 } })).toThrow(
      "and bundle 1 of group g has 1 cpu, 0.5 gpu",
    );
    expect(refusal({ placement: { groupId: "h" } })).toThrow("placement group h is not known");
    expect(() => inGroup("x", "g", { labels: { zone: "a" } })).toThrow(
      "leave labels, label_conditions and strategy out",
    );
    expect(() => aGroup("g", [])).toThrow("bundles has 0 entries: give from 1 to 256");
    expect(() => aGroup("g", [{ gpu: 1.5 }])).toThrow("bundles[0]: resource gpu is 1.5");
    expect(() => aGroup("g", [{}])).toThrow("bundles[0] is empty");
    expect(() => aGroup("g", [{ cpu: 1 }], { strategy: 0 })).toThrow(
      "strategy is 0: use a value of GroupStrategy",
    );
  });

  it("PGROUP-4, GROUPTABLE-1, GROUPTABLE-2: a removal kills the actors inside, detached ones too; what their processes use stays leased until they end", async () => {
    const test = await TestPlane.open();
    const node = await test.join("a");
    await test.plane.groups.create(aGroup("g", [{ cpu: 3 }], { name: "room" }));
    await test.plane.lifecycle.create(inGroup("x", "g", { detached: true }));
    await settle();
    node.started("x", 1);
    expect(cpu(test, "a")).toBe(1);
    const removed = await test.plane.groups.remove("g", "a client requested it");
    expect(removed.state).toBe("REMOVED");
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      certificate: { reason: "its placement group g was removed: a client requested it" },
    });
    expect(cpu(test, "a")).toBe(3);
    node.died("x", 1);
    expect(cpu(test, "a")).toBe(4);
    expect((await test.store.readTable("groups")).size).toBe(0);
    expect(() => expectGroup(test.plane.groups, inGroup("y", "g"))).toThrow("placement group g was removed");
    // Its name is free again, and a repeated removal changes nothing.
    await test.plane.groups.create(aGroup("h", [{ cpu: 3 }], { name: "room" }));
    await test.plane.groups.remove("g", "again");
    expect(cpu(test, "a")).toBe(1);
    await expect(test.plane.groups.create(aGroup("i", [{ cpu: 1 }], { name: "room" }))).rejects.toMatchObject(
      {
        code: "ALREADY_EXISTS",
      },
    );
  });

  it("PGROUP-3: bundles of a node that dies are placed anew; actors in them restart there or die, as they may", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
    const nodes = new Map([
      ["a", await test.join("a")],
      ["b", await test.join("b")],
    ]);
    await test.plane.groups.create(aGroup("g", [{ cpu: 2 }, { cpu: 2 }]));
    const [first = "", second = ""] = nodesOf(test, "g") ?? [];
    const place = (bundle: number) => ({ placement: { groupId: "g", bundle } });
    await test.plane.lifecycle.create(inGroup("stays", "g", place(0)));
    await test.plane.lifecycle.create(inGroup("back", "g", { ...place(1), maxRestarts: 1 }));
    await test.plane.lifecycle.create(inGroup("gone", "g", place(1)));
    await settle();
    nodes.get(first)?.started("stays", 1);
    for (const actorId of ["back", "gone"]) nodes.get(second)?.started(actorId, 1);
    nodes.get(second)?.disconnect(true);
    await settle();
    expect(["stays", "back", "gone"].map((id) => test.state(id))).toEqual(["ALIVE", "RESTARTING", "DEAD"]);
    expect(test.plane.groups.known("g")).toMatchObject({ state: "RESCHEDULING" });
    expect(nodesOf(test, "g")).toEqual([first, undefined]);
    const back = test.plane.actors.get("back");
    expect(back && test.plane.lifecycle.pendingReason(back)).toContain("its placement group g waits: ");
    const node = await test.join("c");
    expect(nodesOf(test, "g")).toEqual([first, "c"]);
    expect(node.startsOf("back")).toEqual([2]);
    expect(test.plane.actors.get("back")).toMatchObject({ nodeId: "c", bundle: 1 });
  });

  it("PGROUP-6: ends with its session, its job and the actor that owns it, unless detached", async () => {
    const test = await TestPlane.open({ ownerGraceMs: 1_000 });
    const node = await test.join("a", { cpu: 8 });
    const session = test.session("session-test");
    const pack = { strategy: PACK };
    await test.plane.groups.create(aGroup("mine", [{ cpu: 1 }], pack));
    await test.plane.groups.create(aGroup("kept", [{ cpu: 1 }], { ...pack, detached: true, jobId: "job-1" }));
    await test.plane.groups.create(
      aGroup("of-job", [{ cpu: 1 }], { ...pack, ownerId: "other", jobId: "job-1" }),
    );
    await test.plane.lifecycle.create(aSpec("owner", { ownerId: "other" }));
    await settle();
    node.started("owner", 1);
    await test.plane.groups.create(
      aGroup("of-actor", [{ cpu: 1 }], { ...pack, ownerId: "owner", ownerIncarnation: 1 }),
    );
    expect(cpu(test, "a")).toBe(3);
    session.break();
    await test.clock.advance(1_100);
    expect(test.plane.groups.known("mine")).toMatchObject({
      state: "REMOVED",
      removedBecause: "its driver was disconnected for longer than 1000 ms",
    });
    test.plane.lifecycle.jobEnded("job-1");
    node.died("owner", 1);
    await settle();
    const states = ["kept", "of-job", "of-actor"].map((groupId) => test.plane.groups.known(groupId).state);
    expect(states).toEqual(["CREATED", "REMOVED", "REMOVED"]);
    expect(cpu(test, "a")).toBe(7);
  });

  it("GROUPTABLE-3: a head that was started again has the same groups, books and waiting actors", async () => {
    const before = await TestPlane.open();
    const node = await before.join("a", { gpu: 2 });
    await before.plane.groups.create(
      aGroup(
        "g",
        [
          { cpu: 2, gpu: 1 },
          { cpu: 1, gpu: 0.5 },
        ],
        { strategy: STRICT_PACK },
      ),
    );
    await before.plane.groups.create(aGroup("late", [{ cpu: 2 }], { strategy: PACK }));
    const gpu = { resources: { quantities: { cpu: 1, gpu: 1 } } };
    await before.plane.lifecycle.create(inGroup("x", "g", gpu));
    await settle();
    node.started("x", 1);
    const gpuIds = [...(before.plane.actors.get("x")?.gpuIds ?? [])];
    const test = await before.reopened();
    const lease = { actorId: "x", incarnation: 1, pid: 101, address: "127.0.0.1:7001", gpuIds };
    await test.join("a", { gpu: 2, actors: [lease], instanceId: "instance-1" });
    expect(test.plane.actors.get("x")).toMatchObject({ state: "ALIVE", bundle: 0, gpuIds });
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 1, gpu: 0.5 });
    expect(test.plane.nodes.bundleView("a", "bundle/g#0")).toMatchObject({
      available: { cpu: 1, gpu: 0 },
      leases: 1,
    });
    expect(test.plane.groups.known("late").state).toBe("PENDING");
    await test.plane.lifecycle.create(inGroup("y", "g", gpu));
    const y = test.plane.actors.get("y");
    expect(y && test.plane.lifecycle.pendingReason(y)).toContain("has 0 of 1 gpu");
    await test.plane.groups.remove("g", "test");
    await settle();
    expect(test.plane.groups.known("late").state).toBe("CREATED");
  });

  it("a process that returns to a node where its bundle does not lie any more is stopped", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
    const node = await test.join("a");
    await test.plane.groups.create(aGroup("g", [{ cpu: 2 }]));
    await test.plane.lifecycle.create(inGroup("x", "g", { maxRestarts: -1, fence: proto.Fence.FENCE_LEASE }));
    await settle();
    node.started("x", 1);
    node.disconnect();
    const other = await test.join("b");
    for (let beat = 0; beat < 7; beat++) {
      await test.clock.advance(1_000);
      other.heartbeat();
    }
    expect(nodesOf(test, "g")).toEqual(["b"]);
    expect(test.state("x")).toBe("RESTARTING");
    const again = await test.join("a", {
      actors: [{ actorId: "x", incarnation: 1, pid: 101, address: "127.0.0.1:7001" }],
    });
    expect(again.stopActorIds).toEqual(["x"]);
    again.died("x", 1);
    await settle();
    expect(other.startsOf("x")).toEqual([2]);
  });

  it("an actor whose group the store has lost runs on by itself, and is not started again", async () => {
    const before = await TestPlane.open();
    const node = await before.join("a");
    await before.plane.groups.create(aGroup("g", [{ cpu: 2 }]));
    await before.plane.lifecycle.create(inGroup("x", "g", { maxRestarts: 3 }));
    await settle();
    node.started("x", 1);
    await settle();
    await before.store.write([{ table: "groups", key: "g", bytes: undefined }]);
    const test = await before.reopened();
    const again = await test.join("a", {
      actors: [{ actorId: "x", incarnation: 1, pid: 101, address: "127.0.0.1:7001" }],
    });
    expect(test.state("x")).toBe("ALIVE");
    expect(cpu(test, "a")).toBe(3);
    again.died("x", 1);
    await settle();
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      certificate: { reason: "its placement group g is not known any more" },
    });
    expect(cpu(test, "a")).toBe(4);
  });

  it("PGROUP-5: waits neither behind other groups nor for a node that was kept for a request that has gone", async () => {
    const test = await TestPlane.open({ placementReserveAfterMs: 0, heartbeatIntervalMs: 1_000 });
    const node = await test.join("a");
    await test.plane.lifecycle.create(aSpec("small"));
    await settle();
    node.started("small", 1);
    await test.plane.lifecycle.create(aSpec("big", { resources: { quantities: { cpu: 4 } } }));
    await test.clock.advance(1_000);
    expect(test.plane.pendingQueue.reservedNodes).toBe(1);
    await test.plane.groups.create(aGroup("never", [{ tpu: 1 }]));
    await test.plane.groups.create(aGroup("g", [{ cpu: 1 }]));
    expect(test.plane.groups.known("g").state).toBe("PENDING");
    await test.plane.lifecycle.kill("big", { noRestart: true, reason: "test" });
    node.heartbeat();
    await test.clock.advance(1_000);
    expect(test.plane.groups.known("g").state).toBe("CREATED");
    expect(test.plane.groups.known("never").state).toBe("PENDING");
  });
});

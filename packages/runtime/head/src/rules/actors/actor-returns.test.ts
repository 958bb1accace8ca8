import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { alive } from "../../testing/alive-actor.js";
import { anActor, aSpec } from "../../testing/builders.js";
import { settle } from "../../testing/manual-clock.js";
import { TestPlane } from "../../testing/plane.js";

describe("actors of a node that comes back", () => {
  it("ACTOR-3: a node that lists an older incarnation keeps the lease of the one that it is to start, and is told again", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    test.plane.nodes.disconnected("a", node, true);
    const running = [{ actorId: "x", incarnation: 1, address: "127.0.0.1:7001" }];
    const back = await test.join("a", { actors: running });
    expect(back.startsOf("x")).toEqual([2]);
    // The link breaks before the start arrives.
    const again = await test.join("a", { actors: running });
    expect([...test.plane.nodes.leasesOn("a").keys()]).toContain("actor/x#2");
    expect(again.startsOf("x")).toEqual([2]);
  });

  it("ACTOR-3: what the tables have lost has its resources before anything is placed on its node, and until it ends", async () => {
    const test = await TestPlane.open();
    test.session("session-test");
    await test.plane.lifecycle.create(aSpec("waits", { resources: { quantities: { cpu: 2 } } }));
    const lost = { actorId: "lost", incarnation: 2, resources: { quantities: { cpu: 3 } } };
    const node = await test.join("a", { actors: [lost] });
    await settle();
    expect(node.unknownActorIds).toEqual(["lost"]);
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 1 });
    expect(test.state("waits")).toBe("PENDING");
    // It ended before it was described.
    node.died("lost", 2);
    await settle();
    expect(node.startsOf("waits")).toEqual([1]);
  });

  it("ACTOR-6: a node is told to stop what nobody wants any more", async () => {
    const test = await TestPlane.open();
    await alive(test, "x");
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    const actors = [
      { actorId: "x", incarnation: 1, address: "127.0.0.1:1" },
      { actorId: "stranger", incarnation: 1, address: "127.0.0.1:2" },
    ];
    const back = await test.join("a", { actors });
    expect(back.stopActorIds).toEqual(["x", "stranger"]);
    expect(back.unknownActorIds).toEqual([]);
  });

  it.each(["crash", "move"])(
    "ACTOR-11: the order of a %s that was lost with the link is given again",
    async (kind) => {
      const test = await TestPlane.open();
      const lost = await alive(test, "x", { maxRestarts: 1 });
      const { lifecycle } = test.plane;
      // A client whose connection broke asks again: a second crash of one process is no move.
      if (kind === "crash")
        for (let ask = 0; ask < 2; ask++)
          await lifecycle.kill("x", { noRestart: false, reason: "it was asked for" });
      else lifecycle.move("x", "it was asked for");
      const [order] = lost.stopsOf("x");
      lost.disconnect();
      const running = { actorId: "x", incarnation: 1, address: "127.0.0.1:7001", pid: 101 };
      const back = await test.join("a", { actors: [running] });
      expect(back.stopsOf("x")).toEqual([order]);
      back.died("x", 1);
      await settle();
      back.started("x", 2);
      expect(test.plane.actors.get("x")).toMatchObject({ restarts: kind === "crash" ? 1 : 0 });
      // It was for that process alone.
      back.disconnect();
      const again = await test.join("a", { actors: [{ ...running, incarnation: 2 }] });
      expect(again.stopsOf("x")).toEqual([]);
      expect(again.stopActorIds).toEqual([]);
    },
  );

  it("RETURN-1, ACTOR-7: a killed actor that was forgotten is not adopted when the node that still runs it comes back", async () => {
    const test = await TestPlane.open({ maxDeadActors: 0, heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000 });
    const node = await alive(test, "x", { detached: true, fence: proto.Fence.FENCE_NONE });
    node.disconnect();
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    expect(test.state("x")).toBeUndefined();
    const running = [{ actorId: "x", incarnation: 1, address: "127.0.0.1:1" }];
    const back = await test.join("a", { actors: running });
    expect([back.stopActorIds, back.unknownActorIds]).toEqual([["x"], []]);
    // Another head may have lost the row: it asks, and again when the answer was lost with the link.
    const next = await test.reopened();
    for (let time = 0; time < 2; time++) {
      const there = await next.join("a", { actors: running });
      expect([there.stopActorIds, there.unknownActorIds]).toEqual([[], ["x"]]);
    }
    next.plane.adopt("a", { actor: running[0] ?? {}, spec: anActor("x", { detached: true }) });
    expect(next.state("x")).toBe("ALIVE");
  });

  it("ACTORTABLE-6: what the next head killed and forgot before the node came is stopped", async () => {
    const test = await TestPlane.open({ maxDeadActors: 1 });
    await alive(test, "x");
    await test.plane.lifecycle.create(aSpec("y"));
    await settle();
    const next = await test.reopened({ maxDeadActors: 1 });
    for (const actorId of ["x", "y"])
      await next.plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    expect([next.state("x"), next.state("y")]).toEqual([undefined, "DEAD"]);
    const actors = ["x", "y"].map((actorId) => ({ actorId, incarnation: 1, address: "127.0.0.1:1" }));
    const there = await next.join("a", { actors });
    expect([there.stopActorIds.toSorted(), there.unknownActorIds]).toEqual([["x", "y"], []]);
  });

  it("actors of a node whose link broke for a moment do not notice", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: 3 });
    node.disconnect();
    const back = await test.join("a", {
      actors: [{ actorId: "x", incarnation: 1, address: "127.0.0.1:7001", pid: 101 }],
    });
    expect(back.stopActorIds).toEqual([]);
    expect(test.plane.actors.get("x")).toMatchObject({ state: "ALIVE", incarnation: 1, restarts: 0 });
    expect(back.startsOf("x")).toEqual([]);
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 3 });
  });

  it("NODELINK-3: what a node did not list after a break is settled at its first heartbeat", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "gone", { maxRestarts: 1 });
    await test.plane.lifecycle.create(aSpec("lost-start"));
    await settle();
    node.disconnect();
    const back = await test.join("a", { heartbeat: false });
    expect(test.state("gone")).toBe("ALIVE");
    expect(back.startsOf("lost-start")).toEqual([]);
    back.heartbeat();
    await settle();
    expect(back.startsOf("lost-start")).toEqual([1]);
    expect(back.startsOf("gone")).toEqual([2]);
    expect(test.plane.actors.get("gone")?.certificate?.reason).toContain("unreachable for the head");
  });

  it("a node's own word about a death after a break is believed instead", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x");
    node.disconnect();
    const back = await test.join("a", { heartbeat: false });
    back.died("x", 1, { certificate: { reason: "out of memory", signal: "SIGKILL" } });
    back.heartbeat();
    expect(test.plane.actors.get("x")?.certificate?.reason).toBe("out of memory");
  });
});

describe("a head that was killed and started again", () => {
  it("goes on with actors that their node reports alive, same incarnation, same restarts", async () => {
    const first = await TestPlane.open();
    await alive(first, "x", { maxRestarts: 2, args: Uint8Array.of(1, 2), name: "learner" });
    const second = await first.reopened();
    expect(second.plane.clusterId).toBe(first.plane.clusterId);
    expect(second.plane.actors.byName("learner")).toEqual(first.plane.actors.get("x"));
    second.session("session-test");
    const node = await second.join("a", {
      actors: [{ actorId: "x", incarnation: 1, address: "127.0.0.1:7001", pid: 101 }],
    });
    expect(second.plane.actors.get("x")).toMatchObject({
      state: "ALIVE",
      incarnation: 1,
      restarts: 0,
      pid: 101,
    });
    expect(node.startsOf("x")).toEqual([]);
    expect(second.plane.nodes.get("a")?.available).toEqual({ cpu: 3 });
  });

  it("counts actors of nodes that do not come back as died, and restarts them elsewhere", async () => {
    const times = { heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000, recoveryGraceMs: 10_000 };
    const first = await TestPlane.open(times);
    await alive(first, "x", { maxRestarts: 1 });
    await first.plane.lifecycle.create(aSpec("y"));
    await settle();
    first.plane.lifecycle.started("a", { actorId: "y", incarnation: 1, address: "127.0.0.1:1" });
    const second = await first.reopened(times);
    second.session("session-test");
    const node = await second.join("b");
    for (let beats = 0; beats < 9; beats++) {
      await second.clock.advance(1_000);
      node.heartbeat();
    }
    expect(second.state("x")).toBe("ALIVE");
    await second.clock.advance(3_000);
    expect(node.startsOf("x")).toEqual([2]);
    expect(second.plane.actors.get("y")).toMatchObject({
      state: "DEAD",
      certificate: { reason: expect.stringContaining("node lost") },
    });
  });

  it("believes a node that runs a later incarnation than the store remembers", async () => {
    const first = await TestPlane.open();
    await first.plane.lifecycle.create(aSpec("x"));
    const second = await first.reopened();
    const node = await second.join("a", {
      actors: [{ actorId: "x", incarnation: 1, address: "127.0.0.1:7001", pid: 5 }],
    });
    expect(second.plane.actors.get("x")).toMatchObject({ state: "ALIVE", incarnation: 1, nodeId: "a" });
    expect(node.startsOf("x")).toEqual([]);
  });

  it("OWNER-3: the actors of owners that do not come back end when a stopped driver's would", async () => {
    const first = await TestPlane.open();
    await alive(first, "x");
    const redisUrl = "redis://shared.invalid";
    const times = { ownerGraceMs: 10_000, recoveryGraceMs: 15_000, sessionLeaseMs: 60_000, redisUrl };
    const second = await first.reopened(times);
    const node = await second.join("a", {
      actors: [{ actorId: "x", incarnation: 1, address: "127.0.0.1:7001" }],
    });
    for (let beats = 0; beats < 59; beats++) {
      await second.clock.advance(1_000);
      node.heartbeat();
    }
    expect(second.state("x")).toBe("ALIVE");
    await second.clock.advance(2_000);
    expect(second.state("x")).toBe("DEAD");
    expect(node.stopsOf("x")).toHaveLength(1);
  });
});

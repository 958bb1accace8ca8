import { PalimpsestError } from "@palimpsest/wire";
import { describe, expect, it } from "vitest";
import { alive } from "../../testing/alive-actor.js";
import { aSpec } from "../../testing/builders.js";
import { settle } from "../../testing/manual-clock.js";
import { TestPlane } from "../../testing/plane.js";

describe("deaths of actors", () => {
  it("ACTOR-2: reports about another incarnation or from another node change nothing", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: 1 });
    const other = await test.join("b");
    node.died("x", 7);
    other.died("x", 1);
    other.started("x", 1);
    expect(test.plane.actors.get("x")).toMatchObject({ state: "ALIVE", nodeId: "a", incarnation: 1 });
    expect(other.stopsOf("x")).toHaveLength(1);
  });

  it("ACTOR-3: resources come back when the node says that the process is gone, not when the kill is asked", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x");
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "it was killed by a client" });
    expect(test.state("x")).toBe("DEAD");
    expect(node.stopsOf("x")[0]).toMatchObject({ graceMs: 2_000, reason: "it was killed by a client" });
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 3 });
    node.died("x", 1, { certificate: { reason: "killed", signal: "SIGTERM", lastStderrLines: ["bye"] } });
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 4 });
    expect(test.plane.actors.get("x")?.certificate).toMatchObject({
      reason: "it was killed by a client",
      signal: "SIGTERM",
      lastStderrLines: ["bye"],
      ownerId: "session-test",
    });
  });

  it("ACTOR-4: restarts at most maxRestarts times, then stays dead with the last certificate", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: 1 });
    node.died("x", 1);
    expect(test.plane.actors.get("x")).toMatchObject({ state: "RESTARTING", restarts: 1, address: "" });
    await settle();
    expect(node.startsOf("x")).toEqual([1, 2]);
    node.started("x", 2);
    node.died("x", 2, { certificate: { reason: "out of memory", signal: "SIGKILL" } });
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      incarnation: 2,
      certificate: { reason: "out of memory", signal: "SIGKILL", nodeId: "a" },
    });
    await settle();
    expect(node.startsOf("x")).toEqual([1, 2]);
  });

  it("ACTOR-8: one that ended itself is not started again, and its certificate says so", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    await test.plane.lifecycle.create(aSpec("child", { ownerId: "x", ownerIncarnation: 1 }));
    const certificate = { reason: "it exited by itself: done", exitCode: 0, exited: true };
    node.died("x", 1, { certificate });
    await settle();
    expect([test.state("x"), test.state("child")]).toEqual(["DEAD", "DEAD"]);
    expect(node.startsOf("x")).toEqual([1]);
    expect(test.plane.actors.get("x")?.certificate).toMatchObject(certificate);
  });

  it("what an incarnation spawned ends with it, so that the next one can take its names again", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "parent", { maxRestarts: 1 });
    const child = (actorId: string) =>
      aSpec(actorId, { ownerId: "parent", ownerIncarnation: 1, name: "helper", detached: false });
    await test.plane.lifecycle.create(child("first"));
    await test.plane.lifecycle.create(aSpec("free", { ownerId: "parent", detached: true }));
    node.died("parent", 1);
    expect([test.state("first"), test.state("free")]).toEqual(["DEAD", "STARTING"]);
    expect(test.plane.actors.get("first")?.certificate?.reason).toBe(
      "its owner, incarnation 1 of actor parent, ended",
    );
    await settle();
    node.started("parent", 2);
    node.died("first", 1);
    await test.plane.lifecycle.create(child("second"));
    expect(test.state("second")).toBe("STARTING");
  });

  it("a crash that is asked for twice happens once", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    const crash = () =>
      test.plane.lifecycle.kill("x", { noRestart: false, incarnation: 1, reason: "it was asked for" });
    await crash();
    node.died("x", 1);
    await settle();
    node.started("x", 2);
    await crash();
    expect(node.stopsOf("x")).toHaveLength(1);
  });

  it("slows the restarts of an actor that dies again and again", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    node.died("x", 1);
    await settle();
    node.died("x", 2);
    await settle();
    expect(node.startsOf("x")).toEqual([1, 2]);
    await test.clock.advance(100);
    expect(node.startsOf("x")).toEqual([1, 2, 3]);
    node.died("x", 3);
    await test.clock.advance(100);
    expect(node.startsOf("x")).toEqual([1, 2, 3]);
    await test.clock.advance(100);
    expect(node.startsOf("x")).toEqual([1, 2, 3, 4]);
  });

  it("the death of a node is the death of its actors, with a certificate that names it", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
    const node = await alive(test, "x");
    const session = test.session("session-test");
    node.disconnect();
    await test.clock.advance(4_000);
    expect(test.state("x")).toBe("ALIVE");
    await test.clock.advance(3_000);
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      certificate: {
        reason: expect.stringMatching(/^node lost: no heartbeat from a for /),
        nodeId: "a",
        pid: 101,
      },
    });
    expect(session.events.at(-1)?.actorDied?.spec?.actorId).toBe("x");
  });

  it("a kill that allows restarts is a crash: the process is killed at once and started again", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: 1 });
    await test.plane.lifecycle.kill("x", { noRestart: false, reason: "killed" });
    expect(node.stopsOf("x")[0]?.graceMs).toBe(0);
    expect(test.state("x")).toBe("ALIVE");
    node.died("x", 1);
    await settle();
    expect(node.startsOf("x")).toEqual([1, 2]);
    node.disconnect();
    await expect(
      test.plane.lifecycle.kill("x", { noRestart: false, reason: "killed" }),
    ).rejects.toMatchObject({
      code: "ACTOR_UNAVAILABLE",
    });
    await expect(
      test.plane.lifecycle.kill("unknown", { noRestart: true, reason: "" }),
    ).rejects.toBeInstanceOf(PalimpsestError);
  });

  it("actors that an actor owns die with it", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "parent");
    await test.plane.lifecycle.create(aSpec("child", { ownerId: "parent" }));
    await test.plane.lifecycle.create(aSpec("detached", { ownerId: "parent", detached: true }));
    node.died("parent", 1);
    await settle();
    expect([test.state("child"), test.state("detached")]).toEqual(["DEAD", "STARTING"]);
    expect(test.plane.actors.get("child")?.certificate?.reason).toBe("its owner, actor parent, died");
  });
});

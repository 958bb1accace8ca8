import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { startRetryReason } from "./start-retries.js";
import { anActor, aSpec } from "./testing/builders.js";
import { settle } from "./testing/manual-clock.js";
import { TestPlane } from "./testing/plane.js";

async function alive(test: TestPlane, actorId: string, over: Parameters<typeof aSpec>[1] = {}) {
  const node = await test.join("a");
  test.session("session-test");
  await test.plane.lifecycle.create(aSpec(actorId, over));
  await settle();
  node.started(actorId, 1);
  await settle();
  return node;
}

function reasonOf(test: TestPlane, actorId: string): string | undefined {
  const actor = test.plane.actors.get(actorId);
  return actor && test.plane.lifecycle.pendingReason(actor);
}

describe("ActorLifecycle", () => {
  it("ACTOR-1: a node is told to start an actor only when the store holds the decision", async () => {
    const test = await TestPlane.open();
    const node = await test.join("a");
    test.store.failure = new Error("redis is away");
    const created = test.plane.lifecycle.create(aSpec("x"));
    await test.clock.advance(100);
    expect(node.startsOf("x")).toEqual([]);
    test.store.failure = undefined;
    await test.clock.advance(500);
    await created;
    expect(node.startsOf("x")).toEqual([1]);
  });

  it("JOURNAL-2: a request that is repeated is answered only when the store holds what the first one asked for", async () => {
    const test = await TestPlane.open();
    test.store.failure = new Error("redis is away");
    const { lifecycle } = test.plane;
    let answers = 0;
    const answered = () => answers++;
    for (let time = 0; time < 2; time++) void lifecycle.create(aSpec("x")).then(answered);
    await test.clock.advance(100);
    const reason = "it was killed by a client";
    for (let time = 0; time < 2; time++) void lifecycle.kill("x", { noRestart: true, reason }).then(answered);
    await test.clock.advance(100);
    expect(answers).toBe(0);
    test.store.failure = undefined;
    await test.clock.advance(2_000);
    expect(answers).toBe(4);
  });

  it("ACTOR-3: a node that lists an older incarnation keeps the lease of the one that it is to start, and is told again", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    test.plane.nodes.disconnected("a", node, true);
    const running = [{ actorId: "x", incarnation: 1, address: "127.0.0.1:7001" }];
    const back = await test.join("a", { actors: running });
    expect(back.startsOf("x")).toEqual([2]);
    // The link breaks before the start arrives.
    const again = await test.join("a", { actors: running });
    expect(test.plane.nodes.leasesOf("a")).toContain("actor/x#2");
    expect(again.startsOf("x")).toEqual([2]);
  });

  it("ACTOR-1: a node that registers again hears of a start only when the store holds it", async () => {
    const test = await TestPlane.open();
    await test.join("a");
    test.store.failure = new Error("redis is away");
    void test.plane.lifecycle.create(aSpec("x"));
    await test.clock.advance(100);
    const back = await test.join("a");
    expect(back.startsOf("x")).toEqual([]);
    test.store.failure = undefined;
    await test.clock.advance(2_000);
    expect(new Set(back.startsOf("x"))).toEqual(new Set([1]));
  });

  it("says why an actor waits, and places it when a node that fits joins", async () => {
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

  it("ACTOR-4: a start that a lost node cut short uses no restart", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000 });
    const first = await test.join("a");
    await test.plane.lifecycle.create(aSpec("x"));
    await settle();
    expect(first.startsOf("x")).toEqual([1]);
    first.disconnect(true);
    const second = await test.join("b");
    expect(second.startsOf("x")).toEqual([2]);
    expect(test.plane.actors.get("x")).toMatchObject({ state: "STARTING", restarts: 0 });
  });

  it("START-1: a start that failed for a passing reason is tried again and uses no restart", async () => {
    const test = await TestPlane.open({ nodeTimeoutMs: 600_000 });
    const node = await test.join("a");
    await test.plane.lifecycle.create(aSpec("x"));
    await settle();
    const constructorError = { code: "ACTOR_ERROR", message: "A.start threw: no Redis", retryable: true };
    for (let incarnation = 1; incarnation <= 20; incarnation++) {
      node.died("x", incarnation, { constructorError, certificate: { reason: constructorError.message } });
      expect(test.plane.actors.get("x")).toMatchObject({ state: "PENDING", startFailures: incarnation });
      await test.clock.advance(incarnation === 1 ? 100 : 10_000);
    }
    const waiting = test.plane.actors.get("x");
    expect(waiting && startRetryReason(waiting)).toBe(
      "its start failed 20 times for a passing reason and is tried again: A.start threw: no Redis",
    );
    node.started("x", 21);
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "ALIVE",
      restarts: 0,
      startFailures: 0,
      constructorError: undefined,
    });
  });

  it("START-1: failing starts end after their number or their time, also across a restart of the head", async () => {
    const limits = { startRetryAttempts: 3 };
    const test = await TestPlane.open(limits);
    const constructorError = { code: "UNAVAILABLE", message: "no head", retryable: true };
    const report = { constructorError, certificate: { reason: "no head" } };
    const node = await test.join("a");
    await test.plane.lifecycle.create(aSpec("x"));
    await settle();
    node.died("x", 1, report);
    await test.clock.advance(100);
    node.died("x", 2, report);
    const later = await test.reopened(limits);
    const again = await later.join("a");
    again.died("x", 3, report);
    expect(later.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      certificate: {
        reason: expect.stringMatching(/^its start failed 3 times in .* the last time: no head$/),
      },
      constructorError: { code: "UNAVAILABLE" },
    });
  });

  it("START-1: the wall clock has no say in how long starts may fail, and a restart of the head forgets nothing", async () => {
    const limits = { startRetryMs: 60_000, nodeTimeoutMs: 600_000 };
    const test = await TestPlane.open(limits);
    const constructorError = { code: "UNAVAILABLE", message: "no head", retryable: true };
    const report = { constructorError, certificate: { reason: "no head" } };
    const node = await test.join("a");
    await test.plane.lifecycle.create(aSpec("x"));
    await settle();
    node.died("x", 1, report);
    test.clock.jump(86_400_000);
    await test.clock.advance(40_000);
    node.died("x", 2, report);
    expect(test.plane.actors.get("x")).toMatchObject({ state: "PENDING", startFailingMs: 40_000 });
    await test.clock.advance(1_000);
    const later = await test.reopened(limits);
    later.clock.jump(-86_400_000);
    later.session("session-test");
    const again = await later.join("a");
    again.died("x", 3, report);
    expect(later.plane.actors.get("x")).toMatchObject({ state: "PENDING", startFailingMs: 40_000 });
    await later.clock.advance(20_000);
    again.died("x", 4, report);
    expect(later.plane.actors.get("x")?.certificate?.reason).toContain("its start failed 4 times in 60 s");
  });

  it("START-2: an actor that loses each node that starts it does not walk through the cluster", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000 });
    await test.plane.lifecycle.create(aSpec("poison", { maxRestarts: -1 }));
    const started: number[] = [];
    for (const nodeId of ["a", "b", "c", "d"]) {
      const node = await test.join(nodeId);
      await test.clock.advance(1_000);
      started.push(...node.startsOf("poison"));
      node.disconnect();
      await test.clock.advance(5_000);
    }
    expect(started).toEqual([1, 2, 3]);
    const reason = test.plane.actors.get("poison")?.certificate?.reason;
    expect(test.state("poison")).toBe("DEAD");
    expect(reason).toContain("3 nodes were lost while they started it (a, b, c), so it is not started");
  });

  it("START-4: a node that was only cut off while it started an actor does not count as lost", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000 });
    await test.plane.lifecycle.create(aSpec("x", { maxRestarts: -1 }));
    for (let cut = 0; cut < 5; cut++) {
      const node = await test.join("a");
      await test.clock.advance(1_000);
      expect(test.state("x")).toBe("STARTING");
      expect(test.plane.actors.get("x")?.lostStartNodeIds).toEqual([]);
      node.disconnect();
      await test.clock.advance(5_000);
      expect(test.plane.actors.get("x")?.lostStartNodeIds).toEqual(["a"]);
    }
    // Another process under the same id says that the first one has ended.
    await test.join("a", { instanceId: "instance-2" });
    expect(test.plane.actors.get("x")?.lostStartNodeIds).toEqual(["a"]);
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
    expect(() => aSpec("x", { resources: { quantities: { gpu: 1.5 } } })).toThrow("ask for 1 or 2");
  });

  it("ACTOR-5: a constructor that throws is final and its error is kept", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: 5 });
    node.died("x", 1, { constructorError: { code: "ACTOR_ERROR", message: "no such model" } });
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      constructorError: { message: "no such model" },
    });
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

  it("RETURN-1: a killed actor that was forgotten is not adopted when the node that still runs it comes back", async () => {
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

  it("ACTORTABLE-6: dead actors that may still run are forgotten last, so that another head does not adopt them", async () => {
    const test = await TestPlane.open({ maxDeadActors: 2 });
    const node = await alive(test, "x");
    node.disconnect();
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    for (const actorId of ["p", "q", "r"]) {
      await test.plane.lifecycle.create(aSpec(actorId));
      await test.plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    }
    const ids = () => [...test.plane.actors.all()].map((actor) => actor.spec.actorId);
    expect(ids()).toEqual(["x", "q", "r"]);
    const next = await test.reopened({ maxDeadActors: 2 });
    const back = await next.join("a", { actors: [{ actorId: "x", incarnation: 1, address: "h:1" }] });
    expect(back.stopActorIds).toEqual(["x"]);
    // Once its node has said how it ended it is one of the others.
    node.died("x", 1);
    expect(ids()).toEqual(["x", "r"]);
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
    expect(test.plane.actors.get("gone")?.certificate?.reason).toContain("out of the head's reach");
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

  it("an actor that is killed while it waits is never started", async () => {
    const test = await TestPlane.open();
    await test.plane.lifecycle.create(aSpec("x"));
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    const node = await test.join("a");
    expect(node.startsOf("x")).toEqual([]);
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 4 });
  });

  it("an actor killed between its placement and its start gives its resources back", async () => {
    const test = await TestPlane.open();
    const node = await test.join("a");
    test.store.failure = new Error("redis is away");
    void test.plane.lifecycle.create(aSpec("x"));
    await settle();
    expect(test.state("x")).toBe("STARTING");
    void test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    test.store.failure = undefined;
    await test.clock.advance(1_000);
    expect(node.startsOf("x")).toEqual([]);
    expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 4 });
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

  it("ACTORTABLE-1: a name belongs to one actor and is free again when that is dead", async () => {
    const test = await TestPlane.open();
    await alive(test, "x", { name: "learner" });
    const second = aSpec("y", { name: "learner" });
    await expect(test.plane.lifecycle.create(second)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      details: { actorId: "x" },
    });
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    await test.plane.lifecycle.create(second);
    expect(test.plane.actors.byName("learner")?.spec.actorId).toBe("y");
  });

  it("ACTORTABLE-2: nothing brings a dead actor back", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    node.started("x", 1);
    node.died("x", 1);
    await test.plane.actors.update("x", { state: "ALIVE" });
    await test.clock.advance(60_000);
    expect(test.state("x")).toBe("DEAD");
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

  it("remembers only so many dead actors, also in the store", async () => {
    const test = await TestPlane.open({ maxDeadActors: 2 });
    for (const actorId of ["x", "y", "z"]) {
      await test.plane.lifecycle.create(aSpec(actorId));
      await test.plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    }
    await settle();
    expect([...test.plane.actors.all()].map((actor) => actor.spec.actorId)).toEqual(["y", "z"]);
    expect([...(await test.store.readTable("actors")).keys()].sort()).toEqual(["y", "z"]);
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
    const times = { ownerGraceMs: 10_000, recoveryGraceMs: 15_000, sessionLeaseMs: 60_000 };
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

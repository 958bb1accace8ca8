import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { alive } from "../../testing/alive-actor.js";
import { aSpec } from "../../testing/builders.js";
import { settle } from "../../testing/manual-clock.js";
import { TestPlane } from "../../testing/plane.js";
import { startRetryReason } from "./start-retries.js";

describe("starts of actors", () => {
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
      "its start failed 20 times for a transient reason and will be retried: A.start threw: no Redis",
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

  it("START-3: failed starts and lost nodes are counted anew when the actor is ALIVE", async () => {
    const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000 });
    await test.plane.lifecycle.create(aSpec("x", { maxRestarts: -1 }));
    const lost = await test.join("a");
    lost.disconnect();
    await test.clock.advance(5_000);
    const node = await test.join("b");
    node.died("x", 2, { constructorError: { code: "UNAVAILABLE", message: "no head", retryable: true } });
    expect(test.plane.actors.get("x")).toMatchObject({ startFailures: 1, lostStartNodeIds: ["a"] });
    await test.clock.advance(200);
    node.started("x", 3);
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "ALIVE",
      startFailures: 0,
      startFailingMs: 0,
      lostStartNodeIds: [],
    });
  });

  it("START-4, RETURN-2: a node that was only cut off while it started an actor does not count as lost", async () => {
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

  it("ACTOR-5: a constructor that throws is final and its error is kept", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: 5 });
    node.died("x", 1, { constructorError: { code: "ACTOR_ERROR", message: "no such model" } });
    expect(test.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      constructorError: { message: "no such model" },
    });
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

  it.each(["before its node has settled what it did not list", "while its order is to be repeated"])(
    "an actor whose order a link took with it, killed %s, gives its resources and its name back",
    async (when) => {
      const test = await TestPlane.open();
      const lost = await test.join("a");
      const named = { name: "learner", fence: proto.Fence.FENCE_LEASE };
      await test.plane.lifecycle.create(aSpec("x", named));
      await settle();
      expect(lost.startsOf("x")).toEqual([1]);
      lost.disconnect();
      const isEarly = when.startsWith("before");
      if (!isEarly) {
        test.store.failure = new Error("redis is away");
        void test.plane.actors.update("x", { restarts: 0 });
      }
      const back = await test.join("a", { heartbeat: !isEarly });
      void test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
      if (isEarly) back.heartbeat();
      test.store.failure = undefined;
      await test.clock.advance(2_000);
      expect(back.startsOf("x")).toEqual([]);
      expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 4 });
      await test.plane.lifecycle.create(aSpec("y", named));
      await settle();
      expect(back.startsOf("y")).toEqual([1]);
    },
  );

  it.each([false, true])(
    "ACTOR-12: an actor that may run keeps its resources and its name until its node reports its end (node was back: %s)",
    async (isBack) => {
      const test = await TestPlane.open();
      const named = { name: "learner", fence: proto.Fence.FENCE_LEASE };
      await test.join("a");
      test.store.failure = new Error("redis is away");
      void test.plane.lifecycle.create(aSpec("x", named));
      await settle();
      let node = await test.join("a", { heartbeat: false });
      test.store.failure = undefined;
      await test.clock.advance(2_000);
      expect(node.startsOf("x")).toEqual([1]);
      if (isBack) {
        // The order is to be repeated, and waits for the store, when the node comes back again.
        test.store.failure = new Error("redis is away");
        void test.plane.actors.update("x", { restarts: 0 });
        node.heartbeat();
        node = await test.join("a", { actors: [{ actorId: "x", incarnation: 1 }] });
      }
      void test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
      node.heartbeat();
      test.store.failure = undefined;
      await test.clock.advance(2_000);
      expect(node.stopsOf("x")).toHaveLength(1);
      expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 3 });
      await test.plane.lifecycle.create(aSpec("y", named));
      await settle();
      expect(node.startsOf("y")).toEqual([]);
      node.died("x", 1);
      await settle();
      expect(node.startsOf("y")).toEqual([1]);
      expect(test.plane.nodes.get("a")?.available).toEqual({ cpu: 3 });
    },
  );
});

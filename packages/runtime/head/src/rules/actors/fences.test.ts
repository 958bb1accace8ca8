import { beforeEach, describe, expect, it } from "vitest";
import { aSpec } from "../../testing/builders.js";
import { settle } from "../../testing/manual-clock.js";
import { TestPlane } from "../../testing/plane.js";

const times = { heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000, fenceAfterMs: 20_000 };
const learner = (actorId: string, maxRestarts = 0) =>
  aSpec(actorId, { name: "learner", maxRestarts, detached: true });
const running = [{ actorId: "old", incarnation: 1, address: "127.0.0.1:7001" }];

it("FENCE-1: an actor that was lost with its node is started again when that node's lease has surely run out", async () => {
  const test = await TestPlane.open(times);
  const node = await test.join("a");
  await test.plane.lifecycle.create(learner("old", 1));
  await settle();
  node.started("old", 1);
  const other = await test.join("b");
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await test.clock.advance(1_000);
      other.heartbeat();
    }
  };
  node.disconnect();
  await pass(21_000);
  expect([test.plane.nodes.get("a")?.state, test.state("old")]).toEqual(["DEAD", "RESTARTING"]);
  expect(other.startsOf("old")).toEqual([]);
  await pass(2_000);
  expect(other.startsOf("old")).toEqual([2]);
});

describe("the name of a dead actor with fence: lease (FENCE-3)", () => {
  let test: TestPlane;
  let node: Awaited<ReturnType<TestPlane["join"]>>;
  let other: Awaited<ReturnType<TestPlane["join"]>>;

  /** Time passes, in which node b says that it lives. */
  async function beat(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await test.clock.advance(1_000);
      other.heartbeat();
    }
  }

  async function spawnNext(): Promise<void> {
    await test.plane.lifecycle.create(learner("new"));
    await settle();
  }

  const kill = () => test.plane.lifecycle.kill("old", { noRestart: true, reason: "killed" });
  const reason = () => {
    const actor = test.plane.actors.get("new");
    return actor && test.plane.lifecycle.pendingReason(actor);
  };

  beforeEach(async () => {
    test = await TestPlane.open(times);
    node = await test.join("a");
    await test.plane.lifecycle.create(learner("old"));
    await settle();
    node.started("old", 1);
    other = await test.join("b");
  });

  it("is started under again when the node of the killed one says that its process has ended", async () => {
    await kill();
    await spawnNext();
    expect(test.state("new")).toBe("PENDING");
    expect(test.plane.actors.byName("learner")?.spec.actorId).toBe("new");
    expect(reason()).toBe(
      "node a may still run old, which had the name learner: it waits until that has ended",
    );
    node.died("old", 1);
    await settle();
    expect(test.state("new")).toBe("STARTING");
  });

  it("waits for a node out of reach, until it is back without that process", async () => {
    node.disconnect();
    await kill();
    await spawnNext();
    const back = await test.join("a", { actors: running });
    expect(back.stopActorIds).toEqual(["old"]);
    expect(test.state("new")).toBe("PENDING");
    back.disconnect();
    await test.join("a");
    expect(test.state("new")).toBe("STARTING");
  });

  it("waits for a lost node until that must have fenced the process", async () => {
    node.disconnect();
    await kill();
    await spawnNext();
    await beat(15_000);
    expect(test.plane.nodes.get("a")?.state).toBe("DEAD");
    expect(test.state("new")).toBe("PENDING");
    await beat(6_000);
    expect(test.state("new")).toBe("PENDING");
    await beat(2_000);
    expect(test.state("new")).toBe("STARTING");
  });

  it("waits likewise when the loss of the node was the death of the actor", async () => {
    node.disconnect();
    await beat(5_000);
    expect(test.state("old")).toBe("DEAD");
    await spawnNext();
    await beat(15_000);
    expect(test.state("new")).toBe("PENDING");
    await beat(4_000);
    expect(test.state("new")).toBe("STARTING");
  });

  it("waits also at the next head, as FENCE-2 says", async () => {
    await kill();
    await spawnNext();
    test = await test.reopened(times);
    other = await test.join("b");
    await beat(20_000);
    expect(test.state("new")).toBe("PENDING");
    await beat(3_000);
    expect(test.state("new")).toBe("STARTING");
  });

  it("is free at the next head when the node of the dead one left in order, and when the wait was over", async () => {
    await kill();
    node.disconnect(true);
    test = await test.reopened(times);
    other = await test.join("b");
    await spawnNext();
    expect(test.state("new")).toBe("STARTING");
  });

  it("is free at once when the node has left, and when the process was never started", async () => {
    await kill();
    await spawnNext();
    node.disconnect(true);
    await settle();
    expect(test.state("new")).toBe("STARTING");
    test.store.failure = new Error("redis is away");
    void test.plane.lifecycle.create(aSpec("x", { name: "x", resources: { quantities: { cpu: 1 } } }));
    await settle();
    void test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    void test.plane.lifecycle.create(aSpec("y", { name: "x" }));
    await settle();
    expect([test.state("x"), test.state("y")]).toEqual(["DEAD", "PENDING"]);
    test.store.failure = undefined;
    await beat(2_000);
    expect(test.state("y")).toBe("STARTING");
  });
});

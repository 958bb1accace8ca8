import type * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { groupSpecFromProto } from "../tables/placement-group.js";
import { alive } from "../testing/alive-actor.js";
import { anActor, aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { MemoryStore } from "../testing/memory-store.js";
import { type TestNode, TestPlane } from "../testing/plane.js";

/** A store whose head is killed before what it writes of some rows arrives there. */
class CutStore extends MemoryStore {
  lost: ((key: string) => boolean) | undefined;

  override async write(writes: Parameters<MemoryStore["write"]>[0]): Promise<void> {
    await super.write(writes.filter(({ key }) => !this.lost?.(key)));
  }
}

const owned = { ownerId: "parent", ownerIncarnation: 1 };

describe("OWNER-7: what belongs to an actor", () => {
  it.each([0, 1])(
    "ends when a head died after it wrote the end of the owner alone (maxRestarts %i)",
    async (maxRestarts) => {
      const store = new CutStore();
      const test = await TestPlane.open({}, store);
      const node = await alive(test, "parent", { maxRestarts });
      await test.plane.lifecycle.create(aSpec("child", owned));
      await test.plane.lifecycle.create(aSpec("grandchild", { ownerId: "child", ownerIncarnation: 1 }));
      await test.plane.lifecycle.create(aSpec("free", { ...owned, detached: true }));
      const bundles = [{ quantities: { cpu: 0.1 } }];
      await test.plane.groups.create(
        groupSpecFromProto({ ...owned, groupId: "group", bundles, strategy: 1 }),
      );
      await settle();
      node.started("child", 1);
      await settle();
      store.lost = (key) => key !== "parent";
      node.died("parent", 1);
      await settle();
      store.lost = undefined;
      const next = await test.reopened();
      expect(next.state("child")).toBe("DEAD");
      expect(next.state("grandchild")).toBe("DEAD");
      expect(next.state("free")).not.toBe("DEAD");
      expect(next.plane.actors.get("child")?.certificate?.reason).toContain("incarnation 1 of actor parent");
      expect(next.plane.groups.known("group").state).toBe("REMOVED");
      // A node that still runs it is told to stop it.
      const back = await next.join("a", { actors: [{ actorId: "child", incarnation: 1, address: "h:1" }] });
      expect(back.stopActorIds).toEqual(["child"]);
    },
  );

  it("of a lost store is adopted only with the incarnation that owns it, and lives as long, not as a driver away", async () => {
    const test = await TestPlane.open({}, new MemoryStore());
    const running = (actorId: string, incarnation = 1): proto.RunningActor.$Properties => ({
      ...{ actorId, incarnation, pid: 1, address: "h:1" },
    });
    test.session("session-test");
    await test.join("a", { actors: [running("of-parent"), running("of-older")] });
    // The children are described before their owners.
    for (const [child, ownerId] of [
      ["of-parent", "parent"],
      ["of-older", "restarted"],
    ] as const) {
      const spec = anActor(child, { ownerId, ownerIncarnation: 1 });
      expect(test.plane.adopt("a", { actor: running(child), spec })).toBe(true);
    }
    await test.join("b", { actors: [running("parent"), running("restarted", 2)] });
    expect(test.plane.adopt("b", { actor: running("parent"), spec: anActor("parent") })).toBe(true);
    expect(test.plane.adopt("b", { actor: running("restarted", 2), spec: anActor("restarted") })).toBe(true);
    const late = anActor("late", { ownerId: "restarted", ownerIncarnation: 1 });
    expect(test.plane.adopt("b", { actor: running("late"), spec: late })).toBe(false);
    for (let second = 0; second < 60; second++) {
      test.plane.nodes.heartbeat("a");
      test.plane.nodes.heartbeat("b");
      await test.clock.advance(1_000);
    }
    expect([test.state("of-parent"), test.state("of-older")]).toEqual(["ALIVE", "DEAD"]);
  });
});

describe("OWNER-8: what a task has spawned", () => {
  const ofWorker = { ownerId: "worker", ownerIncarnation: 1 };

  async function spawnedByTask(): Promise<{ readonly test: TestPlane; readonly node: TestNode }> {
    const test = await TestPlane.open();
    const node = await alive(test, "worker", { taskWorker: true });
    await test.plane.lifecycle.create(aSpec("child", { ...ofWorker, name: "child" }));
    await test.plane.lifecycle.create(aSpec("nested", { ...ofWorker, taskWorker: true }));
    const bundles = [{ quantities: { cpu: 0.1 } }];
    await test.plane.groups.create(
      groupSpecFromProto({ ...ofWorker, groupId: "group", bundles, strategy: 1 }),
    );
    await settle();
    return { test, node };
  }

  const giveBack = { noRestart: true, isReturned: true, reason: "it was given back" };

  it("belongs to the worker's owner once the worker is returned, also for the next head", async () => {
    const { test } = await spawnedByTask();
    await test.plane.lifecycle.kill("worker", giveBack);
    const states = (one: TestPlane) => [
      ...["worker", "child", "nested"].map((id) => one.state(id)),
      one.plane.groups.known("group").state,
    ];
    expect(states(test)).toEqual(["DEAD", "STARTING", "DEAD", "CREATED"]);
    const next = await test.reopened();
    expect(states(next)).toEqual(["DEAD", "STARTING", "DEAD", "CREATED"]);
    next.session("session-test");
    next.plane.sessions.goodbye("session-test");
    expect(states(next).slice(1)).toEqual(["DEAD", "DEAD", "REMOVED"]);
  });

  it("ends with the worker's process, or with whoever owns the worker", async () => {
    for (const end of ["process", "owner"] as const) {
      const { test, node } = await spawnedByTask();
      if (end === "process") node.died("worker", 1);
      else test.plane.sessions.goodbye("session-test");
      expect(["child", "nested"].map((id) => test.state(id))).toEqual(["DEAD", "DEAD"]);
      expect(test.plane.groups.known("group").state).toBe("REMOVED");
    }
  });
});

import { describe, expect, it } from "vitest";
import { alive } from "../testing/alive-actor.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

async function waitingWorker() {
  const test = await TestPlane.open();
  const node = await alive(test, "w", { taskWorker: true, resources: { quantities: { cpu: 3, slots: 0 } } });
  const { plane } = test;
  const free = () => plane.nodes.get("a")?.available["cpu"];
  const tell = (waiting: boolean, revision: number, incarnation = 1) =>
    plane.taskWorkers.setWaiting({ actorId: "w", incarnation, waiting, revision });
  return { test, plane, node, free, tell };
}

describe("workers for tasks", () => {
  it("TASKWORKER-1: the highest revision counts, in whatever order they come", async () => {
    const { free, tell } = await waitingWorker();
    expect(free()).toBe(1);
    tell(true, 1);
    expect(free()).toBe(4);
    tell(false, 3);
    tell(true, 2);
    expect(free()).toBe(1);
    // Of another process of it.
    tell(true, 4, 2);
    expect(free()).toBe(1);
  });

  it("TASKWORKER-2: who goes on has its cpu at once, and nothing is placed until there is room again", async () => {
    const { test, plane, node, free, tell } = await waitingWorker();
    tell(true, 1);
    await plane.lifecycle.create(aSpec("child", { resources: { quantities: { cpu: 2 } } }));
    await settle();
    expect(node.startsOf("child")).toEqual([1]);
    tell(false, 2);
    expect(free()).toBe(-1);
    await plane.lifecycle.create(aSpec("late"));
    await settle();
    expect(test.state("late")).toBe("PENDING");
    node.started("child", 1);
    await settle();
    node.died("child", 1);
    await settle();
    expect(node.startsOf("late")).toEqual([1]);
  });

  it("TASKWORKER-3: one that waits still lends its cpu when its node has come back", async () => {
    const { test, node, free, tell } = await waitingWorker();
    tell(true, 1);
    node.disconnect();
    await test.join("a", { actors: [{ actorId: "w", incarnation: 1, address: "h:1" }] });
    expect(free()).toBe(4);
    tell(false, 2);
    expect(free()).toBe(1);
  });

  it("refuses what is no worker for tasks, and workers with what only actors have", async () => {
    const { plane, test } = await waitingWorker();
    await plane.lifecycle.create(aSpec("x"));
    expect(() => plane.taskWorkers.setWaiting({ actorId: "x" })).toThrow("is not a task worker");
    expect(() => plane.taskWorkers.setWaiting({ actorId: "nobody" })).toThrow("NOT_FOUND");
    for (const over of [{ name: "n" }, { detached: true }, { maxRestarts: 1 }])
      expect(() => aSpec("y", { taskWorker: true, ...over })).toThrow("task_worker is true");
    expect(test.state("y")).toBeUndefined();
  });

  it("ACTORTABLE-8: dead workers do not push dead actors out of the memory", async () => {
    const test = await TestPlane.open({ maxDeadActors: 2 });
    const { lifecycle, actors } = test.plane;
    const dies = async (actorId: string, taskWorker: boolean) => {
      await lifecycle.create(aSpec(actorId, { taskWorker }));
      await lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    };
    await dies("x", false);
    for (const actorId of ["w1", "w2", "w3", "w4"]) await dies(actorId, true);
    expect([...actors.all()].map(({ spec }) => spec.actorId)).toEqual(["x", "w3", "w4"]);

    // Nor do workers that may still run, when their session ends with all that it owned.
    const node = await test.join("a", { cpu: 8 });
    const created = ["y", "v1", "v2", "v3"];
    for (const actorId of created) await lifecycle.create(aSpec(actorId, { taskWorker: actorId !== "y" }));
    await settle();
    for (const actorId of created) node.started(actorId, 1);
    lifecycle.ownerEnded("session-test", "its driver ended");
    expect(actors.get("y")?.state).toBe("DEAD");
    expect(["v1", "v2", "v3"].filter((actorId) => actors.get(actorId))).toEqual(["v2", "v3"]);
  });
});

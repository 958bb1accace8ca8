/** Tests Ray's semantics of tasks: one test for each sentence of docs/contract.md that no other test covers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskCluster } from "../support/task-cluster.js";
import * as programs from "./programs.js";

const source = { from: new URL("./programs.ts", import.meta.url) };

// Each test starts and ends processes, which takes longer on a busy machine.

let cluster: TaskCluster;
let file: string;
beforeAll(async () => {
  cluster = await TaskCluster.start([2]);
  file = cluster.path("tasks");
});
afterAll(() => cluster?.stop());

const task = <Fn extends (...args: never[]) => unknown>(fn: Fn) => cluster.client.task(fn, source);
const begun = (label: string) => programs.begun(file, label);

describe("retries", () => {
  test("a task whose process dies runs maxRetries times more, and then fails with WORKER_DIED", async () => {
    const dying = task(programs.dieTimes).options({ maxRetries: 2 });
    await expect(dying(file, "always", 100)).rejects.toMatchObject({ code: "WORKER_DIED" });
    expect(begun("always")).toBe(3);
  });

  test("with maxRetries -1 a task runs until its process lives", async () => {
    expect(await task(programs.dieTimes).options({ maxRetries: -1 })(file, "endlessly", 4)).toBe(5);
  });

  test("what a task throws is retried with retryExceptions alone, at most maxRetries times", async () => {
    const failure = { code: "TASK_ERROR", cause: { name: "RangeError" } };
    const throwing = task(programs.throwAlways).options({ maxRetries: 2 });
    await expect(throwing(file, "once")).rejects.toMatchObject(failure);
    await expect(throwing.options({ retryExceptions: true })(file, "thrice")).rejects.toMatchObject(failure);
    expect([begun("once"), begun("thrice")]).toEqual([1, 3]);
  });

  test("deaths and errors use up the same retries", async () => {
    const both = task(programs.dieThenThrow).options({ retryExceptions: true });
    expect(await both.options({ maxRetries: 2 })(file, "enough")).toBe(3);
    await expect(both.options({ maxRetries: 1 })(file, "too few")).rejects.toMatchObject({
      code: "TASK_ERROR",
    });
    expect(begun("too few")).toBe(2);
  });

  test("a generator is retried only while nothing of it was seen", async () => {
    const items: number[] = [];
    for await (const item of task(programs.itemsThenDie)(file, "unseen", 0)) items.push(item);
    expect(items).toEqual([0, 1, 2]);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const item of task(programs.slowItemsThenDie)(file, "seen")) {
        seen.push(item);
        programs.note(file, "read");
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "WORKER_DIED" });
    expect([seen, begun("unseen"), begun("seen")]).toEqual([[0], 2, 1]);
  });
});

describe("cancellation", () => {
  test("the tasks of a task are cancelled with it, those that run, those that wait and those below them (TASKPOOL-2)", async () => {
    const running = task(programs.grandparent)(file);
    await expect.poll(() => begun("child")).toBe(1);
    running.cancel();
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    await expect.poll(() => [begun("child aborted"), begun("parent ended")]).toEqual([1, 1]);
    expect(begun("unplaced")).toBe(0);
    await expect.poll(() => cluster.workers()).toEqual([]);
  });

  test("with force the tasks of a task end with its process", async () => {
    const running = task(programs.stubbornParent)(file);
    await expect.poll(() => begun("stubborn")).toBe(1);
    running.cancel({ force: true });
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    await expect.poll(() => cluster.workers()).toEqual([]);
  });

  test("a task that has ended is not cancelled any more", async () => {
    const ended = task(programs.note)(file, "ended");
    expect(await ended).toBe(1);
    ended.cancel({ force: true });
    expect(await ended).toBe(1);
    expect(await task(programs.note)(file, "ended")).toBe(2);
  });
});

test("an actor that a task spawned outlives the worker that is returned, and ends with the program that ran the task (OWNER-8)", async () => {
  const other = await cluster.connect("other");
  const spawning = other.task(programs.spawns, source, { maxCalls: 1 });
  const actor = await spawning(file);
  // The worker is returned after one call.
  const owned = async () =>
    (await cluster.client.actors())
      .filter(({ ownerId }) => ownerId === other.sessionId)
      .map(({ role }) => role);
  await expect.poll(owned).toEqual(["Notes"]);
  expect(await actor.note("alive")).toBe(1);
  await other.close();
  await expect.poll(owned).toEqual([]);
});

describe("resources", () => {
  test("what a worker leased is free again when it is killed, and when its tasks are over", async () => {
    const available = async () => (await cluster.client.nodes())[0]?.available["cpu"];
    const wide = { resources: { cpu: 2 }, maxRetries: 0 };
    await expect(task(programs.dieTimes).options(wide)(file, "lease", 1)).rejects.toMatchObject({
      code: "WORKER_DIED",
    });
    expect(await task(programs.note).options(wide)(file, "after it")).toBe(1);
    await expect.poll(available).toBe(2);
  });
});

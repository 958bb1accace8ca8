/** Tests the history of a cluster as its processes report it: tasks, calls, transfers and deaths. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromeTrace } from "../packages/apps/cli/src/state/chrome-trace.js";
import { traceFormat } from "../packages/apps/cli/src/state/testing.js";
import { Echo, History } from "./support/history-actor.js";
import { TaskCluster } from "./support/task-cluster.js";
import * as functions from "./support/task-functions.js";

const source = { from: new URL("./support/task-functions.ts", import.meta.url) };
const actors = { from: new URL("./support/history-actor.ts", import.meta.url) };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([2]);
});
afterAll(() => cluster?.stop());

describe("tasks and calls", () => {
  test("that ended are listed with who ran and who called them, and failures with their error (TASKNEWS-1)", async () => {
    const { client } = cluster;
    const double = client.task(functions.double, source);
    expect(await double(21)).toBe(42);
    await expect(client.task(functions.failUntil, source)(9, cluster.path("f"), "no")).rejects.toThrow("no");
    await expect.poll(async () => (await client.tasks({ kinds: ["task"] })).length).toBe(2);
    const [finished] = await client.tasks({ name: "double" });
    expect(finished).toMatchObject({
      kind: "task",
      state: "finished",
      callerId: client.sessionId,
      role: "tasks",
    });
    expect(finished?.actorId).toMatch(/^worker-/);
    expect(finished?.endedAtMs).toBeGreaterThanOrEqual(finished?.startedAtMs ?? Number.POSITIVE_INFINITY);
    expect(Math.abs(Date.now() - (finished?.endedAtMs ?? 0))).toBeLessThan(60_000);
    expect(await client.tasks({ states: ["failed"] })).toMatchObject([
      { name: "failUntil", errorCode: "TASK_ERROR", errorMessage: "RangeError: no" },
    ]);
  });

  test("of a flood all are counted and a sample is listed", async () => {
    const { client } = cluster;
    const actor = await client.actor(Echo, actors).spawn();
    await Promise.all(Array.from({ length: 5_000 }, (_, index) => actor.echo(index)));
    const counts = async () => (await client.taskSummary()).find(({ name }) => name === "echo");
    await expect.poll(async () => (await counts())?.finished).toBe(5_000);
    const listed = await client.tasks({ name: "echo" });
    expect(listed.length + ((await counts())?.leftOut ?? 0)).toBe(5_000);
    expect(listed.length).toBeGreaterThan(100);
    expect(listed[0]).toMatchObject({ kind: "call", role: "Echo", actorId: actor.actorId });
    await actor.kill();
  });

  test("that run are listed as running, those that wait as pending, and a death is their end", async () => {
    const { client } = cluster;
    const actor = await client.actor(Echo, actors, { maxConcurrency: 1 }).spawn();
    const both = Promise.allSettled([actor.forever(), actor.echo(1)]);
    const states = async () =>
      (await client.tasks({ actorId: actor.actorId })).map(({ name, state }) => [name, state]);
    await expect.poll(states).toEqual([
      ["forever", "running"],
      ["echo", "pending"],
    ]);
    await actor.kill();
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect.poll(states).toEqual([["forever", "failed"]]);
    const dead = await client.events({ kind: "actor dead", subjectId: actor.actorId });
    expect(dead).toHaveLength(1);
  });

  test("that wait for a worker or whose worker died are told by the program that waits for them", async () => {
    const { client } = cluster;
    const wide = { resources: { cpu: 2 } };
    const first = client.task(functions.untilAborted, source, wide);
    const controller = new AbortController();
    const holding = first(controller.signal, cluster.path("hold"));
    await expect
      .poll(() => readFileSync(cluster.path("hold"), { encoding: "utf8", flag: "a+" }))
      .toBe("begun ");
    const waits = client.task(functions.double, source, { resources: { cpu: 1.5 } })(1);
    await expect
      .poll(async () => (await client.tasks({ states: ["pending"] })).map(({ name }) => name))
      .toEqual(["double"]);
    controller.abort();
    await expect(holding).rejects.toThrow();
    expect(await waits).toBe(2);
    const dying = client.task(functions.dieUntil, source, { maxRetries: 0 });
    await expect(dying(2, cluster.path("never"))).rejects.toMatchObject({ code: "WORKER_DIED" });
    await expect
      .poll(async () => (await client.tasks({ errorCode: "WORKER_DIED" })).map(({ name }) => name))
      .toEqual(["dieUntil"]);
  });
});

test("a transfer is listed with its size, and all of it is a trace that the viewer reads", async () => {
  const { client } = cluster;
  const second = await cluster.startNode(1);
  const there = { strategy: { nodeId: second.nodeId } };
  const reader = await client.actor(History, actors, there).spawn();
  const bytes = new Uint8Array(300_000).fill(7);
  expect(await reader.sum(bytes)).toBe(2_100_000);
  const transfers = () => client.tasks({ kinds: ["transfer"] });
  await expect.poll(async () => (await transfers()).length).toBe(1);
  expect(await transfers()).toMatchObject([
    { name: "fetch", state: "finished", nodeId: second.nodeId, role: "node" },
  ]);
  expect((await transfers())[0]?.sizeBytes).toBeGreaterThan(300_000);
  const trace = traceFormat.parse(JSON.parse(JSON.stringify(chromeTrace(await client.tasks(), Date.now()))));
  expect(trace.traceEvents.filter(({ ph }) => ph === "s").length).toBeGreaterThan(100);
});

test("who holds what is told of every object, the largest first: references, calls under way, captures, copies", async () => {
  const { client } = cluster;
  const large = await client.put(new Uint8Array(400_000));
  const inner = await client.put(new Uint8Array(200_000));
  const outer = await client.put({ inner, more: new Uint8Array(150_000) });
  inner.release();
  const echo = await client.actor(Echo, actors).spawn();
  const call = echo.hold(large);
  const rows = async () => {
    const { objects } = await client.memory();
    return objects.filter(({ objectId }) => [large, inner, outer].some((ref) => ref.objectId === objectId));
  };
  await expect.poll(async () => (await rows())[0]?.pinnedBy).toContain(client.sessionId);
  await expect.poll(async () => (await rows())[1]?.heldBy).toEqual([]);
  const [first, second, third] = await rows();
  expect(first).toMatchObject({ objectId: large.objectId, ownerId: client.sessionId, isCopy: false });
  expect(first?.heldBy).toContain(client.sessionId);
  expect(second).toMatchObject({ objectId: inner.objectId, capturedIn: [outer.objectId] });
  expect(third).toMatchObject({ objectId: outer.objectId, heldBy: [client.sessionId], pinnedBy: [] });
  // The call's end may be reported before the order to kill is answered.
  const ended = expect(call).rejects.toThrow();
  await echo.kill();
  await ended;
});

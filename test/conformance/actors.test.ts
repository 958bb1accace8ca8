/** Tests Ray's semantics of actors: one test for each sentence of docs/contract.md that no other test covers. */
import { writeFileSync } from "node:fs";
import type { ActorOptions } from "@palimpsest/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskCluster } from "../support/task-cluster.js";
import { begun, Crowd, Notes } from "./programs.js";

const source = { from: new URL("./programs.ts", import.meta.url) };

// Each test starts and ends processes, which takes longer on a busy machine.

let cluster: TaskCluster;
let file: string;
beforeAll(async () => {
  cluster = await TaskCluster.start([2]);
  file = cluster.path("actors");
});
afterAll(() => cluster?.stop());

const spawn = (options: ActorOptions = {}) => cluster.client.actor(Notes, source, options).spawn(file);
/** Spawns an actor whose gate can be opened and whose state can be read while other calls wait at the gate. */
const crowd = (options: ActorOptions) => {
  const lanes = { concurrencyGroups: { control: 1 }, methodGroups: { letGo: "control", seen: "control" } };
  return cluster.client.actor(Crowd, source, { ...options, ...lanes }).spawn();
};
const outcomeOf = (call: Promise<unknown>) => call.catch((reason: { readonly code: string }) => reason.code);

describe("calls under the death of their process", () => {
  test("those in flight fail with ACTOR_UNAVAILABLE without maxTaskRetries, and none of them runs twice", async () => {
    const actor = await spawn({ maxRestarts: 1 });
    await actor.pid();
    const calls = [actor.dieUntil("x1", 2), actor.note("x2"), actor.note("x3")];
    expect(await Promise.all(calls.map(outcomeOf))).toEqual(Array(3).fill("ACTOR_UNAVAILABLE"));
    expect(await actor.note("x4")).toBe(2);
    expect([begun(file, "x1"), begun(file, "x2"), begun(file, "x3")]).toEqual([1, 0, 0]);
    await actor.kill();
  });

  test("with maxTaskRetries they run again on the new process, in the order of their caller, before later ones", async () => {
    const actor = await spawn({ maxRestarts: -1, maxTaskRetries: 2 });
    await actor.pid();
    const order: string[] = [];
    const calls = [actor.dieUntil("y1", 2), ...["y2", "y3"].map((label) => actor.note(label))].map(
      (call, index) => call.then((incarnation) => order.push(`y${index + 1} in ${incarnation}`)),
    );
    await expect.poll(() => begun(file, "y1")).toBeGreaterThan(0);
    calls.push(actor.note("y4").then((incarnation) => order.push(`y4 in ${incarnation}`)));
    await Promise.all(calls);
    expect(order).toEqual(["y1 in 2", "y2 in 2", "y3 in 2", "y4 in 2"]);
    expect(begun(file, "y1")).toBe(2);
    await actor.kill();
  });

  test("a call runs at most maxTaskRetries times more; the actor outlives it", async () => {
    const actor = await spawn({ maxRestarts: -1, maxTaskRetries: 2 });
    await expect(actor.dieUntil("z", 100)).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
    expect(begun(file, "z")).toBe(3);
    expect(await actor.note("after z")).toBe(4);
    await actor.kill();
  });

  test("after the last of maxRestarts what is in flight and what comes later fails with ACTOR_DIED, with retries too", async () => {
    const actor = await spawn({ maxRestarts: 1, maxTaskRetries: -1 });
    const calls = [actor.dieUntil("d1", 100), actor.note("d2")];
    expect(await Promise.all(calls.map(outcomeOf))).toEqual(["ACTOR_DIED", "ACTOR_DIED"]);
    expect([begun(file, "d1"), begun(file, "d2")]).toEqual([2, 0]);
    expect(await outcomeOf(actor.note("d3"))).toBe("ACTOR_DIED");
  });

  test("what a method throws is no death: it is not retried by maxTaskRetries", async () => {
    const actor = await spawn({ maxRestarts: 1, maxTaskRetries: 5 });
    await expect(actor.refuse("thrown")).rejects.toMatchObject({
      code: "ACTOR_ERROR",
      cause: { name: "TypeError" },
    });
    expect([begun(file, "thrown"), await actor.note("alive")]).toEqual([1, 1]);
    await actor.kill();
  });
});

describe("kill", () => {
  test("is final whatever maxRestarts says; with restart it is a crash, which uses one of them", async () => {
    const forGood = await spawn({ maxRestarts: -1 });
    await forGood.pid();
    await forGood.kill();
    expect(await outcomeOf(forGood.note("killed"))).toBe("ACTOR_DIED");

    const actor = await spawn({ maxRestarts: 1, maxTaskRetries: -1 });
    await actor.pid();
    await actor.kill({ restart: true });
    await expect.poll(() => outcomeOf(actor.note("restarted"))).toBe(2);
    await actor.kill({ restart: true });
    await expect.poll(async () => (await actor.info()).state).toBe("dead");
  });

  test("of an actor that computes frees its name and its resources at once", async () => {
    const options = { name: "busy", resources: { cpu: 2 } };
    const first = await spawn(options);
    const spinning = outcomeOf(first.spinUntil("busy", cluster.path("never")));
    await expect.poll(() => begun(file, "busy")).toBe(1);
    await first.kill();
    expect(await spinning).toBe("ACTOR_DIED");
    const second = await spawn(options);
    expect(await second.note("second")).toBe(1);
    expect((await cluster.client.getActor("busy")).actorId).toBe(second.actorId);
    await second.kill();
  });
});

describe("calls that wait", () => {
  test("above maxPendingCalls fail with PENDING_CALLS_LIMIT at once, and those below it run in their order", async () => {
    const actor = await crowd({ maxConcurrency: 1, maxPendingCalls: 3 });
    const running = actor.join(0, true);
    await expect.poll(async () => (await actor.seen()).began).toEqual([0]);
    const calls = [1, 2, 3, 4, 5].map((index) => outcomeOf(actor.join(index, false)));
    expect(await Promise.all(calls.slice(3))).toEqual(Array(2).fill("PENDING_CALLS_LIMIT"));
    await expect.poll(() => outcomeOf(actor.letGo())).toBeUndefined();
    expect(await Promise.all([running, ...calls.slice(0, 3)])).toEqual([0, 1, 2, 3]);
    expect((await actor.seen()).began).toEqual([0, 1, 2, 3]);
    await actor.kill();
  });

  test("whose time is over or that are cancelled never run; the one that runs goes on", async () => {
    const actor = await spawn();
    const gate = cluster.path("gate of waiters");
    const running = actor.spinUntil("runs on", gate);
    await expect.poll(() => begun(file, "runs on")).toBe(1);
    const controller = new AbortController();
    const sentAtMs = performance.now();
    const late = outcomeOf(actor.with({ timeoutMs: 100 }).note("late"));
    const cancelled = outcomeOf(actor.with({ signal: controller.signal }).note("cancelled"));
    controller.abort();
    expect(await Promise.all([late, cancelled])).toEqual(["GET_TIMEOUT", "CANCELLED"]);
    // The actor counts from the call's arrival, which a busy machine delays.
    await expect.poll(() => performance.now() - sentAtMs).toBeGreaterThan(1_000);
    writeFileSync(gate, "");
    expect(await running).toBe(1);
    expect(await actor.note("next")).toBe(1);
    expect([begun(file, "late"), begun(file, "cancelled")]).toEqual([0, 0]);
    await actor.kill();
  });
});

describe("an async actor", () => {
  test("begins the calls of a caller in their order, ends them in any, at most maxConcurrency at once", async () => {
    const actor = await crowd({ maxConcurrency: 5 });
    const ended: number[] = [];
    const calls = Array.from({ length: 10 }, (_, index) =>
      actor.join(index, index === 0).then((value) => ended.push(value)),
    );
    await Promise.all(calls.slice(1));
    expect(ended).not.toContain(0);
    await actor.letGo();
    await calls[0];
    const { began, most } = await actor.seen();
    expect(began).toEqual(Array.from({ length: 10 }, (_, index) => index));
    expect(most).toBeLessThanOrEqual(5);
    expect(most).toBeGreaterThan(1);
    await actor.kill();
  });
});

test("a generator gives the items before its error, and then the error; it is not retried", async () => {
  const actor = await spawn({ maxTaskRetries: 3 });
  const items: number[] = [];
  const reading = (async () => {
    for await (const item of actor.with({ retryExceptions: true }).items("items", 3)) items.push(item);
  })();
  await expect(reading).rejects.toMatchObject({ code: "ACTOR_ERROR", cause: { name: "RangeError" } });
  expect([items, begun(file, "items")]).toEqual([[0, 1, 2], 1]);
  await actor.kill();
});

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskCluster } from "./support/task-cluster.js";
import * as functions from "./support/task-functions.js";

const from = new URL("./support/task-functions.ts", import.meta.url);
const source = { from };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([2]);
});
afterAll(() => cluster?.stop());

describe("a function as tasks", () => {
  test("runs elsewhere and gives its value; the head hears of workers, not of tasks", async () => {
    const double = cluster.client.task(functions.double, source);
    expect(await double(21)).toBe(42);
    const callsBefore = await cluster.headCalls();
    expect(callsBefore).toBeGreaterThan(0);
    const values = await Promise.all(Array.from({ length: 2_000 }, (_, index) => double(index)));
    expect(values).toEqual(values.map((_, index) => index * 2));
    expect((await cluster.headCalls()) - callsBefore).toBeLessThan(60);
  });

  test("gives back its workers when it has nothing for them", async () => {
    await cluster.client.task(functions.double, source)(1);
    await expect.poll(() => cluster.workers()).toEqual([]);
  });

  test("what it throws is a TASK_ERROR with the cause, and is not tried again unless that is asked for", async () => {
    const failing = cluster.client.task(functions.failUntil, source);
    const path = cluster.path("once");
    await expect(failing(2, path, "too small")).rejects.toMatchObject({
      code: "TASK_ERROR",
      cause: { name: "RangeError", message: "too small" },
    });
    expect(readFileSync(path, "utf8")).toBe("x");
    const retried = failing.options({ retryExceptions: true });
    expect(await retried(3, cluster.path("thrice"), "too small")).toBe(3);
  });

  test("a name that is no exported function is said so, as for an actor's class", async () => {
    const none = cluster.client.task<() => void>({ from, exportName: "nothing" });
    await expect(none()).rejects.toMatchObject({
      code: "IMPORT_FAILED",
      message: expect.stringContaining("not a function nothing"),
    });
  });

  test("a process that ends under it costs a retry each time, of which there are three", async () => {
    const dying = cluster.client.task(functions.dieUntil, source);
    expect(await dying(3, cluster.path("third"))).toBe(3);
    await expect(dying.options({ maxRetries: 0 })(2, cluster.path("never"))).rejects.toMatchObject({
      code: "WORKER_DIED",
      details: { signal: "SIGKILL" },
    });
  });

  test("maxCalls ends the process after so many calls, and another one goes on", async () => {
    const pid = cluster.client.task(functions.pid, source, { maxCalls: 2 });
    const pids: number[] = [];
    for (let call = 0; call < 6; call++) pids.push(await pid());
    expect(new Set(pids).size).toBe(3);
  });

  test("a generator gives its items as they come", async () => {
    const items: number[] = [];
    for await (const item of cluster.client.task(functions.count, source)(200)) items.push(item);
    expect(items).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });
});

describe("cancellation", () => {
  test("a task that waits is never run, one that runs has its signal aborted", async () => {
    const path = cluster.path("signals");
    const controller = new AbortController();
    const running = cluster.client.task(functions.untilAborted, source)(controller.signal, path);
    await expect.poll(() => readFileSync(path, "utf8")).toBe("begun ");
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    await expect.poll(() => readFileSync(path, "utf8")).toBe("begun aborted");

    const wide = { resources: { cpu: 2 } };
    const first = cluster.client.task(functions.pause, source, wide)(200);
    const waiting = cluster.client.task(functions.failUntil, source, wide)(9, cluster.path("unrun"), "ran");
    waiting.cancel();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    await first;
    expect(() => readFileSync(cluster.path("unrun"))).toThrow("ENOENT");
  });

  test("with force the process of one that computes on is ended, and those behind it run elsewhere", async () => {
    const wide = { resources: { cpu: 2 } };
    const double = cluster.client.task(functions.double, source, wide);
    const spin = cluster.client.task(functions.spin, source, wide);
    // Short tasks run first, so that many are sent ahead.
    await Promise.all(Array.from({ length: 500 }, (_, index) => double(index)));
    const spinning = spin(60_000);
    const behind = Array.from({ length: 20 }, (_, index) => double(index));
    await cluster.client.task(functions.pid, source, { resources: {} })();
    spinning.cancel({ force: true });
    await expect(spinning).rejects.toMatchObject({ code: "CANCELLED" });
    expect(await Promise.all(behind)).toEqual(Array.from({ length: 20 }, (_, index) => index * 2));
  });

  test("a task whose time is over is ended, also when it computes", async () => {
    const spin = cluster.client.task(functions.spin, source, { timeoutMs: 700 });
    await expect(spin(60_000)).rejects.toMatchObject({ code: "GET_TIMEOUT" });
    await expect.poll(() => cluster.workers()).toEqual([]);
  });
});

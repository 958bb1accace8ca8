import { afterAll, beforeAll, expect, test } from "vitest";
import { TaskCluster } from "./support/task-cluster.js";
import * as functions from "./support/task-functions.js";

const source = { from: new URL("./support/task-functions.ts", import.meta.url) };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([1]);
});
afterAll(() => cluster?.stop());

test("tasks that wait for tasks of their own, five deep, have one cpu between them and do not wait forever", async () => {
  const depth = cluster.client.task(functions.depth, source, { timeoutMs: 600_000 });
  expect(await depth(5)).toBe(5);
  // The waiting tasks have their cpu back: in the end all of it is free.
  await expect.poll(() => cluster.workers()).toEqual([]);
  await expect.poll(async () => (await cluster.client.nodes())[0]?.available["cpu"]).toBe(1);
});

test("two drivers share one cpu: neither keeps the other waiting forever", async () => {
  const other = await cluster.connect("other");
  let ended = false;
  const pause = cluster.client.task(functions.pause, source);
  const busy = (async () => {
    let done = 0;
    while (!ended) {
      await Promise.all([pause(20), pause(20), pause(20), pause(20)]);
      done += 1;
    }
    return done;
  })();
  await pause(1);
  expect(await other.task(functions.double, source)(4)).toBe(8);
  ended = true;
  expect(await busy).toBeGreaterThan(0);
});

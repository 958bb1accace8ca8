import { afterAll, beforeAll, expect, test } from "vitest";
import { TaskCluster } from "../support/task-cluster.js";
import * as functions from "../support/task-functions.js";

const source = { from: new URL("../support/task-functions.ts", import.meta.url) };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([1, 1]);
});
afterAll(() => cluster?.stop());

test("ten thousand tasks on two nodes are all answered, though a worker is killed in each thousand of them", async () => {
  // None of them should use up more than one retry in a thousand, and three is the default of every task.
  const double = cluster.client.task(functions.double, source);
  const chunk = 1_000;
  let kills = 0;
  async function killOne(): Promise<void> {
    const running = (await cluster.workers()).filter(({ state }) => state === "alive");
    const victim = running[kills % Math.max(1, running.length)];
    if (!victim) return;
    try {
      process.kill(victim.pid, "SIGKILL");
      kills += 1;
    } catch {
      // It has been given back meanwhile.
    }
  }
  const values: number[] = [];
  for (let first = 0; first < 10 * chunk; first += chunk) {
    let answered = 0;
    let killing: Promise<void> | undefined;
    const tasks = Array.from({ length: chunk }, async (_, index) => {
      const value = await double(first + index);
      answered += 1;
      if (answered === chunk / 5) killing = killOne();
      return value;
    });
    values.push(...(await Promise.all(tasks)));
    await killing;
  }
  expect(values).toEqual(values.map((_, index) => index * 2));
  expect(kills).toBeGreaterThan(5);
});

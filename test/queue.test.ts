/** Tests queues between programs: an actor and its handle, used by drivers and tasks. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as functions from "./support/queue-functions.js";
import { TaskCluster } from "./support/task-cluster.js";

const source = { from: new URL("./support/queue-functions.ts", import.meta.url) };
const light = { resources: {} };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([4]);
});
afterAll(() => cluster?.stop());

test("producers and consumers share a queue that is a value; a full one has producers wait", async () => {
  const { client } = cluster;
  const queue = await client.queue<number>({ maxSize: 3 });
  const produce = client.task(functions.produce, source, light);
  const producing = produce(queue.handle, 0, 20);
  const received = await client.task(functions.consume, source, light)(queue.handle, 20);
  await producing;
  expect(received).toEqual(Array.from({ length: 20 }, (_, number) => number));
  expect(await queue.isEmpty()).toBe(true);
  await queue.putAll([1, 2, 3]);
  expect([await queue.size(), await queue.isFull()]).toEqual([3, true]);
  await expect(queue.putNow(4)).rejects.toMatchObject({ code: "QUEUE_FULL" });
  await expect(queue.put(4, { timeoutMs: 50 })).rejects.toMatchObject({ code: "QUEUE_FULL" });
  expect(await queue.getAll(2)).toEqual([1, 2]);
  expect(await queue.getNow()).toBe(3);
  await expect(queue.getNow()).rejects.toMatchObject({ code: "QUEUE_EMPTY" });
  await expect(queue.putAll([1, 2, 3, 4])).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await expect(queue.getAll(0)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(queue.get({ timeoutMs: -1 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(client.queue({ maxSize: -1 })).rejects.toThrow("maxSize is -1");
  const waiting = expect(queue.get()).rejects.toMatchObject({ code: "ACTOR_DIED" });
  await queue.close();
  await waiting;
});

test("a program that ends while it waits takes no item with it; references stay alive in a queue (QUEUE-4)", async () => {
  const { client } = cluster;
  const items = await client.queue<string>();
  const news = await client.queue<number>();
  const wait = client.task(functions.waitForItem, source, { ...light, maxRetries: 0 });
  const lost = expect(wait(items.handle, news.handle)).rejects.toMatchObject({ code: "WORKER_DIED" });
  process.kill(await news.get({ timeoutMs: 600_000 }), "SIGKILL");
  await lost;
  await items.put("kept");
  expect(await items.get({ timeoutMs: 600_000 })).toBe("kept");

  const refs = await client.queue<{ values: Awaited<ReturnType<typeof client.put<Uint8Array>>> }>();
  const values = await client.put(new Uint8Array(200_000).fill(7));
  await refs.put({ values });
  values.release();
  const { values: back } = await refs.get();
  expect((await back.get())[0]).toBe(7);
});

test("a queue has a name for others", async () => {
  const { client } = cluster;
  const queue = await client.queue<string>({ name: "letters" });
  await client.task(functions.putByName, source, light)("letters", "a");
  expect(await queue.get({ timeoutMs: 600_000 })).toBe("a");
});

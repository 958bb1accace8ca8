/** The functions that the tests of queues run as tasks. */
import { type Cluster, Queue, type QueueHandle, taskContext } from "@palimpsest/client";

export async function produce(handle: QueueHandle<number>, from: number, to: number): Promise<void> {
  const queue = Queue.of(handle);
  for (let number = from; number < to; number++) await queue.put(number);
}

export async function consume(handle: QueueHandle<number>, count: number): Promise<number[]> {
  const queue = Queue.of(handle);
  const numbers: number[] = [];
  while (numbers.length < count) numbers.push(await queue.get({ timeoutMs: 600_000 }));
  return numbers;
}

/** Announces that it waits, and waits for an item of a queue until its process is ended. */
export async function waitForItem(items: QueueHandle<string>, news: QueueHandle<number>): Promise<string> {
  const waiting = Queue.of(items).get();
  await Queue.of(news).put(process.pid);
  return await waiting;
}

/** Puts an item into a queue that it finds by name. */
export async function putByName(name: string, item: string): Promise<void> {
  const cluster: Cluster = await taskContext().connect();
  await (await cluster.queue<string>({ name })).put(item);
}

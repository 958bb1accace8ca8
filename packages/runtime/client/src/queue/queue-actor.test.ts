import { expect, test } from "vitest";
import { QueueActor } from "./queue-actor.js";

const forever = 2 ** 31 - 1;
const never = new AbortController().signal;
const queueOf = (maxSize: number, maxBytes = 1_000_000) => new QueueActor<unknown>({ maxSize, maxBytes });

test("items leave in their order, to those that wait in theirs; nobody overtakes (QUEUE-1, QUEUE-2)", async () => {
  const queue = queueOf(0);
  const got: unknown[] = [];
  const two = queue.get(2, forever, never).then((items) => got.push(["two", items]));
  const one = queue.get(1, forever, never).then((items) => got.push(["one", items]));
  await queue.put(["a"], 0, never);
  // The first wants two: the one behind it does not get what is there.
  expect(queue.size()).toBe(1);
  await expect(queue.get(1, 0, never)).rejects.toMatchObject({ code: "QUEUE_EMPTY" });
  await queue.put(["b", "c"], 0, never);
  await Promise.all([two, one]);
  expect(got).toEqual([
    ["two", ["a", "b"]],
    ["one", ["c"]],
  ]);
});

test("a full queue has who puts wait, in their order, by items and by bytes (QUEUE-2, QUEUE-3)", async () => {
  const queue = queueOf(2, 10_000);
  await queue.put([1, 2], 0, never);
  expect(queue.isFull()).toBe(true);
  await expect(queue.put([3], 0, never)).rejects.toMatchObject({ code: "QUEUE_FULL", retryable: true });
  await expect(queue.put([3], 1, never)).rejects.toMatchObject({ code: "QUEUE_FULL" });
  const puts = [queue.put([3, 4], forever, never), queue.put([5], forever, never)];
  expect(await queue.get(1, 0, never)).toEqual([1]);
  expect(queue.size()).toBe(1);
  expect(await queue.get(1, 0, never)).toEqual([2]);
  expect(await queue.get(2, forever, never)).toEqual([3, 4]);
  await Promise.all(puts);
  expect(await queue.get(1, 0, never)).toEqual([5]);
  await queue.put([new Uint8Array(9_000)], 0, never);
  await expect(queue.put([new Uint8Array(9_000)], 0, never)).rejects.toMatchObject({ code: "QUEUE_FULL" });
  await expect(queue.put([new Uint8Array(20_000)], 0, never)).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
  await expect(queue.put([1, 2, 3], 0, never)).rejects.toThrow("put fewer at once");
});

test("who has given up takes nothing and puts nothing, and lets those behind it through (QUEUE-4)", async () => {
  const queue = queueOf(1);
  const [taker, putter] = [new AbortController(), new AbortController()];
  const gone = queue.get(2, forever, taker.signal);
  const waits = queue.get(1, forever, never);
  await queue.put(["a"], 0, never);
  taker.abort();
  await expect(gone).rejects.toMatchObject({ code: "CANCELLED" });
  expect(await waits).toEqual(["a"]);
  await queue.put(["b"], 0, never);
  const never1 = queue.put(["not put"], forever, putter.signal);
  const later = queue.put(["c"], forever, never);
  putter.abort();
  await expect(never1).rejects.toMatchObject({ code: "CANCELLED" });
  expect([await queue.get(1, 0, never), await queue.get(1, forever, never)]).toEqual([["b"], ["c"]]);
  await later;
  await expect(queue.get(1, forever, taker.signal)).rejects.toMatchObject({ code: "CANCELLED" });
});

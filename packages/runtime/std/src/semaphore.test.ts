import { expect, it } from "vitest";
import { Semaphore } from "./semaphore.js";

const of = (most: number, maxWaiting = 100) =>
  new Semaphore({ most, maxWaiting, full: (waiting) => new Error(`${waiting} wait`) });

it("SEMAPHORE-1, SEMAPHORE-2: serves in order, and who wants more than all has it alone", async () => {
  const bytes = of(10);
  const served: string[] = [];
  const taking = (name: string, amount: number) =>
    bytes.take(amount).then((release) => {
      served.push(name);
      return release;
    });
  const first = await bytes.take(6);
  const large = taking("large", 100);
  const small = taking("small", 1);
  expect([bytes.taken, bytes.waiting]).toEqual([6, 2]);
  first();
  first();
  const releaseLarge = await large;
  expect([served, bytes.taken]).toEqual([["large"], 10]);
  releaseLarge();
  (await small)();
  expect([served, bytes.taken]).toEqual([["large", "small"], 0]);
});

it("SEMAPHORE-2, SEMAPHORE-3: refuses one more than may wait, and lets those behind one that is aborted go on", async () => {
  const calls = of(2, 2);
  const release = await calls.take();
  const abort = new AbortController();
  const alone = calls.take(2, abort.signal);
  const behind = calls.take();
  await expect(calls.take()).rejects.toThrow("2 wait");
  abort.abort(new Error("gone"));
  await expect(alone).rejects.toThrow("gone");
  (await behind)();
  release();
  await expect(calls.take(1, abort.signal)).rejects.toThrow("gone");
  expect([calls.taken, calls.waiting]).toEqual([0, 0]);
});

it("SEMAPHORE-4: closes when what runs is done, and releases what fails", async () => {
  const calls = of(1);
  await expect(calls.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  const release = await calls.take();
  const waiting = calls.take();
  let closed = false;
  const closing = calls.close(() => new Error("closed")).then(() => (closed = true));
  await expect(waiting).rejects.toThrow("closed");
  await expect(calls.take()).rejects.toThrow("closed");
  expect(closed).toBe(false);
  release();
  await closing;
});

/** Tests a node whose store is smaller than what programs keep in it: values are spilled to disk and come back. */
import type { ObjectRef } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TaskCluster } from "./support/task-cluster.js";
import { sumAndValues } from "./support/value-task.js";

const mebibyte = 1024 * 1024;
const source = { from: new URL("./support/value-task.ts", import.meta.url) };
let cluster: TaskCluster;

beforeAll(async () => {
  cluster = await TaskCluster.start([]);
  const bounds = { objectStoreBytes: 16 * mebibyte, objectSpillBytes: 48 * mebibyte };
  await cluster.startNode(2, bounds);
});

afterAll(() => cluster?.stop());

const valuesOf = (index: number) => new Float64Array(mebibyte / 2).fill(index);

test("more than the store holds is kept, read, given to tasks, listed and freed; more than the disk holds is refused", async () => {
  const { client } = cluster;
  const refs: ObjectRef<Float64Array>[] = await Promise.all(
    Array.from({ length: 12 }, (_, index) => client.put(valuesOf(index))),
  );
  const spilled = async () => {
    const { objects } = await client.listObjects();
    return objects.filter(({ spilledNodeIds }) => spilledNodeIds.length === 1).length;
  };
  await expect.poll(spilled).toBeGreaterThanOrEqual(8);
  for (const [index, ref] of refs.entries()) {
    const values = await client.get(ref);
    expect(values.length).toBe(mebibyte / 2);
    expect(values.every((value) => value === index)).toBe(true);
  }
  const read = await Promise.all(refs.map((ref) => client.get(ref)));
  expect(read.map((values) => values[1])).toEqual(refs.map((_, index) => index));
  const [first = await client.put(valuesOf(0))] = refs;
  const summed = await client.task(sumAndValues, source)({ ref: first, more: new Float64Array([5]) });
  expect(summed.sum).toBe(5);
  summed.values.release();
  const more: Promise<ObjectRef>[] = [];
  for (let index = 0; index < 8; index++) more.push(client.put(valuesOf(index)));
  const outcomes = await Promise.allSettled(more);
  const refused = outcomes.filter((one) => one.status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused) {
    expect(reason).toMatchObject({ code: "OBJECT_STORE_FULL" });
    expect(String(reason)).toContain("objectSpillBytes");
  }
  for (const one of outcomes) if (one.status === "fulfilled") one.value.release();
  for (const ref of refs) ref.release();
  await expect.poll(async () => (await client.listObjects()).totalObjects).toBe(0);
});

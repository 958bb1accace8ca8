/** Tests quotas of objects with a head, nodes and drivers: a namespace stores no more on all nodes together than it may. */
import type { Cluster, ObjectRef } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TaskCluster } from "./support/task-cluster.js";

const megabyte = 1_000_000;
let cluster: TaskCluster;
let drivers: Cluster[];

beforeAll(async () => {
  cluster = await TaskCluster.start([], {
    quotas: { namespaces: { red: { objectBytes: 3.5 * megabyte } } },
    heartbeatIntervalMs: 100,
  });
  const nodes = [await cluster.startNode(2), await cluster.startNode(2)];
  drivers = await Promise.all(
    nodes.map(({ objectsAddress }, index) =>
      cluster.connect(`red-${index}`, { namespace: "red", objectsAddress }),
    ),
  );
});

afterAll(() => cluster?.stop());

const values = () => new Float64Array(megabyte / 8).fill(1);
const quota = async () => (await cluster.client.summary()).objectQuotas[0];

test("what a namespace stores on two nodes stays within its quota, waits for what is freed on the other, and is listed; others are not limited", async () => {
  const [first, second] = drivers;
  if (first === undefined || second === undefined) throw new Error("there are two drivers");
  const held: ObjectRef<Float64Array>[] = [await first.put(values()), await first.put(values())];
  held.push(await second.put(values()));
  await expect
    .poll(quota)
    .toMatchObject({ name: "namespace red", maxBytes: 3.5 * megabyte, waitingNodes: 0 });
  await expect(first.put(new Float64Array(megabyte / 2))).rejects.toMatchObject({
    code: "OBJECT_STORE_FULL",
    message: expect.stringMatching(
      /quota objectBytes of namespace red: .* of 3500000 used.*store it in pieces/,
    ),
  });
  const fourth = second.put(values());
  await expect.poll(quota).toMatchObject({ waitingNodes: 1 });
  await cluster.client.put(new Float64Array(megabyte));
  held.splice(0, 1)[0]?.release();
  expect((await (await fourth).get()).length).toBe(megabyte / 8);
  await expect.poll(async () => (await quota())?.usedBytes).toBeGreaterThan(3 * megabyte - 1);
  for (const one of [...held, await fourth]) one.release();
  await expect.poll(async () => (await cluster.client.summary()).objectQuotas).toEqual([]);
});

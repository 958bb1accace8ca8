/** Tests tasks in the bundles of placement groups, with worker processes on two nodes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { TaskCluster } from "./support/task-cluster.js";
import * as functions from "./support/task-functions.js";

const source = { from: new URL("./support/task-functions.ts", import.meta.url) };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([2, 2]);
});
afterAll(() => cluster?.stop());

test("a task runs on its bundle's node, one without an index in whichever bundle has room", async () => {
  const { client } = cluster;
  const group = await client.placementGroup({ bundles: [{ cpu: 1 }, { cpu: 1 }], strategy: "STRICT_SPREAD" });
  await group.ready();
  const nodeIds = (await group.info()).bundles.map(({ nodeId }) => nodeId);
  const there = client.task(functions.whereabouts, source);
  for (const [bundle, nodeId] of nodeIds.entries()) {
    const inBundle = there.options({ placement: { group, bundle } });
    expect(await Promise.all([inBundle(), inBundle(), inBundle()])).toEqual([nodeId, nodeId, nodeId]);
  }
  const anywhere = client.task(functions.pauseThere, source, { placement: { group } });
  const seen = await Promise.all(Array.from({ length: 12 }, () => anywhere(400)));
  expect(new Set(seen)).toEqual(new Set(nodeIds));
  // There are two bundles of one cpu each: never more than two workers run, though the nodes have four cpus.
  const running = (await cluster.workers()).filter(({ state }) => state === "alive" || state === "starting");
  expect(running.length).toBeGreaterThan(0);
  expect(running.length).toBeLessThan(3);
  await group.remove();
});

test("one that no bundle could hold is refused, and those of a removed group end with it", async () => {
  const { client } = cluster;
  const group = await client.placementGroup({ bundles: [{ cpu: 1 }] });
  await group.ready();
  const double = client.task(functions.double, source, { placement: { group } });
  await expect(double.options({ resources: { cpu: 2 } })(1)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("more than any bundle"),
  });
  const path = cluster.path("in-group");
  const endless = client.task(functions.untilAborted, source, { placement: { group } });
  const running = endless(new AbortController().signal, path);
  const ended = expect(running).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect.poll(() => cluster.workers()).toHaveLength(1);
  await group.remove();
  await ended;
  await expect(double(1)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("was removed"),
  });
});

test("another driver gets room in a bundle that is busy with tasks", async () => {
  const { client } = cluster;
  const group = await client.placementGroup({ bundles: [{ cpu: 1 }] });
  await group.ready();
  const other = await cluster.connect("other");
  let ended = false;
  const pause = client.task(functions.pause, source, { placement: { group } });
  const busy = (async () => {
    while (!ended) await Promise.all([pause(20), pause(20), pause(20)]);
  })();
  await pause(1);
  const theirs = other.task(functions.double, source, { placement: { group: { groupId: group.groupId } } });
  expect(await theirs(4)).toBe(8);
  ended = true;
  await busy;
  await group.remove();
});

test("a group that captures children has tasks and actors of its tasks, however deep, but not what chooses its node", async () => {
  const { client } = cluster;
  const group = await client.placementGroup({ bundles: [{ cpu: 1 }, { cpu: 1 }], strategy: "STRICT_PACK" });
  await group.ready();
  const [nodeId] = (await group.info()).bundles.map((bundle) => bundle.nodeId);
  const captured = { group, captureChildren: true };
  const resources = { cpu: 0.25 };
  const descendants = client.task(functions.descendants, source, { resources, placement: captured });
  expect(await descendants(3)).toEqual([nodeId, nodeId, nodeId, nodeId]);
  const workers = await cluster.workers();
  expect(workers.length).toBeGreaterThan(1);
  expect(new Set(workers.map(({ groupId }) => groupId))).toEqual(new Set([group.groupId]));
  const actors = client.task(functions.capturedActors, source, { resources, placement: captured });
  expect(await actors()).toEqual([group.groupId, ""]);
  const free = client.task(functions.capturedActors, source, { resources, placement: { group } });
  expect(await free()).toEqual(["", ""]);
  await group.remove();
});

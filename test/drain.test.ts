/** Tests that a drained node leaves in order: its work continues elsewhere, and what only it has is moved. */

import { afterEach, beforeEach, expect, test } from "vitest";
import type { NodeManager } from "../packages/runtime/node/src/index.js";
import { Tally } from "./support/drain-actor.js";
import { TaskCluster } from "./support/task-cluster.js";
import * as functions from "./support/task-functions.js";

const source = { from: new URL("./support/task-functions.ts", import.meta.url) };
const actors = { from: new URL("./support/drain-actor.ts", import.meta.url) };

let cluster: TaskCluster;
let leaving: NodeManager;
let staying: NodeManager;
beforeEach(async () => {
  cluster = await TaskCluster.start([]);
  leaving = await cluster.startNode(2);
  // Values are put on the first node of this machine, which is the one that leaves.
  const ref = await cluster.client.put(new Uint8Array(200_000));
  staying = await cluster.startNode(2);
  ref.release();
});
afterEach(() => cluster?.stop());

async function untilDrained(deadlineMs: number): Promise<void> {
  const { client } = cluster;
  await expect.poll(async () => (await client.drain(leaving.nodeId, { deadlineMs })).done).toBe(true);
}

test("actors restart elsewhere and use no restart, tasks finish, objects are moved (DRAIN-1, DRAIN-2, DRAIN-3, ACTOR-10)", async () => {
  const { client } = cluster;
  const here = { strategy: { nodeId: leaving.nodeId, soft: true } } as const;
  const moved = await client.actor(Tally, actors, { ...here, maxRestarts: 1, maxTaskRetries: 5 }).spawn();
  const bound = await client.actor(Tally, actors, here).spawn();
  expect([await moved.nodeId(), await bound.nodeId()]).toEqual([leaving.nodeId, leaving.nodeId]);
  const values = await Promise.all([1, 2, 3].map((fill) => client.put(new Uint8Array(300_000).fill(fill))));
  const nested = await client.put({ values, more: new Uint8Array(150_000) });
  for (const ref of values.slice(1)) ref.release();
  const held = async () =>
    (await client.listObjects()).objects.flatMap(({ holdingNodeIds }) => holdingNodeIds);
  await expect.poll(async () => (await held()).includes(leaving.nodeId)).toBe(true);
  const tasks = Array.from({ length: 30 }, (_, index) =>
    client
      .task(functions.pause, source, { maxRetries: 0 })(100)
      .then(() => index),
  );

  await client.drain(leaving.nodeId, { deadlineMs: 60_000 });
  expect(await Promise.all(tasks)).toEqual(Array.from({ length: 30 }, (_, index) => index));
  await expect.poll(() => moved.nodeId()).toBe(staying.nodeId);
  // The drain waits for the actor that cannot restart.
  const progress = await client.drain(leaving.nodeId);
  expect(progress).toMatchObject({ done: false, overdue: false, waitingActors: 1 });
  expect(await bound.nodeId()).toBe(leaving.nodeId);
  await bound.kill();
  await untilDrained(60_000);

  expect((await client.nodes()).map(({ nodeId, state }) => [nodeId, state])).toEqual([
    [leaving.nodeId, "dead"],
    [staying.nodeId, "alive"],
  ]);
  const [first] = values;
  expect(first && (await client.get(first))[0]).toBe(1);
  const read = await client.get(nested);
  expect((await Promise.all(read.values.map((ref) => client.get(ref)))).map(([byte]) => byte)).toEqual([
    1, 2, 3,
  ]);
  // The move has not used up the actor's only restart.
  const { incarnation, pid } = await moved.info();
  expect(incarnation).toBe(2);
  process.kill(pid, "SIGKILL");
  await expect.poll(async () => (await moved.info()).incarnation).toBe(3);
  const kinds = (await client.events()).map(({ kind }) => kind);
  expect(kinds).toContain("drain began");
  expect(kinds).toContain("actor moved");
  expect(kinds).toContain("drain ended");
});

test("at the deadline what still runs is ended, and tasks that may run again do so elsewhere", async () => {
  const { client } = cluster;
  const bound = await client.actor(Tally, actors, { strategy: { nodeId: leaving.nodeId } }).spawn();
  expect(await bound.nodeId()).toBe(leaving.nodeId);
  await expect(client.drain(leaving.nodeId, { deadlineMs: -1 })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  await expect(client.drain("node-none")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await untilDrained(1_000);
  await expect(bound.nodeId()).rejects.toMatchObject({ code: "ACTOR_DIED" });
  expect(await client.task(functions.double, source)(21)).toBe(42);
});

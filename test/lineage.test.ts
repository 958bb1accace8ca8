/** Tests results of tasks whose node is killed, with a head and nodes as real processes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type ObjectRef } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { items, made, next, putBy, short } from "./support/lineage-tasks.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";
import { ValueKeeper } from "./support/value-keeper.js";

const source = { from: new URL("./support/lineage-tasks.ts", import.meta.url) };
let cluster: TestCluster;
let file = 0;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 1 });
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

/** Starts a node that is to be killed, and returns it with a strategy that places tasks there while it lives. */
async function mortalNode(args: readonly string[] = []) {
  const command = await cluster.startWorker(args);
  const nodeId = command.output.match(/node-[0-9a-f]{12}/)?.[0] ?? "";
  const isThere = async () => (await cluster.client.nodes()).some((node) => node.nodeId === nodeId);
  await until("the node is there", isThere);
  const kill = async () => {
    command.kill("SIGKILL");
    await command.ended;
  };
  return { nodeId, there: { strategy: { nodeId, soft: true } } as const, kill };
}

const runsFile = () => join(cluster.dir, `runs-${++file}`);
const runsOf = (path: string) => [...readFileSync(path, "utf8")].sort().join("");

/** Expects that only that node has the object. The head learns of an object after the call that stored it. */
async function expectOnlyAt(nodeId: string, { objectId }: ObjectRef): Promise<void> {
  const holders = async () => {
    const { objects } = await cluster.client.listObjects({ limit: 1_000 });
    const row = objects.find((one) => one.objectId === objectId);
    return [...(row?.holdingNodeIds ?? []), ...(row?.copyNodeIds ?? [])];
  };
  await expect.poll(holders).toEqual([nodeId]);
}

test("a lost result is computed again, with what it was made of, once for all who want it; nothing else is (LINEAGE-1, LINEAGE-2)", async () => {
  const { client } = cluster;
  const { nodeId, there, kill } = await mortalNode();
  const runs = runsFile();
  const makes = client.task(made, source, there);
  const nexts = client.task(next, source, there);
  const alone = await makes.ref(runs, "x");
  const first = await makes.ref(runs, "a");
  const second = await nexts.ref(runs, "b", { before: first });
  const third = await nexts.ref(runs, "c", { before: second });
  const once = await makes.options({ maxRetries: 0 }).ref(runs, "o");
  const { put } = await client.task(putBy, source, there)();
  const keeper = await client
    .actor(ValueKeeper, { from: new URL("./support/value-keeper.ts", import.meta.url) }, there)
    .spawn();
  const ofActor = (await keeper.make(new Uint8Array(300_000))).made;
  for (const ref of [alone, first, second, third, once, put, ofActor]) await expectOnlyAt(nodeId, ref);
  // The first result of the chain is still needed, because the others are made from it.
  first.release();
  await kill();
  const values = await Promise.all([client.get(third), client.get(third), client.get(alone)]);
  expect(values.map((one) => [one.length, one.every((value) => value === one[0]), one[0]])).toEqual([
    [50_000, true, 3],
    [50_000, true, 3],
    [50_000, true, 1],
  ]);
  expect(runsOf(runs)).toBe("aabbccoxx");
  // The second result was made again for the last one, and is available.
  expect((await client.get(second))[0]).toBe(2);
  expect(runsOf(runs)).toBe("aabbccoxx");
  await expect(client.get(once)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  for (const lost of [put, ofActor]) {
    const failed = client.get(lost);
    await expect(failed).rejects.toMatchObject({ code: "OBJECT_LOST" });
    await expect(failed).rejects.toThrow("this one was stored with put, is the result of an actor");
  }
  for (const ref of [alone, second, third, once, put, ofActor]) ref.release();
  await until("the store is empty", async () => (await client.listObjects()).totalObjects === 0);
});

test("a task whose argument is lost has it made again; retries are used up (TASK-3, LINEAGE-3)", async () => {
  const { client } = cluster;
  const runs = runsFile();
  const labels = { mortal: "yes" };
  const node = await mortalNode(["--labels", "mortal=yes"]);
  const first = await client.task(made, source, { labels, maxRetries: 1 }).ref(runs, "a");
  await expectOnlyAt(node.nodeId, first);
  const other = await mortalNode(["--labels", "mortal=yes"]);
  await node.kill();
  // The task finds out that its argument is lost only when it runs, on the other node.
  const sum = await client.task(next, source, { strategy: { nodeId: other.nodeId } })(runs, "b", {
    before: first,
  });
  expect(sum[0]).toBe(2);
  expect(runsOf(runs)).toBe("aabb");
  await expectOnlyAt(other.nodeId, first);
  await other.kill();
  const failed = client.get(first);
  await expect(failed).rejects.toMatchObject({ code: "OBJECT_LOST" });
  await expect(failed).rejects.toThrow("has used its retries");
});

test("who borrows a lost result has the program that ran its task make it again, also as an argument of its own task, until that program has ended (LINEAGE-4, OWNERRECOVERY-1, OWNERRECOVERY-2)", async () => {
  const { client } = cluster;
  const runs = runsFile();
  const node = await mortalNode();
  const owner = await connect({ address: cluster.address, token: cluster.token, name: "owner" });
  const [read, passed, orphan] = await Promise.all(
    ["r", "p", "o"].map((letter) => owner.task(made, source, node.there).ref(runs, letter)),
  );
  if (!read || !passed || !orphan) throw new Error("there is no result");
  for (const ref of [read, passed, orphan]) await expectOnlyAt(node.nodeId, ref);
  const stays = (await client.nodes()).find(
    ({ nodeId, state }) => nodeId !== node.nodeId && state === "alive",
  );
  const here = { strategy: { nodeId: stays?.nodeId ?? "" } } as const;
  const keeper = await client
    .actor(ValueKeeper, { from: new URL("./support/value-keeper.ts", import.meta.url) }, here)
    .spawn();
  await keeper.keep([read]);
  // The driver of this test borrows too: from the actor.
  const mine = (await keeper.echo(passed)) as ObjectRef<Float64Array>;
  const other = (await keeper.echo(orphan)) as ObjectRef<Float64Array>;
  await node.kill();
  // The actor reads its own references; two reads at once cause a single run of the task.
  const values = await Promise.all([keeper.keptValues(), keeper.keptValues(), read.get()]);
  expect(values.slice(0, 2).map(([array]) => (array as Float64Array).length)).toEqual([50_000, 50_000]);
  const sum = await client.task(next, source, here)(runs, "n", { before: mine });
  expect(sum[0]).toBe(2);
  expect(runsOf(runs)).toBe("nnopprr");
  await owner.close();
  const failed = client.get(other);
  await expect(failed).rejects.toMatchObject({ code: "OBJECT_LOST" });
  await expect(failed).rejects.toThrow("has ended");
  for (const ref of [mine, other]) ref.release();
  await keeper.drop();
  // Values that earlier tests left are not counted.
  const borrowed = new Set([read, passed, orphan].map(({ objectId }) => objectId));
  const left = async () => (await client.listObjects({ limit: 1_000 })).objects;
  await until(
    "nothing of it is left",
    async () => !(await left()).some(({ objectId }) => borrowed.has(objectId)),
  );
});

test("a small result stays with the program that has the reference; a generator gives none", async () => {
  const { client } = cluster;
  const runs = runsFile();
  const before = (await client.listObjects()).totalObjects;
  const ref = await client.task(short, source).ref(runs);
  expect(await client.get(ref)).toBe("short");
  expect((await client.listObjects()).totalObjects).toBe(before);
  await expect(client.task(items, source).ref()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

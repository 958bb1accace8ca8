/**
 * Tests values with a head and nodes as real processes: they are put, read, awaited and freed, and nothing is left when
 * a process is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, type ObjectRef } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 1 });
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

/** As the head knows it, which nodes tell a moment after a value was stored. */
const objectsInStores = async () => (await cluster.client.listObjects()).totalObjects;

test("a value of any shape comes back equal and new, small as well as large", async () => {
  const { client } = cluster;
  const small = {
    text: "short",
    numbers: [1, 2.5, 3n],
    map: new Map([["a", new Set([1])]]),
    date: new Date(1e12),
  };
  const ref = await client.put(small);
  const read = await client.get(ref);
  expect(read).toEqual(small);
  expect(read).not.toBe(small);
  // A value that no other process has seen costs no message.
  expect(await objectsInStores()).toBe(0);
  const large = {
    weights: new Float32Array(30_000).map((_, index) => index),
    bytes: new Uint8Array(randomBytes(60_000)),
    view: new DataView(new ArrayBuffer(50_000)),
    text: "x".repeat(300_000),
    small,
  };
  const stored = await client.put(large);
  expect(await client.get(stored)).toEqual(large);
  expect(await stored.get()).toEqual(large);
  await expect.poll(objectsInStores).toBe(1);
  stored.release();
  await until("the value is gone", async () => (await objectsInStores()) === 0);
  await expect(client.get(stored)).rejects.toMatchObject({ code: "OBJECT_LOST" });
});

test("an array is read into a buffer that is used again", async () => {
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251);
  const ref = await cluster.client.put(bytes);
  const into = new ArrayBuffer(3_000_000);
  const read = await cluster.client.get(ref, { into });
  expect(read.buffer).toBe(into);
  expect(Buffer.compare(read, bytes)).toBe(0);
  await cluster.client.free(ref);
  await expect(cluster.client.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
});

test("wait gives what is ready, of references and of promises", async () => {
  const { client } = cluster;
  const refs: ObjectRef[] = [];
  for (let index = 0; index < 100; index++) refs.push(await client.put(index));
  const { ready, pending } = await client.wait(refs, { count: 60 });
  expect([ready.length, pending.length]).toEqual([60, 40]);
  let finish: (value: number) => void = () => undefined;
  const slow = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const quick = Promise.resolve(1);
  expect(await client.wait([slow, quick])).toEqual({ ready: [quick], pending: [slow] });
  expect((await client.wait([slow, quick], { count: 2, timeoutMs: 20 })).pending).toEqual([slow]);
  setImmediate(() => finish(2));
  expect((await client.wait([slow, quick], { count: 2 })).ready).toHaveLength(2);
  await expect(client.wait([quick], { count: 2 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a driver's values end with it", async () => {
  const driver = await connect({ address: cluster.address, token: cluster.token, name: "short" });
  await driver.put(new Uint8Array(500_000));
  await expect.poll(objectsInStores).toBe(1);
  await driver.close();
  await until("they are gone", async () => (await objectsInStores()) === 0);
});

test("what a killed program was writing leaves nothing behind", async () => {
  const marks = new Set<string>();
  const child = startWriter();
  try {
    await until("it writes", async () => filesOfStore().some(({ name }) => name.endsWith(".part")));
    for (const { name } of filesOfStore()) if (name.endsWith(".part")) marks.add(name);
  } finally {
    child.kill("SIGKILL");
  }
  await until("its file is gone", async () => !filesOfStore().some(({ name }) => marks.has(name)), {
    timeoutMs: 600_000,
  });
});

/** Starts a program that puts a large value. */
function startWriter(): ChildProcess {
  const program = `
    import { connect } from "@palimpsest/client";
    const cluster = await connect({ address: process.argv[1], token: process.argv[2], name: "writer" });
    await cluster.put(new Uint8Array(1_500_000_000));
    setInterval(() => undefined, 1_000);
  `;
  const cwd = fileURLToPath(new URL("../packages/runtime/worker", import.meta.url));
  const args = ["--input-type=module", "-e", program, cluster.address, cluster.token];
  return spawn(process.execPath, args, { stdio: "inherit", cwd });
}

/** Returns every file of this cluster's node under the stores in shared memory. */
function filesOfStore(): { readonly name: string; readonly sizeBytes: number }[] {
  const nodeId = cluster.workers[0]?.output.match(/node-[0-9a-f]{12}/)?.[0] ?? "none";
  const folders = readdirSync("/dev/shm").filter((name) => name.includes(nodeId));
  return folders.flatMap((folder) => {
    const store = join("/dev/shm", folder, "store");
    return readdirSync(store).flatMap((name) => {
      try {
        return [{ name, sizeBytes: statSync(join(store, name)).size }];
      } catch {
        return [];
      }
    });
  });
}

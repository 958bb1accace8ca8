/** Tests the transfer of objects between nodes that are real processes. */
import { randomBytes, randomFillSync } from "node:crypto";
import { lstat } from "node:fs/promises";
import { Objects } from "@palimpsest/client";
import { Credentials, grpcNetwork, loadTls, objectsService } from "@palimpsest/wire";
import { afterEach, expect, test } from "vitest";
import type { Command } from "./support/command.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

let cluster: TestCluster;
let network: ReturnType<typeof grpcNetwork>;

afterEach(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

interface Node {
  readonly nodeId: string;
  readonly address: string;
  readonly command: Command;
  readonly objects: Objects;
}

/** Starts a cluster with this many workers. */
async function startCluster(workers: number, args: readonly string[]): Promise<readonly Node[]> {
  cluster = await TestCluster.start({ workers: 0 });
  network = grpcNetwork({ token: cluster.token });
  for (let started = 0; started < workers; started++)
    await cluster.startWorker(["--warm-processes", "0", ...args]);
  const nodes = await until("all workers are alive", async () => {
    const alive = (await cluster.client.nodes()).filter(({ state }) => state === "alive");
    return alive.length === workers && alive;
  });
  return nodes.map(({ nodeId, objectsAddress: address }) => {
    const command = cluster.workers.find(({ output }) => output.includes(nodeId));
    if (command === undefined) throw new Error(`no command runs node ${nodeId}`);
    return { nodeId, address, command, objects: objectsAt(address) };
  });
}

function objectsAt(address: string): Objects {
  const holder = cluster.client.sessionId;
  return new Objects({ address: async () => address, network, holder, defaultTimeoutMs: 600_000 });
}

async function inodeAt(address: string, objectId: string): Promise<number> {
  const peer = network.connect(address, "bulk");
  try {
    const { path } = await peer.unary(objectsService.stat, { objectId }, { timeoutMs: 600_000 });
    return (await lstat(path ?? "")).ino;
  } finally {
    peer.close();
  }
}

test("nodes of one machine have one file: what one of them frees stays with the other (FETCH-6)", async () => {
  const [first, second] = (await startCluster(2, [])) as [Node, Node];
  const bytes = randomBytes(5_000_000);
  const ref = await first.objects.put(bytes);
  await second.objects.hold(ref);
  const inodes = await Promise.all([first, second].map(({ address }) => inodeAt(address, ref.objectId)));
  expect(inodes[0]).toBe(inodes[1]);
  first.command.kill("SIGKILL");
  expect(Buffer.compare(await second.objects.get(ref), bytes)).toBe(0);
  for (const { objects } of [first, second]) objects.close();
});

/** Returns the bytes of objects that the node has sent or received so far. */
async function movedBy({ nodeId }: Node, direction: "in" | "out"): Promise<number> {
  const node = (await cluster.client.nodes()).find((one) => one.nodeId === nodeId);
  const headers = { authorization: `Bearer ${cluster.token}` };
  const text = await (await fetch(`http://${node?.metricsAddress}/metrics`, { headers })).text();
  const lines = text
    .split("\n")
    .filter((line) => line.includes(`transferred_bytes_total{direction="${direction}"`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

const manyBytes = 192 * 1024 * 1024;
const byNetwork = ["--no-object-adoption"];

test("an object goes on from another node when its source is killed in the middle (BULKTRANSFER-1)", async () => {
  const [source, other, receiver] = (await startCluster(3, byNetwork)) as [Node, Node, Node];
  const bytes = new Uint8Array(manyBytes);
  randomFillSync(bytes, 0, 4096);
  const ref = await source.objects.put(bytes);
  await other.objects.hold(ref);
  const before = await movedBy(source, "out");
  const holding = receiver.objects.hold(ref);
  await until("the source has begun", async () => (await movedBy(source, "out")) > before, { everyMs: 1 });
  source.command.kill("SIGKILL");
  await holding;
  expect(Buffer.compare(await receiver.objects.get(ref), bytes)).toBe(0);
  for (const { objects } of [source, other, receiver]) objects.close();
});

test("receivers pass an object on, and one that is killed in the middle keeps no other from it (BULKTRANSFER-3)", async () => {
  const [source, ...receivers] = (await startCluster(4, byNetwork)) as [Node, Node, Node, Node];
  const [killed, ...others] = receivers as [Node, Node, Node];
  const bytes = new Uint8Array(manyBytes);
  randomFillSync(bytes, 0, 4096);
  const ref = await source.objects.put(bytes);
  const ends = receivers.map(({ objects }) => objects.hold(ref).catch((reason: unknown) => reason));
  await until("the source has begun", async () => (await movedBy(source, "out")) > 0, { everyMs: 1 });
  killed.command.kill("SIGKILL");
  await Promise.all(ends.slice(1));
  const read = await Promise.all(others.map(({ objects }) => objects.get(ref)));
  for (const got of read) expect(Buffer.compare(got, bytes)).toBe(0);
  // The source sends it once to a chain, and at most once more to each receiver that lost its predecessor.
  expect(await movedBy(source, "out")).toBeLessThan(3 * manyBytes);
  for (const { objects } of [source, ...receivers]) objects.close();
});

test("under TLS objects come in pieces too, and are the same", async () => {
  cluster = await TestCluster.start({ workers: 0, tls: true });
  for (let started = 0; started < 2; started++)
    await cluster.startWorker(["--warm-processes", "0", ...byNetwork]);
  const value = Buffer.alloc(24 * 1024 * 1024, "palimpsest");
  const ref = await cluster.client.put(value);
  const nodes = await until("both workers are alive", async () => {
    const alive = (await cluster.client.nodes()).filter(({ state }) => state === "alive");
    return alive.length === 2 && alive;
  });
  const where = await until("the head knows where the value is", async () => {
    const addresses = await cluster.client.locateObject(ref);
    return addresses.length === 1 && addresses;
  });
  const elsewhere = nodes.find(({ objectsAddress }) => !where.includes(objectsAddress));
  const credentials = Credentials.ofCluster(cluster.token, { tls: loadTls(cluster.certificates("driver")) });
  const holder = cluster.client.sessionId;
  const address = async () => elsewhere?.objectsAddress ?? "";
  const objects = new Objects({
    address,
    network: grpcNetwork({ credentials }),
    holder,
    defaultTimeoutMs: 600_000,
  });
  await objects.hold(ref);
  await expect.poll(async () => (await cluster.client.locateObject(ref)).length).toBe(2);
  objects.close();
});

/** Objects on their way between nodes that are real processes. */
import { randomBytes } from "node:crypto";
import { lstat } from "node:fs/promises";
import { Objects } from "@palimpsest/client";
import { grpcNetwork, objectsService } from "@palimpsest/wire";
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
  readonly address: string;
  readonly command: Command;
  readonly objects: Objects;
}

/** A cluster with as many workers. */
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
    return { address, command, objects: objectsAt(address) };
  });
}

function objectsAt(address: string): Objects {
  const holder = cluster.client.sessionId;
  return new Objects({ address: async () => address, network, holder, defaultTimeoutMs: 60_000 });
}

async function inodeAt(address: string, objectId: string): Promise<number> {
  const peer = network.connect(address, "bulk");
  try {
    const { path } = await peer.unary(objectsService.stat, { objectId }, { timeoutMs: 10_000 });
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
  for (const { objects } of [first, second]) await objects.close();
}, 120_000);

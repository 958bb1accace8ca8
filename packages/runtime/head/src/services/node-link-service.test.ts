import { Duplex } from "node:stream";
import { ownProtocols } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, it } from "vitest";
import { anActor, quietLogger } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";
import { createNodeLinkHandlers, type NodeLinkDeps } from "./node-link-service.js";

type HeadMessage = proto.HeadMessage.$Properties;

/** The stream of a node that reads nothing. */
class DeafNode extends Duplex {
  constructor() {
    super({ objectMode: true });
  }

  override _read(): void {}
  override _write(): void {}
}

/** The stream of a node, and what the head wrote into it. */
class TestLink extends Duplex {
  readonly received: HeadMessage[] = [];
  readonly failed: Promise<unknown>;

  constructor() {
    super({ objectMode: true });
    this.failed = new Promise((resolve) => this.on("error", resolve));
  }

  override _read(): void {}
  override _write(message: HeadMessage, _encoding: string, done: () => void): void {
    this.received.push(message);
    done();
  }
}

async function openLinks(leadership: Partial<NodeLinkDeps["leadership"]> = {}) {
  const test = await TestPlane.open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 5_000 });
  const { plane } = test;
  const { link } = createNodeLinkHandlers({
    nodes: plane.nodes,
    actors: plane.lifecycle,
    jobs: plane.jobLifecycle,
    objects: plane.objects,
    objectHolders: plane.objectHolders,
    objectQuotas: plane.objectQuotas,
    stacks: plane.stacks,
    recoveries: plane.recoveries,
    history: plane.history,
    logger: quietLogger(),
    clusterId: plane.clusterId,
    version: "1.4.2",
    protocols: ownProtocols(),
    redisUrl: () => "",
    heartbeatIntervalMs: 1_000,
    nodeTimeoutMs: 5_000,
    fenceAfterMs: 45_000,
    leadership: {
      epoch: 3,
      addresses: [],
      isCurrent: () => true,
      rise: async () => undefined,
      ...leadership,
    },
    adopt: () => false,
  });
  const register = async (nodeId: string, over: proto.RegisterNode.$Properties = {}) => {
    const stream = new TestLink();
    link(stream as unknown as Parameters<typeof link>[0]);
    stream.push({ register: { nodeId, total: { quantities: { cpu: 1 } }, ...over } });
    await settle();
    return stream;
  };
  const state = (nodeId: string) => plane.nodes.get(nodeId)?.state;
  return { test, register, state };
}

it("NODELINK-2: a stream that was replaced, or whose node is dead, changes nothing any more", async () => {
  const { test, register, state } = await openLinks();
  const older = await register("a", { instanceId: "one" });
  const newer = await register("a", { instanceId: "one" });
  older.push({ goodbye: {} });
  await settle();
  expect(state("a")).toBe("ALIVE");
  await test.clock.advance(7_000);
  expect(state("a")).toBe("DEAD");
  newer.push({ heartbeat: {} });
  await settle();
  expect(state("a")).toBe("DEAD");
});

it("NODELINK-5: a node leaves in order by a goodbye only", async () => {
  const { register, state } = await openLinks();
  (await register("leaves")).push({ goodbye: {} });
  (await register("ends")).push(null);
  (await register("is-cut")).emit("cancelled");
  await expect.poll(() => ["leaves", "ends", "is-cut"].map(state)).toEqual(["DEAD", "SUSPECT", "SUSPECT"]);
});

it("NODELINK-6: a node of another cluster, and one that has seen a later epoch, is refused", async () => {
  const seen: number[] = [];
  const { register, state } = await openLinks({ rise: async (epoch) => void seen.push(epoch) });
  const stranger = await register("stranger", { clusterId: "another" });
  expect(await stranger.failed).toMatchObject({
    details: expect.stringContaining("belongs to cluster another"),
  });
  const later = await register("later", { epoch: 4 });
  expect(await later.failed).toMatchObject({ details: expect.stringContaining("has seen epoch 4") });
  expect([state("stranger"), state("later"), seen]).toEqual([undefined, undefined, [4]]);
  await register("equal", { epoch: 3 });
  expect(state("equal")).toBe("ALIVE");
});

it("NODELINK-7: a heartbeat renews the node's lease only while no other head can lead", async () => {
  let current = false;
  const { register } = await openLinks({ isCurrent: () => current });
  const stream = await register("a");
  const renewals = () => stream.received.flatMap(({ leaseRenewed }) => leaseRenewed?.epoch ?? []);
  stream.push({ heartbeat: {} });
  await settle();
  expect(renewals()).toEqual([]);
  current = true;
  stream.push({ heartbeat: {} });
  await settle();
  expect(renewals()).toEqual([3]);
});

it("NODELINK-8: bytes of objects are granted only while no other head can lead", async () => {
  let current = false;
  const { register } = await openLinks({ isCurrent: () => current });
  const stream = await register("a", { protocols: ownProtocols() });
  const granted = () =>
    stream.received.flatMap(({ objectAllowance }) => objectAllowance?.quotas?.[0]?.grantedBytes ?? []);
  stream.push({ objectUse: { reset: true, quotas: [{ name: "namespace default", wantedBytes: 7 }] } });
  await settle();
  expect(granted()).toEqual([]);
  current = true;
  stream.push({ heartbeat: {} });
  await settle();
  expect(granted()).toHaveLength(1);
});

it("NODELINK-4: a node that does not read has so many bytes waiting for it, then its link is cut", async () => {
  const { plane } = await TestPlane.open();
  const { nodes, lifecycle, jobLifecycle, objects, objectHolders, stacks, recoveries, history } = plane;
  const { link } = createNodeLinkHandlers({
    nodes,
    actors: lifecycle,
    jobs: jobLifecycle,
    objects,
    objectHolders,
    objectQuotas: plane.objectQuotas,
    stacks,
    recoveries,
    history,
    logger: quietLogger(),
    clusterId: plane.clusterId,
    version: "1.4.2",
    protocols: ownProtocols(),
    redisUrl: () => "",
    heartbeatIntervalMs: 1_000,
    nodeTimeoutMs: 5_000,
    fenceAfterMs: 45_000,
    leadership: { epoch: 1, addresses: [], isCurrent: () => true, rise: async () => undefined },
    adopt: () => false,
  });
  const stream = new DeafNode();
  const failed = new Promise<unknown>((resolve) => stream.once("error", resolve));
  link(stream as unknown as Parameters<typeof link>[0]);
  stream.push({ register: { nodeId: "node-a", total: { quantities: { cpu: 1 } } } });
  await expect.poll(() => nodes.get("node-a")?.state).toBe("ALIVE");
  const startActor = { spec: { ...anActor("actor-1"), args: new Uint8Array(1024 * 1024) }, incarnation: 1 };
  for (let sent = 0; sent < 63; sent++) nodes.send("node-a", { startActor });
  expect(nodes.get("node-a")?.state).toBe("ALIVE");
  for (let sent = 0; sent < 2; sent++) nodes.send("node-a", { startActor });
  expect(nodes.get("node-a")?.state).toBe("SUSPECT");
  expect(await failed).toMatchObject({ details: expect.stringMatching(/messages of \d+ bytes unread/) });
  expect(nodes.send("node-a", { startActor })).toBe(false);
});

import { expect, it, onTestFinished } from "vitest";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";
import { ClusterScaling } from "./cluster-scaling.js";

async function headWithNode() {
  const test = await TestPlane.open();
  onTestFinished(() => test.plane.close());
  const { plane, clock } = test;
  test.session("session-test");
  const { nodes, pendingQueue, groups, drains } = plane;
  const scaling = new ClusterScaling(
    { clusterName: "test", address: "127.0.0.1:1" },
    { ...{ nodes, pendingQueue, groups, drains, clock }, confirmLead: () => plane.confirmLead() },
  );
  const node = await test.join("node-a", { cpu: 2 });
  const idleMs = () => scaling.nodes()[0]?.idleMs;
  return { test, plane, clock, scaling, node, idleMs };
}

it("a node is idle from the moment on at which nothing is leased of it (SCALING-1)", async () => {
  const { plane, clock, node, idleMs } = await headWithNode();
  clock.sleep(5_000);
  expect(idleMs()).toBe(5_000);
  await plane.lifecycle.create(aSpec("actor-a"));
  await settle();
  clock.sleep(5_000);
  expect(idleMs()).toBe(0);
  await plane.lifecycle.kill("actor-a", { noRestart: true, reason: "test" });
  node.died("actor-a", 1);
  await settle();
  clock.sleep(700);
  expect(idleMs()).toBe(700);
});

const held = (revision: number) => [
  { sha256: new Uint8Array(32).fill(7), sizeBytes: 10, held: true, revision },
];

it("a node that alone holds an object is not idle while nobody could take it (SCALING-1)", async () => {
  const { test, plane, clock, scaling, idleMs } = await headWithNode();
  plane.objects.report("node-a", { present: held(1) });
  clock.sleep(5_000);
  expect(idleMs()).toBe(0);
  expect(scaling.retire("node-a", "test")).toBe(false);
  await test.join("node-b");
  clock.sleep(1_000);
  expect(idleMs()).toBe(1_000);
});

it("an idle node is drained before it ends: its objects are moved first (SCALING-2)", async () => {
  const { test, plane, scaling, node } = await headWithNode();
  await test.join("node-b");
  plane.objects.report("node-a", { present: held(1) });
  expect(scaling.retire("node-a", "idle for 300 s")).toBe(false);
  expect(node.sent.at(-1)).toMatchObject({ drainObjects: { addresses: [expect.any(String)] } });
  expect(scaling.nodes()[0]?.view).toBeUndefined();
  plane.objects.report("node-b", { present: held(2) });
  plane.drains.tick();
  expect(node.sent.at(-1)).toEqual({ stopNode: { reason: "idle for 300 s", restart: false } });
});

it("an idle node whose objects cannot be moved in time is used again, and nothing is lost (DRAIN-4)", async () => {
  const { test, plane, clock, scaling, node, idleMs } = await headWithNode();
  await test.join("node-b");
  plane.objects.report("node-a", { present: held(1) });
  scaling.retire("node-a", "idle for 300 s");
  clock.sleep(600_000);
  plane.drains.tick();
  expect(node.sent.some(({ stopNode }) => stopNode)).toBe(false);
  expect(scaling.nodes()[0]?.view).toBeDefined();
  expect(idleMs()).toBe(0);
});

it("a retired node is told to end, and nothing is placed on it any more (SCALING-2)", async () => {
  const { plane, scaling, node } = await headWithNode();
  expect(scaling.retire("node-a", "idle for 300 s")).toBe(true);
  expect(node.sent.at(-1)).toEqual({ stopNode: { reason: "idle for 300 s", restart: false } });
  await plane.lifecycle.create(aSpec("actor-a"));
  await settle();
  expect(plane.actors.get("actor-a")?.state).toBe("PENDING");
  expect(scaling.demand().requests).toMatchObject([{ count: 1, request: { resources: { cpu: 1 } } }]);
  expect(scaling.nodes()[0]?.view).toBeUndefined();
});

it("a busy node is not retired (SCALING-2)", async () => {
  const { plane, scaling } = await headWithNode();
  await plane.lifecycle.create(aSpec("actor-a"));
  await settle();
  expect(scaling.retire("node-a", "test")).toBe(false);
});

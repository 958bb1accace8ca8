/** Tests meshes of actors in separate processes, on two nodes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { MeshMember } from "./support/mesh-member.js";
import { TaskCluster } from "./support/task-cluster.js";

const source = { from: new URL("./support/mesh-member.ts", import.meta.url) };

let cluster: TaskCluster;
beforeAll(async () => {
  cluster = await TaskCluster.start([2, 2]);
});
afterAll(() => cluster?.stop());

test("a mesh has its nodes, is called whole and by slices, and what becomes of each member is a value", async () => {
  const type = cluster.client.mesh(MeshMember, source, { shape: { node: 2, lane: 2 }, maxRestarts: 1 });
  const mesh = await type.spawnEach(({ node = 0, lane = 0 }) => [node * 10 + lane]);
  await mesh.ready();
  expect(mesh.size).toBe(4);
  const places = await mesh.broadcast.where();
  expect(places.map(({ rank }) => rank)).toEqual([0, 1, 10, 11]);
  const [first, second, third, fourth] = places.map(({ nodeId }) => nodeId);
  expect([first, third]).toEqual([second, fourth]);
  expect(first).not.toBe(third);

  expect(await mesh.slice({ node: 1 }).call.add(5)).toEqual([
    { at: { node: 1, lane: 0 }, actorId: mesh.members[2]?.actor.actorId, status: "ok", value: 15 },
    { at: { node: 1, lane: 1 }, actorId: mesh.members[3]?.actor.actorId, status: "ok", value: 16 },
  ]);
  expect(await mesh.slice({ lane: 0 }).broadcast.calls()).toEqual([0, 1]);
  expect(() => mesh.slice({ node: 2 })).toThrow(/which contains no member/);
  // The argument travels as an object, once for all members.
  expect(await mesh.broadcast.sum(new Float64Array(50_000).fill(1))).toEqual([
    50_000, 50_001, 50_010, 50_011,
  ]);

  // One member dies during its call and another never answers: both are reported as failures, in time.
  const fallen = await mesh.call.fall(10);
  expect(fallen.map(({ status }) => status)).toEqual(["ok", "ok", "failed", "ok"]);
  expect(fallen[2]).toMatchObject({ at: { node: 1, lane: 0 }, error: { code: "ACTOR_UNAVAILABLE" } });
  // The dead member is restarted, and is called at its new address.
  expect(await mesh.broadcast.add(1)).toEqual([1, 2, 11, 12]);
  const again = await mesh.call.fall(10);
  expect(again[2]).toMatchObject({ error: { code: "ACTOR_DIED" } });
  // The others have answered long before.
  const late = await mesh.with({ timeoutMs: 5_000 }).call.hang(1);
  expect(late.map((one) => (one.status === "ok" ? one.value : one.error.code))).toEqual([
    0,
    "GET_TIMEOUT",
    "ACTOR_DIED",
    11,
  ]);
  // The member that hangs would keep this call waiting, because it runs one call at a time.
  await expect(mesh.slice({ lane: 0 }).broadcast.add(1)).rejects.toMatchObject({ code: "ACTOR_DIED" });
  await mesh.kill();
});

test("a mesh of light actors is called through the processes that they share; one that ends is a failure", async () => {
  const shape = { node: 2, lane: 20 };
  const type = cluster.client.mesh(MeshMember, source, { shape, process: "shared" });
  const mesh = await type.spawnEach(({ node = 0, lane = 0 }) => [node * 100 + lane]);
  await mesh.ready();
  const ranks = mesh.members.map(({ at: { node = 0, lane = 0 } }) => node * 100 + lane);
  expect(await mesh.broadcast.add(1)).toEqual(ranks.map((rank) => rank + 1));
  expect(new Set((await mesh.broadcast.where()).map(({ pid }) => pid)).size).toBe(2);
  // A member is killed while one call hangs in it and another is queued behind; the shared process continues.
  const hanging = mesh.slice({ node: 0, lane: [3, 4] }).call.hang(3);
  const behind = mesh.slice({ node: 0, lane: 3 }).call.add(1);
  await mesh.members[3]?.actor.kill();
  const failed = { status: "failed", error: { code: expect.stringMatching(/ACTOR_DIED|ACTOR_UNAVAILABLE/) } };
  expect(await hanging).toMatchObject([failed, { status: "ok", value: 4 }]);
  expect(await behind).toMatchObject([failed]);
  const results = await mesh.call.add(1);
  expect(results.flatMap(({ status, at }) => (status === "failed" ? [at] : []))).toEqual([
    { node: 0, lane: 3 },
  ]);
  await mesh.kill();
});

test("a mesh on more nodes than there are is refused", async () => {
  const type = cluster.client.mesh(MeshMember, source, { shape: { node: 3 } });
  await expect(type.spawn(1)).rejects.toMatchObject({
    code: "UNSCHEDULABLE",
    message: expect.stringContaining("shape.node is 3, and 2 nodes are alive"),
  });
});

/** Tests what actors own, with real processes that are killed. */
import type { ActorHandle, ActorInfo } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Acting } from "./support/acting-actor.js";
import { isAlive } from "./support/processes.js";
import { TestCluster } from "./support/test-cluster.js";

const source = { from: new URL("./support/acting-actor.ts", import.meta.url) };

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 1 });
});
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const kind = () => cluster.client.actor(Acting, source);

/** Watches for an actor's death as a client that owns neither the actor nor its owner. */
async function deathOf(actorId: string): Promise<{ readonly died: Promise<ActorInfo> }> {
  const handle: ActorHandle<Acting> = await cluster.client.getActor<Acting>({ actorId });
  return { died: new Promise((resolve) => void handle.onDeath(resolve)) };
}

test("kill -9 of the owner ends what it spawned, down to grandchildren; the owner that is restarted spawns its own", async () => {
  const owner = await kind().options({ maxRestarts: 1 }).spawn();
  const { childId } = await owner.family(false);
  const child = await cluster.client.getActor<Acting>({ actorId: childId });
  const { childId: grandchildId } = await child.family(false);
  const { childId: freeId } = await owner.family(true);
  const deaths = await Promise.all([deathOf(childId), deathOf(grandchildId)]);
  // An actor learns of the death as well as a driver does.
  const watcher = await kind().spawn();
  await watcher.watch(childId);
  process.kill((await owner.where()).pid, "SIGKILL");
  const [ofChild, ofGrandchild] = await Promise.all(deaths.map(({ died }) => died));
  expect(ofChild?.certificate?.reason).toBe(`its owner, incarnation 1 of actor ${owner.actorId}, ended`);
  expect(ofGrandchild?.certificate?.reason).toBe(`its owner, actor ${childId}, was killed`);
  await expect.poll(() => watcher.heard()).toEqual([[childId, ofChild?.certificate?.reason]]);
  expect((await owner.where()).incarnation).toBe(2);
  expect(await (await cluster.client.getActor<Acting>({ actorId: freeId })).where()).toBeDefined();
  const again = await owner.family(false);
  const { died } = await deathOf(again.childId);
  // The owner is gone for good now: it has no restarts left.
  process.kill((await owner.where()).pid, "SIGKILL");
  expect((await died).certificate?.reason).toBe(`its owner, actor ${owner.actorId}, died`);
  await (await cluster.client.getActor({ actorId: freeId })).kill();
  await watcher.kill();
});

test("an owner that is killed while no head runs takes along what it spawned when the next head hears of it", async () => {
  const owner = await kind().options({ maxRestarts: 1 }).spawn();
  const { childId } = await owner.family(false);
  const child = await cluster.client.getActor<Acting>({ actorId: childId });
  const childPid = (await child.where()).pid;
  const ownerPid = (await owner.where()).pid;
  // The watch continues across the head's death.
  const { died } = await deathOf(childId);
  const watcher = await kind().spawn();
  await watcher.watch(childId);
  cluster.head.kill("SIGKILL");
  await cluster.head.ended;
  process.kill(ownerPid, "SIGKILL");
  await cluster.startHead();
  const info = await died;
  expect(info.certificate?.reason).toContain(`its owner, incarnation 1 of actor ${owner.actorId}, ended`);
  await expect.poll(() => isAlive(childPid)).toBe(false);
  await expect.poll(() => watcher.heard()).toHaveLength(1);
  expect((await owner.where()).incarnation).toBe(2);
  await Promise.all([owner.kill(), watcher.kill()]);
});

test("the children of an owner whose node is killed end, on other nodes too", async () => {
  const lost = await cluster.startWorker(["--labels", "spot=yes"]);
  const owner = await kind()
    .options({ labels: { spot: "yes" } })
    .spawn();
  const { nodeId } = await owner.where();
  const { childId } = await owner.family(false, { spot: { exists: false } });
  const child = await cluster.client.getActor<Acting>({ actorId: childId });
  const { nodeId: childNodeId, pid } = await child.where();
  expect(childNodeId).not.toBe(nodeId);
  const { died } = await deathOf(childId);
  lost.kill("SIGKILL");
  expect((await died).certificate?.reason).toBe(`its owner, actor ${owner.actorId}, died`);
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect((await owner.info()).state).toBe("dead");
});

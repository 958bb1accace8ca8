/**
 * Tests Ray's semantics of references, owners and placement groups: one test for each sentence of docs/contract.md that
 * no other test covers.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskCluster } from "../support/task-cluster.js";
import * as programs from "./programs.js";

const source = { from: new URL("./programs.ts", import.meta.url) };

// Each test starts and ends processes, which takes longer on a busy machine.

let cluster: TaskCluster;
let file: string;
beforeAll(async () => {
  cluster = await TaskCluster.start([2]);
  file = cluster.path("values");
});
afterAll(() => cluster?.stop());

const stored = async () => (await cluster.client.listObjects()).totalObjects;
const available = async () => (await cluster.client.nodes())[0]?.available["cpu"];

describe("a value whose owner has gone", () => {
  test("can be read by those that refer to it, small or large, and is freed with the last of them", async () => {
    const other = await cluster.connect("owner");
    const keeper = await cluster.client.actor(programs.Notes, source, { detached: true }).spawn(file);
    const [small, large, unshared] = [
      await other.put("small"),
      await other.put(new Uint8Array(300_000).fill(5)),
      await other.put(new Uint8Array(300_000)),
    ];
    const theirs = await other.getActor<programs.Notes>({ actorId: keeper.actorId });
    await theirs.keep([small, large]);
    await other.close();
    const [text, bytes] = (await keeper.kept()) as [string, Uint8Array];
    expect([text, bytes.length, bytes[0]]).toEqual(["small", 300_000, 5]);
    // Values that nobody else refers to are freed with their owner.
    await expect.poll(stored).toBe(2);
    expect(unshared.objectId).not.toBe(large.objectId);
    await keeper.kill();
    await expect.poll(stored).toBe(0);
  });

  test("a task's process that ends takes what only it refers to, not what it gave to others", async () => {
    const { put } = await cluster.client.task(programs.puts, source, { maxCalls: 1 })(200_000);
    await expect.poll(() => cluster.workers()).toEqual([]);
    expect((await put.get())[199_999]).toBe(7);
    put.release();
    await expect.poll(stored).toBe(0);
  });
});

describe("get and wait", () => {
  test("get gives the values in the order of the references, and fails with the first that cannot be had", async () => {
    const { client } = cluster;
    const refs = await Promise.all([1, 2, 3].map((value) => client.put(value)));
    expect(await client.get(refs)).toEqual([1, 2, 3]);
    const [first, second] = refs;
    if (!first || !second) throw new Error("nothing was put");
    await client.free([second]);
    await expect(client.get(refs)).rejects.toMatchObject({ code: "OBJECT_LOST" });
    expect(await client.get(first)).toBe(1);
  });

  test("wait counts what failed as ready, keeps the order, and gives what there is when time is up", async () => {
    const { client } = cluster;
    const never = client.task(programs.waitForAbort, source)(file, "never");
    const failing = client.task(programs.throwAlways, source, { resources: { cpu: 1 } })(file, "fails");
    const ref = await client.put("there");
    const { ready, pending } = await client.wait([never, failing, ref], { count: 2, timeoutMs: 600_000 });
    expect([ready, pending]).toEqual([[failing, ref], [never]]);
    await expect(failing).rejects.toMatchObject({ code: "TASK_ERROR" });
    const late = await client.wait([never, ref], { count: 2, timeoutMs: 50 });
    expect([late.ready, late.pending]).toEqual([[ref], [never]]);
    never.cancel();
    await expect(never).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("a placement group", () => {
  test("leases all of its bundles or none, waits for room, and gives it back when it is removed", async () => {
    const { client } = cluster;
    await expect.poll(available).toBe(2);
    const first = await client.placementGroup({ bundles: [{ cpu: 1 }] });
    await first.ready();
    const second = await client.placementGroup({ bundles: [{ cpu: 1 }, { cpu: 1 }] });
    await expect(second.ready({ timeoutMs: 200 })).rejects.toMatchObject({ code: "UNSCHEDULABLE" });
    // A pending group reserves no bundle while it waits.
    expect(await available()).toBe(1);
    await first.remove();
    await second.ready();
    expect(await available()).toBe(0);
    await second.remove();
    await expect.poll(available).toBe(2);
  });

  test("ends with the program that made it; a detached one is found by its name and stays", async () => {
    const { client } = cluster;
    const other = await cluster.connect("groups");
    const bundles = [{ cpu: 1 }];
    const owned = await other.placementGroup({ bundles });
    await other.placementGroup({ bundles, name: "kept", lifetime: "detached" });
    const seen = await client.getPlacementGroup({ groupId: owned.groupId });
    await seen.ready();
    await other.close();
    await expect.poll(async () => (await seen.info()).state).toBe("removed");
    const kept = await client.getPlacementGroup("kept");
    await kept.ready();
    await kept.remove();
    await expect.poll(available).toBe(2);
  });
});

describe("resources", () => {
  test("an actor has them from its start to its end, through restarts too", async () => {
    await expect.poll(available).toBe(2);
    const actor = await cluster.client
      .actor(programs.Notes, source, { resources: { cpu: 0.5 }, maxRestarts: 1, maxTaskRetries: 1 })
      .spawn(file);
    const pid = await actor.pid();
    expect(await available()).toBe(1.5);
    process.kill(pid, "SIGKILL");
    expect(await actor.pid()).not.toBe(pid);
    expect(await available()).toBe(1.5);
    await actor.kill();
    await expect.poll(available).toBe(2);
  });
});

import type * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { HeadConfigInput } from "../rules/config.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";
import { submissionFromProto } from "./job.js";

/** A value's random name; of a capital letter the hash of an object that is named by it. */
const sha = (letter: string) => Buffer.alloc(letter === letter.toUpperCase() ? 32 : 20, letter);
const idOf = (letter: string) => sha(letter).toString("hex");
const place = (letter: string, held: boolean, revision = 1): proto.ObjectPlace.$Properties => ({
  sha256: sha(letter),
  sizeBytes: 10,
  held,
  revision,
});

async function twoNodes(over: Partial<HeadConfigInput> = {}) {
  const times = { ownerGraceMs: 10_000, recoveryGraceMs: 15_000, nodeTimeoutMs: 5_000 };
  const test = await TestPlane.open({ ...times, ...over });
  const nodes = { a: await test.join("a"), b: await test.join("b") };
  const { objects, objectHolders } = test.plane;
  for (const nodeId of ["a", "b"]) objects.report(nodeId, { reset: true });
  /** What the head ordered a node to drop. */
  const drops = (node: "a" | "b") =>
    nodes[node].sent.flatMap(({ dropObjects }) =>
      (dropObjects?.objects ?? []).map(({ sha256, revision }) => ({
        letter: String.fromCharCode(sha256?.[0] ?? 0),
        revision,
        holder: dropObjects?.holder ?? "",
        copiesOnly: dropObjects?.copiesOnly ?? false,
      })),
    );
  const ended = (node: "a" | "b") =>
    nodes[node].sent.flatMap(({ endedHolders }) => [...(endedHolders?.holders ?? [])]);
  return { test, nodes, objects, objectHolders, drops, ended };
}

describe("ObjectDirectory", () => {
  it("names the registered addresses of living nodes only, those that hold it first (DIRECTORY-1)", async () => {
    const { objects, nodes } = await twoNodes();
    objects.report("a", { present: [place("x", false)] });
    objects.report("b", { present: [place("x", true)] });
    expect((await objects.locate(idOf("x"), 0)).addresses).toEqual(["b:1", "a:1"]);
    nodes.b.disconnect();
    const { addresses, complete } = await objects.locate(idOf("x"), 0);
    expect([addresses, complete]).toEqual([["a:1"], false]);
  });

  it("waits for an object whose report is on its way", async () => {
    const { objects, test } = await twoNodes();
    const located = objects.locate(idOf("x"), 1_000);
    objects.report("a", { present: [place("x", true)] });
    expect((await located).addresses).toEqual(["a:1"]);
    const lost = objects.locate(idOf("y"), 1_000);
    await test.clock.advance(1_000);
    expect(await lost).toMatchObject({ addresses: [], complete: true });
  });

  it("is not complete while nodes may come that the tables have lost (DIRECTORY-2, RECOVERY-1)", async () => {
    const first = await TestPlane.open({ recoveryGraceMs: 15_000, nodeTimeoutMs: 60_000 });
    await first.join("a");
    const next = await first.reopened();
    await next.join("a");
    const { objects } = next.plane;
    objects.report("a", { reset: true });
    const [early, missing] = [await objects.locate(idOf("x"), 0), objects.missing([idOf("x")])];
    await next.clock.advance(15_000);
    const late = await objects.locate(idOf("x"), 0);
    expect([early.complete, missing.complete, late.complete]).toEqual([false, false, true]);
  });

  it("forgets what a node tells anew, and a dead node's (DIRECTORY-2)", async () => {
    const { objects, nodes } = await twoNodes();
    objects.report("a", { present: [place("x", true), place("y", true)] });
    objects.report("a", { reset: true });
    objects.report("a", { present: [place("y", true)] });
    expect(objects.missing([idOf("x"), idOf("y")])).toMatchObject({ objectIds: [idOf("x")], complete: true });
    nodes.a.disconnect(true);
    expect(objects.size).toBe(0);
  });

  it("drops a copy that comes after the last hold ended, of what was fetched at that moment (DIRECTORY-3)", async () => {
    const { objects, drops } = await twoNodes();
    objects.report("a", { present: [place("x", true), place("y", true)] });
    for (const letter of ["x", "y"]) await objects.locate(idOf(letter), 0, 0, "b");
    objects.report("a", { gone: [sha("x"), sha("y")] });
    expect(drops("b")).toEqual([]);
    // Somebody made y again meanwhile.
    objects.report("a", { present: [place("y", true, 9)] });
    objects.report("b", { present: [place("x", false, 4), place("y", false, 5)] });
    expect(drops("b")).toEqual([{ letter: "x", revision: 4, holder: "", copiesOnly: true }]);
    objects.report("b", { gone: [sha("x")] });
    expect(objects.has(idOf("x"))).toBe(false);
  });

  it("drops the copies when the last hold ends, and keeps them when its node dies (DIRECTORY-3)", async () => {
    const { objects, nodes, drops } = await twoNodes();
    objects.report("a", { present: [place("x", true), place("y", true)] });
    objects.report("b", { present: [place("x", false, 7), place("y", false)] });
    objects.report("a", { gone: [sha("x")] });
    expect(drops("b")).toEqual([{ letter: "x", revision: 7, holder: "", copiesOnly: true }]);
    nodes.a.disconnect(true);
    expect(drops("b").length).toBe(1);
    expect((await objects.locate(idOf("y"), 0)).addresses).toEqual(["b:1"]);
  });

  it("drops the copies of what ended while a node had no head, whoever reports first (DIRECTORY-3)", async () => {
    const test = await TestPlane.open({
      ownerGraceMs: 10_000,
      recoveryGraceMs: 15_000,
      nodeTimeoutMs: 5_000,
    });
    const { objects } = test.plane;
    // A head that was started just now: both nodes tell what they have and what ended.
    const [a, b] = [await test.join("a", { heartbeat: false }), await test.join("b", { heartbeat: false })];
    objects.report("b", { reset: true });
    objects.report("b", { present: [place("x", false, 7), place("z", false, 9)] });
    objects.report("a", { reset: true });
    objects.report("a", { gone: [sha("x"), sha("y")] });
    objects.report("b", { present: [place("y", false, 8)] });
    b.heartbeat();
    a.heartbeat();
    const dropped = b.sent.flatMap(({ dropObjects }) => dropObjects?.objects ?? []);
    expect([...new Set(dropped.map(({ revision }) => revision))]).toEqual([7, 8]);
  });

  it("keeps what is put again under the hash of an object that ended, first as a copy (DIRECTORY-3)", async () => {
    const { objects, nodes, drops, test } = await twoNodes();
    objects.report("a", { present: [place("X", true)] });
    // Another node is away, so that copies of what ends may come.
    nodes.b.disconnect();
    objects.report("a", { gone: [sha("X")] });
    objects.report("a", { present: [place("X", false, 2)] });
    expect(drops("a")).toEqual([]);
    nodes.a = await test.join("a", { heartbeat: false });
    objects.report("a", { reset: true });
    objects.report("a", { gone: [sha("X")] });
    objects.report("a", { present: [place("X", false, 3)] });
    nodes.a.heartbeat();
    expect(drops("a")).toEqual([]);
  });

  it("repeats an order to drop a copy that its node did not confirm (DIRECTORY-3, DIRECTORY-4)", async () => {
    const { objects, nodes, drops, test } = await twoNodes();
    objects.report("a", { present: [place("x", true)] });
    objects.report("b", { present: [place("x", false, 7)] });
    nodes.b.disconnect();
    objects.report("a", { gone: [sha("x")] });
    nodes.b = await test.join("b", { heartbeat: false });
    objects.report("b", { reset: true });
    objects.report("b", { present: [place("x", false, 7)] });
    nodes.b.heartbeat();
    expect(drops("b")).toContainEqual({ letter: "x", revision: 7, holder: "", copiesOnly: true });
  });

  it("tells a node that counted as dead which of its leases ended in the meantime (DIRECTORY-4)", async () => {
    const { objects, nodes, drops, test } = await twoNodes();
    objects.report("a", { present: [place("x", true, 3), place("y", true, 4)] });
    nodes.a.disconnect(true);
    objects.free([idOf("x")], "session-1");
    nodes.a = await test.join("a", { heartbeat: false });
    objects.report("a", { reset: true });
    objects.report("a", { present: [place("x", true, 3), place("y", true, 4)] });
    nodes.a.heartbeat();
    expect(drops("a")).toEqual([{ letter: "x", revision: 3, holder: "session-1", copiesOnly: false }]);
  });

  it("repeats an order to free to a node that was away, and names what it knew (DIRECTORY-4, DIRECTORY-5)", async () => {
    const { objects, nodes, drops, test } = await twoNodes();
    objects.report("a", { present: [place("x", true, 3)] });
    nodes.a.disconnect();
    objects.free([idOf("x")], "session-1");
    expect(drops("a")).toEqual([]);
    nodes.a = await test.join("a", { heartbeat: false });
    objects.report("a", { reset: true });
    objects.report("a", { present: [place("x", true, 3)] });
    expect(drops("a")).toEqual([]);
    nodes.a.heartbeat();
    const order = { letter: "x", revision: 3, holder: "session-1", copiesOnly: false };
    expect(drops("a")).toEqual([order]);
    // A second order, for what has left the node meanwhile, is not given again.
    objects.free([idOf("x")], "session-2");
    nodes.a = await test.join("a", { heartbeat: false });
    objects.report("a", { reset: true });
    nodes.a.heartbeat();
    nodes.a = await test.join("a");
    expect(drops("a")).toEqual([]);
  });

  it("is not complete while a node that is back still tells what it has, slice by slice (DIRECTORY-2)", async () => {
    const { objects, nodes, test } = await twoNodes();
    objects.report("a", { present: [place("x", true), place("y", true)] });
    nodes.a.disconnect();
    const back = await test.join("a", { heartbeat: false });
    objects.report("a", { reset: true });
    objects.report("a", { present: [place("x", true)] });
    expect(objects.missing([idOf("x"), idOf("y")])).toEqual({ objectIds: [idOf("y")], complete: false });
    objects.report("a", { present: [place("y", true)] });
    back.heartbeat();
    expect(objects.missing([idOf("x"), idOf("y")])).toEqual({ objectIds: [], complete: true });
  });

  it("is not complete for a question while a node was not heard of since it was asked (DIRECTORY-2)", async () => {
    const { objects, nodes, test } = await twoNodes();
    await test.clock.advance(2_000);
    nodes.a.heartbeat();
    const asked = async (askingMs: number) => (await objects.locate(idOf("x"), 0, askingMs)).complete;
    // What b has put into its store meanwhile may still be on its way.
    expect([await asked(0), await asked(1_999), await asked(2_000)]).toEqual([false, false, true]);
    await test.clock.advance(500);
    nodes.b.heartbeat();
    expect([await asked(0), await asked(499), await asked(500)]).toEqual([false, false, true]);
  });

  it("gives orders to free, and names the nodes that have not told what they have (DIRECTORY-6)", async () => {
    const { objects, nodes, test, drops } = await twoNodes();
    objects.report("a", { present: [place("x", true, 3)] });
    const free = () => objects.free([idOf("x")], "");
    nodes.b.disconnect();
    expect(free()).toEqual(["b"]);
    expect(drops("a").length).toBe(1);
    nodes.b = await test.join("b", { heartbeat: false });
    objects.report("b", { reset: true });
    objects.report("b", { present: [place("x", true, 8)] });
    expect(free()).toEqual(["b"]);
    nodes.b.heartbeat();
    expect(free()).toEqual([]);
    expect(drops("b").at(-1)).toMatchObject({ letter: "x", revision: 8 });
  });

  it("lists a bounded number of objects with their nodes, and where they were spilled", async () => {
    const { objects } = await twoNodes();
    objects.report("a", { present: [{ ...place("x", true), spilled: true }, place("y", true)] });
    objects.report("b", { present: [place("x", false)] });
    expect(objects.list(1)).toEqual({
      objects: [
        {
          objectId: idOf("x"),
          sizeBytes: 10,
          ...{ holdingNodeIds: ["a"], copyNodeIds: ["b"], spilledNodeIds: ["a"] },
        },
      ],
      totalObjects: 2,
    });
  });
});

describe("ObjectHolders", () => {
  it("tells of an end the nodes that named the holder, and whoever names him later (HOLDER-1, HOLDER-3)", async () => {
    const { test, objectHolders, ended } = await twoNodes();
    test.session("session-1");
    objectHolders.reported("a", ["session-1"]);
    expect(ended("a")).toEqual([]);
    test.plane.sessions.goodbye("session-1");
    expect([ended("a"), ended("b")]).toEqual([["session-1"], []]);
    objectHolders.reported("b", ["session-1"]);
    expect(ended("b")).toEqual(["session-1"]);
  });

  it("what an actor held ends with its process, however long the next one waits for room (HOLDER-1)", async () => {
    const { test, nodes, objectHolders, ended } = await twoNodes();
    const whole = { resources: { quantities: { cpu: 4 } }, maxRestarts: 1, detached: true };
    for (const actorId of ["x", "other", "next"]) await test.plane.lifecycle.create(aSpec(actorId, whole));
    await settle();
    const node = nodes.a.startsOf("x").length > 0 ? nodes.a : nodes.b;
    node.started("x", 1);
    objectHolders.reported("b", ["x.1"]);
    expect(ended("b")).toEqual([]);
    node.died("x", 1);
    await settle();
    expect(test.state("x")).toBe("RESTARTING");
    expect(ended("b")).toEqual(["x.1"]);
    objectHolders.reported("a", ["x.1", "x"]);
    expect(ended("a")).toEqual(["x.1"]);
  });

  it("a node that is SUSPECT when its holder ends hears of it when it is back", async () => {
    const { test, nodes, objectHolders, ended } = await twoNodes();
    test.session("session-1");
    objectHolders.reported("a", ["session-1"]);
    nodes.a.disconnect();
    test.plane.sessions.goodbye("session-1");
    expect(ended("a")).toEqual([]);
    nodes.a = await test.join("a");
    objectHolders.reported("a", ["session-1"]);
    expect(ended("a")).toEqual(["session-1"]);
  });

  it("time in which the head stood still is no part of a holder's grace (HOLDER-2)", async () => {
    const { test, objectHolders, ended } = await twoNodes();
    await test.clock.advance(1_000);
    objectHolders.reported("a", ["session-back"]);
    // Drivers could not be heard meanwhile: one of them opens its session as soon as the head reads again.
    test.clock.sleep(60_000);
    objectHolders.reported("a", ["session-back"]);
    expect(ended("a")).toEqual([]);
    test.session("session-back");
    objectHolders.reported("a", ["session-back"]);
    expect(ended("a")).toEqual([]);
  });

  it("a head started again ends holders that it does not know, but only after the grace (HOLDER-2)", async () => {
    const { test } = await twoNodes();
    const again = await test.reopened({
      ownerGraceMs: 10_000,
      recoveryGraceMs: 15_000,
      nodeTimeoutMs: 60_000,
    });
    const node = await again.join("a");
    const holders = again.plane.objectHolders;
    const ended = () => node.sent.flatMap(({ endedHolders }) => [...(endedHolders?.holders ?? [])]);
    holders.reported("a", ["session-gone", "session-back"]);
    await again.clock.advance(14_000);
    again.session("session-back");
    holders.reported("a", ["session-gone", "session-back"]);
    expect(ended()).toEqual([]);
    await again.clock.advance(1_000);
    holders.reported("a", ["session-gone", "session-back"]);
    expect(ended()).toEqual(["session-gone"]);
  });

  it("an actor whose id has dots keeps what it and its process hold, and a job whose id ends like a process (HOLDER-3)", async () => {
    const { test, nodes, objectHolders, ended } = await twoNodes({ dataDir: testFolder() });
    await test.plane.lifecycle.create(aSpec("agent.blue", { detached: true }));
    await test.plane.jobLifecycle.submit(submissionFromProto({ recipe: "a: 1\n", submissionId: "train.2" }));
    await settle();
    const node = nodes.a.startsOf("agent.blue").length > 0 ? nodes.a : nodes.b;
    node.started("agent.blue", 1);
    const named = ["agent.blue", "agent.blue.1", "train.2"];
    for (let passed = 0; passed <= 20; passed++) {
      objectHolders.reported("a", named);
      await test.clock.advance(1_000);
      nodes.a.heartbeat();
      nodes.b.heartbeat();
    }
    expect(ended("a")).toEqual([]);
    await test.plane.lifecycle.kill("agent.blue", { noRestart: true, reason: "test" });
    expect(ended("a")).toEqual(["agent.blue", "agent.blue.1"]);
  });

  it("forgets a holder that it has never seen some time after its end (HOLDER-4)", async () => {
    const { test, nodes, objectHolders, ended } = await twoNodes();
    const nameAfter = async (seconds: number, holder: string) => {
      for (let passed = 0; passed < seconds; passed++) {
        await test.clock.advance(1_000);
        nodes.a.heartbeat();
      }
      objectHolders.reported("a", [holder]);
    };
    await nameAfter(0, "unknown");
    await nameAfter(16, "unknown");
    await nameAfter(10, "unknown");
    expect(ended("a")).toEqual(["unknown", "unknown"]);
    await nameAfter(40, "another");
    await nameAfter(0, "unknown");
    expect(ended("a")).toHaveLength(2);
    await nameAfter(16, "unknown");
    expect(ended("a")).toHaveLength(3);
  });

  it("a detached actor holds its objects after its owner's end, until it dies", async () => {
    const { test, objectHolders, ended } = await twoNodes();
    test.session("session-1");
    for (const [actorId, detached] of [
      ["plain", false],
      ["detached", true],
    ] as const) {
      await test.plane.lifecycle.create(aSpec(actorId, { detached, ownerId: "session-1" }));
      await settle();
    }
    objectHolders.reported("a", ["plain", "detached"]);
    test.plane.sessions.goodbye("session-1");
    await settle();
    expect(ended("a")).toEqual(["plain"]);
    await test.plane.lifecycle.kill("detached", { noRestart: true, reason: "test" });
    expect(ended("a")).toEqual(["plain", "detached"]);
    objectHolders.reported("b", ["detached"]);
    expect(ended("b")).toEqual(["detached"]);
  });
});

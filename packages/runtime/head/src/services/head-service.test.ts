import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { headService } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bundles } from "../store/bundles.js";
import { ActorTable } from "../tables/actor-table.js";
import { anActor } from "../testing/builders.js";
import { runningActor } from "../testing/fake-node.js";
import { create, HeadBench, openSession, resolve } from "../testing/running-head.js";

const { ACTOR_STATE_PENDING, ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

let bench: HeadBench;
beforeEach(() => {
  bench = new HeadBench();
});
afterEach(() => bench.end());

describe("actors over gRPC", () => {
  it("go from CreateActor over StartActor to ALIVE with the address that the node tells", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    const node = await bench.join(head, { nodeId: "node-a" });
    expect((await create(peer, anActor("actor-1"))).state).toBe(ACTOR_STATE_PENDING);
    const info = await resolve(peer, "actor-1");
    expect(info).toMatchObject({
      state: ACTOR_STATE_ALIVE,
      nodeId: "node-a",
      incarnation: 1,
      address: "127.0.0.1:7001",
    });
    expect((await node.started("actor-1", 1)).spec?.role).toBe("rollout");
    const { nodes } = await peer.unary(headService.listNodes, {}, { timeoutMs: 600_000 });
    expect(nodes?.[0]?.available?.quantities?.["cpu"]).toBe(3);
  });

  it("are created once however often it is asked", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    const node = await bench.join(head, { nodeId: "node-a" });
    await Promise.all([1, 2, 3].map(() => create(peer, anActor("actor-1"))));
    await resolve(peer, "actor-1");
    expect(node.received.filter((message) => message.startActor)).toHaveLength(1);
  });

  it("are found by name, restarted after a crash, and dead for good after a kill", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const session = await openSession(peer);
    const node = await bench.join(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { name: "learner", maxRestarts: 1 }));
    await resolve(peer, "actor-1");
    const byName = await peer.unary(headService.resolveActor, { name: "learner" }, { timeoutMs: 600_000 });
    expect(byName.spec?.actorId).toBe("actor-1");

    const next = resolve(peer, "actor-1", 1);
    const certificate = {
      reason: "killed by SIGKILL",
      signal: "SIGKILL",
      lastStderrLines: ["out of memory"],
    };
    node.send({ actorDied: { actorId: "actor-1", incarnation: 1, certificate } });
    expect(await next).toMatchObject({ incarnation: 2, restarts: 1, certificate: { signal: "SIGKILL" } });

    const died = once(session, "data");
    await peer.unary(headService.killActor, { actorId: "actor-1", noRestart: true }, { timeoutMs: 600_000 });
    expect((await resolve(peer, "actor-1", 2)).state).toBe(ACTOR_STATE_DEAD);
    expect((await died)[0].actorDied?.spec?.actorId).toBe("actor-1");
    await node.stopped("actor-1");
    await expect
      .poll(
        async () =>
          (await peer.unary(headService.listNodes, {}, { timeoutMs: 600_000 })).nodes?.[0]?.available,
      )
      .toMatchObject({ quantities: { cpu: 4 } });
    const { actors } = await peer.unary(headService.listActors, {}, { timeoutMs: 600_000 });
    expect(actors).toEqual([]);
  });

  it("that nobody can place say why in pending_reason, and the wait ends in time", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    await bench.join(head, { nodeId: "node-a", cpu: 2 });
    await create(
      peer,
      anActor("actor-1", { resources: { quantities: { cpu: 3, gpu: 1 } }, labels: { zone: "a" } }),
    );
    const info = await resolve(peer, "actor-1", 0, 50);
    expect(info).toMatchObject({
      state: ACTOR_STATE_PENDING,
      pendingReason:
        "needs 3 cpu, 1 gpu, label zone=a: node-a lacks label zone=a and has 2 of 2 cpu and has no gpu",
    });
  });

  it("die with their node when it falls silent, with a certificate", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    const node = await bench.join(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    const dead = resolve(peer, "actor-1", 1);
    node.break();
    expect(await dead).toMatchObject({
      state: ACTOR_STATE_DEAD,
      certificate: { reason: expect.stringContaining("node lost"), nodeId: "node-a" },
    });
  });

  it("die at once with a node that leaves in order", async () => {
    const head = await bench.start({ nodeTimeoutMs: 60_000 });
    const peer = bench.peer(head);
    await openSession(peer);
    const node = await bench.join(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    await node.leave();
    expect((await resolve(peer, "actor-1", 1)).certificate?.reason).toBe("it left the cluster");
  });

  it("die when their driver stays away, or says goodbye; a second driver keeps its own", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const [leaving, breaking] = [await openSession(peer, "session-1"), await openSession(peer, "session-2")];
    await openSession(peer, "session-3");
    await bench.join(head, { nodeId: "node-a" });
    for (const number of [1, 2, 3])
      await create(peer, anActor(`actor-${number}`, { ownerId: `session-${number}` }));
    for (const number of [1, 2, 3]) await resolve(peer, `actor-${number}`);
    leaving.write({ sessionId: "session-1", goodbye: true });
    breaking.cancel();
    const [first, second] = await Promise.all([resolve(peer, "actor-1", 1), resolve(peer, "actor-2", 1)]);
    expect(first.certificate?.reason).toBe("its driver ended");
    expect(second.certificate?.reason).toBe("its driver was disconnected for longer than 200 ms");
    expect((await resolve(peer, "actor-3")).state).toBe(ACTOR_STATE_ALIVE);
  });

  it("need an owner, unless they are detached", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await expect(create(peer, anActor("actor-1", { ownerId: "" }))).rejects.toThrow("owner_id is empty");
    await create(peer, anActor("actor-1", { ownerId: "", detached: true }));
    await expect(create(peer, anActor("not an id"))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(resolve(peer, "unknown")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("what happens while CreateActor waits", () => {
  afterEach(() => vi.restoreAllMocks());

  it("CREATE-1: an owner that ends while the bundle is looked up leaves no actor behind", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const session = await openSession(peer);
    vi.spyOn(Bundles.prototype, "sizeBytes").mockImplementation(async () => {
      session.write({ sessionId: "session-test", goodbye: true });
      await once(session, "end");
      return 1;
    });
    const spec = anActor("actor-1", { code: { bundle: "a".repeat(64), exportName: "Counter" } });
    await expect(create(peer, spec)).rejects.toMatchObject({ code: "OWNER_DIED" });
    await expect(resolve(peer, "actor-1", 0, 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("CREATE-2: an actor that dies before it is answered leaves its name to the one that was requested", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    await create(peer, anActor("actor-1", { name: "tally" }));
    vi.spyOn(ActorTable.prototype, "durable").mockImplementationOnce(async () => {
      await peer.unary(
        headService.killActor,
        { actorId: "actor-1", noRestart: true },
        { timeoutMs: 600_000 },
      );
    });
    const info = await peer.unary(
      headService.createActor,
      { spec: anActor("actor-2", { name: "tally" }), getIfExists: true },
      { timeoutMs: 600_000 },
    );
    expect(info).toMatchObject({ state: ACTOR_STATE_PENDING, spec: { actorId: "actor-2" } });
  });
});

describe("after a head that was killed", () => {
  it("RECOVERY-2, REDIS-7: a name is free at once at the next head, whose redis has kept everything", async () => {
    const first = await bench.start({ recoveryGraceMs: 60_000 });
    await create(bench.peer(first), anActor("actor-1", { name: "learner", ownerId: "", detached: true }));
    await bench.join(first, { nodeId: "node-a" });
    await resolve(bench.peer(first), "actor-1");
    await first.close({ leaveRedis: true });
    const peer = bench.peer(await bench.start({ recoveryGraceMs: 60_000 }));
    const named = (actorId: string, name: string) =>
      create(peer, anActor(actorId, { name, ownerId: "", detached: true }));
    await expect(named("actor-2", "learner")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect(await named("actor-3", "free")).toMatchObject({ spec: { actorId: "actor-3" } });
    await expect(resolve(peer, "nobody", 0, 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("after a restart that lost the tables", () => {
  it("RECOVERY-1, RECOVERY-3: who asks for an actor waits for its node, and hears that there is none only after the grace", async () => {
    const first = await bench.start();
    const spec = anActor("actor-1", { name: "learner", ownerId: "", detached: true });
    const node = await bench.join(first, { nodeId: "node-a" });
    await create(bench.peer(first), spec);
    await resolve(bench.peer(first), "actor-1");
    node.break();
    await first.close();
    // As by FLUSHALL: the folder of the head is all that is left.
    rmSync(join(bench.folder, "redis"), { recursive: true });
    const head = await bench.start({ recoveryGraceMs: 6_000 });
    const peer = bench.peer(head);
    const ask = (name: string) =>
      peer.unary(headService.resolveActor, { name, waitMs: 0 }, { timeoutMs: 600_000 });
    const [byName, byId, nobody] = [ask("learner"), resolve(peer, "actor-1", 0, 0), ask("nobody")];
    // RECOVERY-3: the name has a holder, which only its node knows; the other name is free after the grace.
    const named = (actorId: string, name: string) =>
      peer.unary(
        headService.createActor,
        { spec: anActor(actorId, { name, ownerId: "", detached: true }) },
        { timeoutMs: 600_000 },
      );
    const taken = expect(named("actor-2", "learner")).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      details: { actorId: "actor-1" },
    });
    const free = named("actor-3", "free");
    const shared = peer.unary(
      headService.createActor,
      { spec: { ...spec, actorId: "actor-4" }, getIfExists: true },
      { timeoutMs: 600_000 },
    );
    const nothing = expect(nobody).rejects.toMatchObject({ code: "NOT_FOUND" });
    const killed = peer.unary(
      headService.killActor,
      { actorId: "actor-1", incarnation: 7 },
      { timeoutMs: 600_000 },
    );
    // Answered after all of the above have reached the head.
    await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    const actor = runningActor("actor-1", 1);
    const back = await bench.join(head, { nodeId: "node-a", actors: [actor] });
    const { unknownActorIds } = await back.next((message) => message.registered);
    expect(unknownActorIds).toEqual(["actor-1"]);
    back.send({ actorDescribed: { actor, spec } });
    expect(await byName).toMatchObject({ state: ACTOR_STATE_ALIVE, spec: { actorId: "actor-1" } });
    expect((await byId).incarnation).toBe(1);
    expect((await killed).state).toBe(ACTOR_STATE_ALIVE);
    await taken;
    expect(await shared).toMatchObject({ spec: { actorId: "actor-1" } });
    await nothing;
    expect(await free).toMatchObject({ spec: { actorId: "actor-3" } });
  });
});

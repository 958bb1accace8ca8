/** Tests placement groups, lanes and the ends of actors, with processes as a person starts them. */
import { connect } from "@palimpsest/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Acting } from "./support/acting-actor.js";
import { TestCluster } from "./support/test-cluster.js";

const source = { from: new URL("./support/acting-actor.ts", import.meta.url) };

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
});
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const kind = () => cluster.client.actor(Acting, source);

describe("an actor", () => {
  test("runs the methods of a lane while its other methods wait", async () => {
    const lanes = {
      maxConcurrency: 1,
      concurrencyGroups: { control: 1 },
      methodGroups: { release: "control" },
    };
    const actor = await kind().options(lanes).spawn();
    const held = actor.held();
    const next = actor.where();
    await actor.release();
    expect(await held).toBe("released");
    expect(await next).toMatchObject({ nodeId: expect.stringContaining("node-") });
    await actor.kill();
  });

  test("that ends itself is not started again; what it spawned and leased ends with it, unless detached", async () => {
    const actor = await kind().options({ maxRestarts: -1 }).spawn();
    const kept = await actor.family(true);
    const { childId, groupId } = await actor.family(false);
    // This connection does not own the child.
    const child = await cluster.client.getActor<Acting>({ actorId: childId });
    const childDied = new Promise<string | undefined>((resolve) => {
      child.onDeath(({ certificate }) => resolve(certificate?.reason));
    });
    await expect(actor.leave("all is done")).rejects.toMatchObject({
      code: "ACTOR_DIED",
      message: expect.stringContaining("it exited by itself: all is done"),
    });
    expect(await actor.info()).toMatchObject({
      state: "dead",
      certificate: { reason: "it exited by itself: all is done", exitCode: 0 },
    });
    const stateOf = async (actorId: string) =>
      (await cluster.client.actors({ includeDead: true })).find((info) => info.actorId === actorId)?.state;
    expect(await childDied).toBe(`its owner, actor ${actor.actorId}, died`);
    expect(await stateOf(childId)).toBe("dead");
    expect(await stateOf(kept.childId)).toBe("alive");
    await expect(cluster.client.getPlacementGroup({ groupId })).resolves.toBeDefined();
    expect((await (await cluster.client.getPlacementGroup({ groupId })).info()).state).toBe("removed");
    await (await cluster.client.getActor<Acting>({ actorId: kept.childId })).kill();
  });
});

describe("a namespace", () => {
  test("has names of its own: two actors of one name, each found in its own, also by what they spawn", async () => {
    const { address, token, client } = cluster;
    const blue = await connect({ address, token, name: "blue", namespace: "blue" });
    const inBlue = blue.actor(Acting, source, { name: "twin", detached: true });
    const theirs = await inBlue.spawn();
    const ours = await kind().options({ name: "twin" }).spawn();
    await expect(inBlue.spawn()).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("name blue/twin belongs to"),
    });
    expect((await inBlue.getOrCreate()).actorId).toBe(theirs.actorId);
    expect((await client.getActor("twin")).actorId).toBe(ours.actorId);
    expect((await client.getActor("twin", { namespace: "blue" })).actorId).toBe(theirs.actorId);
    expect((await blue.getActor("twin", { namespace: "default" })).actorId).toBe(ours.actorId);
    await expect(client.getActor("twin", { namespace: "green" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining('"green/twin"'),
    });
    // A named child is in its spawner's namespace, whoever calls the method.
    expect(await (await client.getActor<Acting>({ actorId: theirs.actorId })).nameChild("child")).toBe(
      "blue",
    );
    await expect(client.getActor("child")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await (await client.getActor("child", { namespace: "blue" })).ready();
    expect((await client.actors({ namespace: "blue" })).map(({ name }) => name).sort()).toEqual([
      "child",
      "twin",
    ]);

    const listed = await cluster.run(["list", "actors"]);
    expect(listed.stdout).toContain("blue/twin");
    expect(listed.stdout).toMatch(/^\S+ +twin /m);
    for (const target of ["blue/twin", "default/twin", "twin"]) {
      const logs = await cluster.run(["logs", target]);
      expect([logs.code, logs.stderr]).toEqual([0, ""]);
    }
    // A detached actor is found by its namespace after its program has ended.
    await blue.close();
    const found = await client.getActor<Acting>("twin", { namespace: "blue" });
    expect(await found.nameChild("another")).toBe("blue");
    await Promise.all([found.kill(), ours.kill()]);
    await expect(
      connect({ address, token, namespace: "a b" }).then((bad) => bad.actor(Acting, source).spawn()),
    ).rejects.toMatchObject({ message: expect.stringContaining('namespace is "a b"') });
  });
});

describe("a placement group", () => {
  test("spreads its bundles, is placed anew when a worker is killed, and takes its actors along when it is removed", async () => {
    const { client } = cluster;
    const group = await client.placementGroup({
      bundles: [{ cpu: 2 }, { cpu: 2 }],
      strategy: "STRICT_SPREAD",
    });
    await group.ready();
    const inBundle = (bundle: number) =>
      kind().options({
        resources: { cpu: 2 },
        placement: { group, bundle },
        maxRestarts: 1,
        maxTaskRetries: 1,
      });
    const [first, second] = await Promise.all([inBundle(0).spawn(), inBundle(1).spawn()]);
    const [firstAt, secondAt] = [await first.where(), await second.where()];
    const { bundles } = await group.info();
    expect([firstAt.nodeId, secondAt.nodeId]).toEqual(bundles.map(({ nodeId }) => nodeId));
    expect(firstAt.nodeId).not.toBe(secondAt.nodeId);
    // A third actor has no room in any bundle.
    const third = await inBundle(1)
      .options({ resources: { cpu: 0.5 } })
      .spawn();
    // A deadline may pass before the head's answer arrives.
    const failure = () =>
      third.ready({ timeoutMs: 300 }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
    await expect.poll(failure).toMatchObject({
      code: "UNSCHEDULABLE",
      message: expect.stringContaining("bundle 1 has 0 of 2 cpu"),
    });
    await third.kill();

    const nodes = await client.nodes();
    const lost = nodes.find(({ nodeId }) => nodeId === secondAt.nodeId);
    process.kill(lost?.pid ?? 0, "SIGKILL");
    await expect.poll(async () => (await group.info()).state).toBe("rescheduling");
    expect((await group.info()).bundles[0]?.nodeId).toBe(firstAt.nodeId);
    await cluster.startWorker();
    await group.ready();
    const back = await second.where();
    expect(back.nodeId).toBe((await group.info()).bundles[1]?.nodeId);
    expect(back.incarnation).toBeGreaterThan(secondAt.incarnation);
    expect((await first.where()).pid).toBe(firstAt.pid);
    const listed = await cluster.run(["list", "placement-groups"]);
    expect(listed.stdout).toContain(group.groupId);
    expect(listed.stdout).toContain("STRICT_SPREAD");

    await group.remove();
    // The actor's process has a grace period in which to stop, and may still answer during it.
    const ending = () =>
      first.where().then(
        () => ({ code: "it answered" }),
        (error: unknown) => error,
      );
    await expect.poll(ending).toMatchObject({ code: "ACTOR_DIED" });
    expect((await second.info()).certificate?.reason).toContain(
      `its placement group ${group.groupId} was removed`,
    );
  });
});

import { describe, expect, it } from "vitest";
import { alive } from "../testing/alive-actor.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";
import { actorSpecFromProto, specToProto } from "./actor.js";

describe("the table of actors", () => {
  it("ACTORTABLE-6: dead actors that may still run are forgotten last, so that another head does not adopt them", async () => {
    const test = await TestPlane.open({ maxDeadActors: 2 });
    const node = await alive(test, "x");
    node.disconnect();
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    for (const actorId of ["p", "q", "r"]) {
      await test.plane.lifecycle.create(aSpec(actorId));
      await test.plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    }
    const ids = () => [...test.plane.actors.all()].map((actor) => actor.spec.actorId);
    expect(ids()).toEqual(["x", "q", "r"]);
    const next = await test.reopened({ maxDeadActors: 2 });
    const back = await next.join("a", { actors: [{ actorId: "x", incarnation: 1, address: "h:1" }] });
    expect(back.stopActorIds).toEqual(["x"]);
    // Once its node has said how it ended it is one of the others.
    node.died("x", 1);
    expect(ids()).toEqual(["x", "r"]);
  });

  it("ACTORTABLE-7: a dead actor's arguments leave the store after its death has come there, also when writes failed before", async () => {
    const test = await TestPlane.open();
    await alive(test, "x", { args: Buffer.from("arguments") });
    const written: string[] = [];
    const write = test.store.write.bind(test.store);
    test.store.write = async (writes) => {
      await write(writes);
      written.push(...writes.map(({ table, key }) => `${table}/${key}`));
    };
    // While the store is away every row is tried alone in turn, so that any of them can be the first one written.
    for (let tries = 0; tries < 4; tries++) {
      const actorId = `x${tries}`;
      await test.plane.lifecycle.create(aSpec(actorId, { args: Buffer.from("arguments") }));
      await settle();
      written.length = 0;
      test.store.failure = new Error("the store is away");
      const killed = test.plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
      for (let step = 0; step < 4 + tries; step++) await test.clock.advance(200);
      test.store.failure = undefined;
      await test.clock.advance(1_000);
      await killed;
      await settle();
      const death = written.indexOf(`actors/${actorId}`);
      expect(death).toBeGreaterThanOrEqual(0);
      expect(written.indexOf(`specs/${actorId}`)).toBeGreaterThan(death);
      expect((await test.reopened()).plane.actors.get(actorId)?.spec.args.byteLength).toBe(0);
    }
  });

  it("ACTORTABLE-7: an actor is acknowledged once its specification is in the store, in whatever order rows that failed are written", async () => {
    const test = await TestPlane.open();
    for (let tries = 0; tries < 4; tries++) {
      const actorId = `x${tries}`;
      test.store.failure = new Error("the store is away");
      let missing: boolean | undefined;
      const created = test.plane.lifecycle.create(aSpec(actorId)).then(async () => {
        missing = !(await test.store.readTable("specs")).has(actorId);
      });
      for (let step = 0; step < 4 + tries; step++) await test.clock.advance(200);
      // It comes back for one row, and is away again.
      const write = test.store.write.bind(test.store);
      test.store.failure = undefined;
      let rows = 0;
      test.store.write = async (writes) => {
        if (rows > 0) throw new Error("the store is away again");
        rows += writes.length;
        await write(writes);
      };
      await test.clock.advance(200);
      expect(missing, actorId).not.toBe(true);
      test.store.write = write;
      await test.clock.advance(1_000);
      await created;
      expect(missing).toBe(false);
    }
  });

  it("ACTORTABLE-1: a name belongs to one actor and is free again when that is dead", async () => {
    const test = await TestPlane.open();
    await alive(test, "x", { name: "learner" });
    const second = aSpec("y", { name: "learner" });
    await expect(test.plane.lifecycle.create(second)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      details: { actorId: "x" },
    });
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    await test.plane.lifecycle.create(second);
    expect(test.plane.actors.byName("learner")?.spec.actorId).toBe("y");
  });

  it("ACTORTABLE-1: another namespace has other names; empty and default are one, also after a restart of the head", async () => {
    const test = await TestPlane.open();
    await test.plane.lifecycle.create(aSpec("x", { name: "learner" }));
    await test.plane.lifecycle.create(aSpec("y", { name: "learner", namespace: "blue" }));
    await expect(
      test.plane.lifecycle.create(aSpec("z", { name: "learner", namespace: "blue" })),
    ).rejects.toMatchObject({ code: "ALREADY_EXISTS", details: { actorId: "y" } });
    const { plane } = await test.reopened();
    expect(plane.actors.byName("learner")?.spec.actorId).toBe("x");
    expect(plane.actors.byName("blue/learner")?.spec.actorId).toBe("y");
    const wanted = { ...specToProto(aSpec("w", { name: "learner" })), namespace: "default" };
    expect(actorSpecFromProto(wanted).namespace).toBe("");
    const slashed = { ...specToProto(aSpec("w", { name: "a" })), namespace: "blue/a" };
    expect(() => actorSpecFromProto(slashed)).toThrow(/namespace is "blue\/a"/);
  });

  it("ACTORTABLE-2: nothing brings a dead actor back", async () => {
    const test = await TestPlane.open();
    const node = await alive(test, "x", { maxRestarts: -1 });
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "killed" });
    node.started("x", 1);
    node.died("x", 1);
    await test.plane.actors.enter("x", "ALIVE");
    await test.clock.advance(60_000);
    expect(test.state("x")).toBe("DEAD");
  });

  it("ACTORTABLE-3, ACTORTABLE-4: incarnations never fall, and a change made while another is told of is written after it", async () => {
    const test = await TestPlane.open();
    const { actors } = test.plane;
    actors.create(aSpec("x"));
    actors.onChange(({ state }) => {
      if (state === "ALIVE") void actors.enter("x", "RESTARTING", { incarnation: 1, restarts: 1 });
    });
    await actors.enter("x", "ALIVE", { incarnation: 2 });
    await settle();
    const next = (await test.reopened()).plane.actors.get("x");
    expect(next).toMatchObject({ state: "RESTARTING", incarnation: 2, restarts: 1 });
  });

  it("remembers only so many dead actors, also in the store", async () => {
    const test = await TestPlane.open({ maxDeadActors: 2 });
    for (const actorId of ["x", "y", "z"]) {
      await test.plane.lifecycle.create(aSpec(actorId));
      await test.plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    }
    await settle();
    expect([...test.plane.actors.all()].map((actor) => actor.spec.actorId)).toEqual(["y", "z"]);
    expect([...(await test.store.readTable("actors")).keys()].sort()).toEqual(["y", "z"]);
  });
});

import { describe, expect, it } from "vitest";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

async function withActors() {
  const test = await TestPlane.open({ ownerGraceMs: 10_000 });
  const node = await test.join("a");
  const session = test.session("session-test");
  await test.plane.lifecycle.create(aSpec("plain"));
  await test.plane.lifecycle.create(aSpec("detached", { detached: true }));
  await settle();
  node.started("plain", 1);
  node.started("detached", 1);
  const beat = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await test.clock.advance(1_000);
      node.heartbeat();
    }
  };
  return { test, node, session, beat };
}

describe("Sessions", () => {
  it("OWNER-1: a driver that comes back within the grace keeps its actors", async () => {
    const { test, session, beat } = await withActors();
    session.break();
    await beat(9_000);
    test.session("session-test");
    await beat(20_000);
    expect([test.state("plain"), test.state("detached")]).toEqual(["ALIVE", "ALIVE"]);
  });

  it("OWNER-1: a driver that stays away loses its actors after the grace, the detached ones not", async () => {
    const { test, node, session, beat } = await withActors();
    test.plane.objectHolders.reported(node.nodeId, ["session-test"]);
    session.break();
    await beat(9_000);
    expect(test.state("plain")).toBe("ALIVE");
    await beat(2_000);
    expect([test.state("plain"), test.state("detached")]).toEqual(["DEAD", "ALIVE"]);
    expect(test.plane.actors.get("plain")?.certificate?.reason).toBe(
      "its driver was disconnected for longer than 10000 ms",
    );
    expect(node.sent).toContainEqual({ endedHolders: { holders: ["session-test"] } });
  });

  it("OWNER-2: a goodbye kills at once", async () => {
    const { test } = await withActors();
    test.plane.sessions.goodbye("session-test");
    expect([test.state("plain"), test.state("detached")]).toEqual(["DEAD", "ALIVE"]);
  });

  it("OWNER-5: a driver that is connected and silent keeps its actors for its lease, renewed by each message", async () => {
    const { test, session, beat } = await withActors();
    await beat(100_000);
    session.renew();
    await beat(110_000);
    expect(test.state("plain")).toBe("ALIVE");
    await beat(15_000);
    expect(test.state("plain")).toBe("DEAD");
    expect(test.plane.actors.get("plain")?.certificate?.reason).toBe(
      "its driver was silent for longer than 120000 ms",
    );
  });

  it("OWNER-4: an ended session never comes back", async () => {
    const { test } = await withActors();
    test.plane.sessions.goodbye("session-test");
    expect(() => test.session("session-test")).toThrow("OWNER_DIED");
    expect(() => test.plane.sessions.expect("session-test")).toThrow("OWNER_DIED");
  });

  it("the end of an older stream of the same session does not count", async () => {
    const { test, session, beat } = await withActors();
    test.session("session-test");
    session.break();
    await beat(20_000);
    expect(test.state("plain")).toBe("ALIVE");
  });

  it("tells the driver when one of its actors dies for good, once", async () => {
    const { node, session } = await withActors();
    node.died("plain", 1);
    node.died("plain", 1);
    expect(session.events.map((event) => event.actorDied?.spec?.actorId)).toEqual(["plain"]);
  });

  it("OWNER-6: a head that stood still leaves an absent driver its grace, and ends it when that has passed", async () => {
    const { test, session, beat } = await withActors();
    session.break();
    await beat(5_000);
    // As by SIGSTOP: the driver comes back meanwhile, and the head reads it after its timers.
    test.clock.sleep(60_000);
    await test.clock.advance(1_000);
    expect(test.state("plain")).toBe("ALIVE");
    await beat(8_000);
    expect(test.state("plain")).toBe("ALIVE");
    await beat(3_000);
    expect(test.state("plain")).toBe("DEAD");
  });
});

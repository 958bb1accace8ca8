import { describe, expect, it } from "vitest";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

const oneCpu = { resources: { cpu: 1 }, labels: {} };

async function busyPlane() {
  const test = await TestPlane.open();
  await test.join("a", { cpu: 2 });
  const { plane, clock } = test;
  const create = async (
    actorId: string,
    ownerId: string,
    quantities: Record<string, number> = { cpu: 1 },
  ) => {
    test.session(ownerId);
    await plane.lifecycle.create(aSpec(actorId, { ownerId, resources: { quantities } }));
    await settle();
  };
  await create("x1", "session-x");
  await create("x2", "session-x");
  const ask = (waitMs: number) => {
    const never = new AbortController().signal;
    return plane.pendingQueue.demand.until("session-x", oneCpu, waitMs, never);
  };
  return { test, plane, clock, create, ask };
}

describe("demand for room", () => {
  it("DEMAND-1: requests of the asker itself, and those that no node could hold, do not count", async () => {
    const { clock, create, ask } = await busyPlane();
    await create("x3", "session-x");
    await create("y1", "session-y", { cpu: 99 });
    const asked = ask(5_000);
    await clock.advance(6_000);
    expect(await asked).toBe(false);
  });

  it("DEMAND-1: the asker's own requests count when it has workers to spare, at once", async () => {
    const { plane, clock, create } = await busyPlane();
    await create("x3", "session-x", { cpu: 2 });
    await clock.advance(10);
    expect(plane.pendingQueue.demand.isFor("session-x", oneCpu)).toBe(false);
    expect(plane.pendingQueue.demand.isFor("session-x", oneCpu, true)).toBe(true);
  });

  it("DEMAND-2: a request for the same counts at once, also one that comes while somebody asks", async () => {
    const { clock, create, ask } = await busyPlane();
    const asked = ask(30_000);
    await clock.advance(500);
    await create("y1", "session-y");
    await clock.advance(20);
    expect(await asked).toBe(true);
  });

  it("DEMAND-2: a request for something else that shares a resource counts when it has waited for a second", async () => {
    const { clock, create, ask } = await busyPlane();
    await create("y1", "session-y", { cpu: 2 });
    const early = ask(0);
    await clock.advance(10);
    expect(await early).toBe(false);
    await clock.advance(1_000);
    const late = ask(0);
    await clock.advance(10);
    expect(await late).toBe(true);
  });

  it("DEMAND-2: what finds room does not count, nor what was given up", async () => {
    const { plane, clock, create, ask } = await busyPlane();
    await create("y1", "session-y");
    await plane.lifecycle.kill("y1", { noRestart: true, reason: "given up" });
    const asked = ask(100);
    await clock.advance(200);
    expect(await asked).toBe(false);
  });
});

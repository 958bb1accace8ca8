import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PayloadStore } from "./payload-store.js";
import { type RunKeys, runKeys } from "./run-keys.js";
import { RunLedger } from "./run-ledger.js";
import { aTask, aTrajectory } from "./testing/builders.js";
import { type RedisServer, startRedisServer } from "./testing/redis-server.js";

let server: RedisServer;
let redis: Redis;
let keys: RunKeys;
let store: PayloadStore;
let runs = 0;

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
beforeEach(async () => {
  runs += 1;
  keys = runKeys(`run-${runs}`);
  store = new PayloadStore(redis, keys, 60_000);
  await new RunLedger(redis, keys).claim([{ groupId: "group-1", groupSize: 2 }], 10);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

describe("payload store", () => {
  it("keeps the first trajectory and the first score under an id (P1, T1)", async () => {
    await store.putTrajectory(aTrajectory({ answer: "first" }));
    await store.putTrajectory(aTrajectory({ answer: "second" }));
    expect((await store.trajectory("group-1.0"))?.answer).toBe("first");

    await store.putScore("group-1", "group-1.0", { reward: 1, components: {} }, "a");
    const before = await redis.getBuffer(keys.score("group-1.0"));
    await store.putScore("group-1", "group-1.0", { reward: 2, components: {} }, "b");
    expect(await redis.getBuffer(keys.score("group-1.0"))).toEqual(before);
  });

  it("stores nothing for a group that is not outstanding (P2)", async () => {
    const storing = store.putTrajectory(aTrajectory({ groupId: "gone", trajectoryId: "gone.0" }));
    await expect(storing).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await store.hasTrajectory("gone.0")).toBe(false);
  });

  it("lets every payload end by itself", async () => {
    await store.putTask("group-1", aTask());
    await store.putTrajectory(aTrajectory());
    await store.putScore("group-1", "group-1.0", { reward: 1, components: {} }, "a");
    for (const key of [keys.task("group-1"), keys.trajectory("group-1.0"), keys.score("group-1.0")]) {
      expect(await redis.pttl(key)).toBeGreaterThan(0);
    }
  });

  it("reads the task of a group from Redis once, and again after a failure", async () => {
    await expect(store.task("group-1")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await store.putTask("group-1", aTask());
    expect(await store.task("group-1")).toEqual(aTask());
    await redis.del(keys.task("group-1"));
    expect(await store.task("group-1")).toEqual(aTask());
  });
});

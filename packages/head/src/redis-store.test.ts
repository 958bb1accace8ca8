import { type RedisServer, startRedisServer } from "@palimpsest/trajectories/testing";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisStore } from "./redis-store.js";

let redis: RedisServer;
let client: Redis;
beforeAll(async () => {
  redis = await startRedisServer();
  client = new Redis(redis.url);
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

describe("RedisStore", () => {
  it("a full Redis deposes no head: lease, facts and rows are written above maxmemory", async () => {
    const store = new RedisStore(client, "full");
    const claim = { headId: "head-1", address: "h:1", leaseMs: 5_000 };
    await client.config("SET", "maxmemory", "1");
    await expect(client.set("key", "value")).rejects.toThrow("OOM");
    const taken = await store.takeLease(claim, 0, "");
    expect(taken).toMatchObject({ kind: "held", epoch: 1 });
    expect(await store.fact("clusterId", "cluster-1")).toBe("cluster-1");
    expect(await store.fact("clusterId", "cluster-2")).toBe("cluster-1");
    expect(await store.renewLease(claim, 1, 0)).toMatchObject({ kind: "held", epoch: 1 });
    expect(await store.announce("h:1", 5_000)).toEqual(["h:1"]);
    const guard = { epoch: 1, sequence: 0, unanswered: 0 };
    const row = { table: "actors", key: "a", bytes: new Uint8Array([1]) } as const;
    expect(await store.write(guard, [row])).toEqual({ kind: "written", sequence: 1 });
    expect([...(await store.readTable("actors")).keys()]).toEqual(["a"]);
    await store.releaseLease("head-1");
    expect((await store.lease()).leader).toBeUndefined();
  });
});

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
    await client.config("SET", "maxmemory", "0");
  });

  it("a Redis that has forgotten the scripts, as after a restart, is told them again", async () => {
    const store = new RedisStore(client, "forgetful");
    await store.takeLease({ headId: "head-1", address: "h:1", leaseMs: 5_000 }, 0, "");
    const write = (sequence: number, key: string, bytes?: Uint8Array) =>
      store.write({ epoch: 1, sequence, unanswered: 0 }, [
        { table: "groups", key, bytes },
        { table: "nodes", key: "n", bytes: new Uint8Array([sequence]) },
      ]);
    expect(await write(0, "a", new Uint8Array([1]))).toEqual({ kind: "written", sequence: 1 });
    await client.script("FLUSH");
    expect(await write(1, "b", new Uint8Array([2]))).toEqual({ kind: "written", sequence: 2 });
    expect(await write(2, "a")).toEqual({ kind: "written", sequence: 3 });
    expect([...(await store.readTable("groups")).keys()]).toEqual(["b"]);
    expect([...((await store.readTable("nodes")).get("n") ?? [])]).toEqual([2]);
  });
});

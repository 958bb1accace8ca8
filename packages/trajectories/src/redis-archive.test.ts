import { hashedEmbedder, MemoryStore, StoreBases } from "@palimpsest/memory";
import type { MemoryRecord } from "@palimpsest/memory/records";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisArchive } from "./redis-archive.js";
import { type RedisServer, startRedisServer } from "./testing/redis-server.js";

const aRecord = (id: string, content: string): MemoryRecord => ({
  id,
  content,
  memoryType: "episodic",
  provenance: [],
  metadata: { sure: true },
});
const records = [aRecord("m1", 'A line\nwith "quotes" and ☃.'), aRecord("m2", "Another.")];

describe("RedisArchive", () => {
  let server: RedisServer;
  let redis: Redis;
  const embedder = hashedEmbedder();
  beforeAll(async () => {
    server = await startRedisServer();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    await redis.quit();
    await server.close();
  });

  async function changed(over = records) {
    const store = await MemoryStore.of(over, embedder);
    await store.create({ content: "New." });
    await store.update("m1", { content: "Changed." });
    store.delete("m2");
    return store;
  }

  it("ARCHIVE-3: opens what was saved, in another connection", async () => {
    const writer = await RedisArchive.connect({ url: server.url, prefix: "a:" });
    const store = await changed();
    await writer.save("episode 1", store);
    await writer.close();
    await writer.close();
    const reader = await RedisArchive.connect({ url: server.url, prefix: "a:" });
    const opened = await reader.open("episode 1", new StoreBases(embedder));
    expect(opened.snapshot()).toEqual(store.snapshot());
    expect(opened.diff()).toEqual(store.diff());
    expect((await opened.search("changed"))[0]?.record.id).toBe("m1");
    await expect(reader.open("episode 2", new StoreBases(embedder))).rejects.toThrow('"episode 2" is not in');
    await reader.close();
  });

  it("ARCHIVE-1: shows a reader meanwhile the one saving or the other, each whole", async () => {
    const [writer, reader] = await Promise.all(
      [1, 2].map(() => RedisArchive.connect({ url: server.url, prefix: "w:" })),
    );
    const stores = [await changed(), await MemoryStore.of(records.slice(0, 1), embedder)];
    const whole = stores.map((store) => store.snapshot());
    for (const store of stores.slice(0, 1)) await writer?.save("e", store);
    const bases = new StoreBases(embedder);
    for (let round = 0; round < 20; round++) {
      const saving = Promise.all(stores.map(async (store) => await writer?.save("e", store)));
      const seen = await Promise.all([0, 1, 2].map(async () => await reader?.open("e", bases)));
      for (const store of seen) expect(whole).toContainEqual(store?.snapshot());
      await saving;
    }
    await Promise.all([writer?.close(), reader?.close()]);
  });

  it("ARCHIVE-2: keeps one base for many namespaces, until the last is gone", async () => {
    const archive = await RedisArchive.connect({ url: server.url, prefix: "b:" });
    const bases = async () => (await redis.keys("b:base:*")).length;
    for (let i = 0; i < 16; i++) await archive.save(`e${i}`, await changed());
    expect(await bases()).toBe(1);
    expect(await archive.names()).toHaveLength(16);
    await archive.save("e0", await MemoryStore.of(records.slice(0, 1), embedder));
    expect(await bases()).toBe(2);
    for (let i = 0; i < 16; i++) expect(await archive.delete(`e${i}`)).toBe(true);
    expect(await archive.delete("e0")).toBe(false);
    expect(await redis.keys("b:*")).toEqual([]);
    await archive.close();
  });

  it("says what is damaged", async () => {
    const archive = await RedisArchive.connect({ url: server.url, prefix: "c:" });
    await archive.save("e", await changed());
    await redis.hset("c:diffs", "e", '{"created":[]}');
    await expect(archive.open("e", new StoreBases(embedder))).rejects.toThrow(
      /DAMAGED.*changes of namespace "e"/,
    );
    await archive.close();
  });

  it("fails to connect where no server is", async () => {
    await expect(RedisArchive.connect({ url: "redis://127.0.0.1:1" })).rejects.toThrow();
  });
});

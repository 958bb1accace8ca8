import { type AddressInfo, connect, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { createLogger } from "@palimpsest/telemetry";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sentAgain } from "../redis/sent-again.js";
import { subscribe } from "../redis/subscribe.js";
import { transaction } from "../redis/transaction.js";
import { aGroupRequest, trajectoryOf } from "../testing/builders.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { RunFixture, unaccounted } from "../testing/run-fixture.js";
import { RunQueues } from "./run-queues.js";

const silent = createLogger({ component: "test", level: "silent" });
let server: RedisServer;
const fixture = new RunFixture(() => server);

beforeAll(async () => {
  server = await startRedisServer({ appendOnly: true });
});
afterEach(() => fixture.end());
afterAll(() => server.close());

describe("redis that restarts", () => {
  it("loses and doubles nothing when it is killed in the middle of work (T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const groupIds = Array.from({ length: 24 }, (_, index) => `g-${String(index).padStart(2, "0")}`);
    let crash: Promise<void> | undefined;
    let rollouts = 0;
    await fixture.openWorkers({
      run: async (episode) => {
        rollouts += 1;
        if (rollouts === 40) {
          crash = server.kill().then(() => server.start());
        }
        return trajectoryOf(episode);
      },
    });
    await trainer.dispatchGroups(groupIds.map((groupId) => aGroupRequest({ groupId, groupSize: 4 })));
    const { groups, dropped } = await consumer.nextGroups({ count: groupIds.length });
    expect(crash).toBeDefined();
    await crash;
    expect(dropped).toEqual([]);
    expect(groups.map(({ groupId }) => groupId)).toEqual(groupIds);
    expect(groups.flatMap(({ members }) => members)).toHaveLength(96);

    await consumer.acknowledge(groupIds.slice(0, 12));
    await server.kill();
    await server.start();
    await consumer.acknowledge(groupIds);
    const counts = await trainer.ledger.counts();
    expect(counts.groups).toEqual({ dispatched: 24, outstanding: 0, trained: 24, failed: 0 });
    expect(unaccounted(counts)).toEqual({ groups: 0, episodes: 0 });
  });
});

describe("a transaction", () => {
  it("of which a part was answered when the connection broke is sent again", async () => {
    let breaks = 1;
    const proxy = createServer((client) => {
      const upstream = connect(Number(new URL(server.url).port), "127.0.0.1");
      client.pipe(upstream);
      upstream.on("data", (bytes) => {
        if (!bytes.includes("QUEUED") || breaks === 0) return void client.write(bytes);
        breaks--;
        // This is the answer to MULTI alone.
        client.write(bytes.subarray(0, "+OK\r\n".length), () => client.destroy());
      });
      client.on("error", () => {}).on("close", () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = new URL(server.url);
    url.port = String((proxy.address() as AddressInfo).port);
    const redis = new Redis(url.href, { maxRetriesPerRequest: null });
    redis.on("error", () => {}); // The break.
    try {
      await redis.set("kept", "value");
      let built = 0;
      const replies = await transaction<[string, string]>(() => {
        built++;
        return redis.multi().get("kept").get("kept");
      });
      expect(replies).toEqual(["value", "value"]);
      expect(built).toBe(2);
    } finally {
      redis.disconnect();
      proxy.close();
    }
  });

  it("is given up when it breaks every time", async () => {
    let attempts = 0;
    const broken = sentAgain(async () => {
      attempts++;
      throw Object.assign(new Error("Command aborted due to connection close"), { name: "AbortError" });
    });
    await expect(broken).rejects.toThrow("Command aborted");
    expect(attempts).toBe(20);
  });
});

describe("redis that is away while a process starts", () => {
  it("is a passing failure, so that the process is started again", async () => {
    const queues = await fixture.open();
    await server.kill();
    try {
      const listening = queues.onWeights(() => undefined);
      await expect(listening).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
      const opening = RunQueues.open({ redisUrl: server.url, runId: "run-away" });
      await expect(opening).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
    } finally {
      await server.start();
    }
  });
});

describe("a subscription", () => {
  it("that is closed while it is made again leaves no rejection behind", async () => {
    const redis = new Redis(server.url);
    redis.on("error", () => {}); // The restart.
    const duplicate = vi.spyOn(redis, "duplicate");
    const listener = { onMessage: () => {}, onReady: () => {} };
    const subscription = await subscribe(redis, "channel", silent, listener);
    const subscriber = duplicate.mock.results[0]?.value as Redis;
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", note);
    try {
      const closed = new Promise<void>((resolve) => {
        subscriber.once("ready", () => {
          void subscription.close();
          subscriber.stream.destroy(); // The answer to the command just sent never arrives.
        });
        subscriber.once("end", resolve);
      });
      await server.kill();
      await server.start();
      await closed;
      await setImmediate();
      expect(rejections).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
      redis.disconnect();
    }
  });
});

describe("a redis that may not be used", () => {
  it("is refused when it evicts keys", async () => {
    const evicting = await startRedisServer({ config: [["maxmemory-policy", "allkeys-lru"]] });
    try {
      const opening = RunQueues.open({ redisUrl: evicting.url, runId: "r" });
      await expect(opening).rejects.toMatchObject({ code: "CONFIG_INVALID" });
      await expect(opening).rejects.toThrow('"allkeys-lru"');
    } finally {
      await evicting.close();
    }
  });

  it("is reported when it refuses the password", async () => {
    const locked = await startRedisServer({ config: [["requirepass", "right"]] });
    try {
      for (const user of ["", ":wrong@"]) {
        const redisUrl = `redis://${user}127.0.0.1:${locked.port}`;
        await expect(RunQueues.open({ redisUrl, runId: "r" })).rejects.toMatchObject({
          code: "UNAUTHENTICATED",
        });
      }
      const queues = await RunQueues.open({
        redisUrl: `redis://:right@127.0.0.1:${locked.port}`,
        runId: "r",
      });
      await queues.close();
    } finally {
      await locked.close();
    }
  });

  it("is reported as unavailable, without its password, when nothing answers", async () => {
    const gone = await startRedisServer();
    await gone.close();
    const opening = RunQueues.open({ redisUrl: `redis://user:s3cret@127.0.0.1:${gone.port}`, runId: "r" });
    await expect(opening).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(opening).rejects.not.toThrow("s3cret");
  });
});

/**
 * Tests open connections on which nothing arrives, attempts that never settle, and jobs and entries that another
 * version wrote.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Queue } from "../redis/bullmq.js";
import { aGroupRequest, trajectoryOf } from "../testing/builders.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { RunFixture, unaccounted } from "../testing/run-fixture.js";
import { fastSettings } from "../testing/settings.js";
import { RunQueues } from "./run-queues.js";

let server: RedisServer;
let redis: Redis;
const fixture = new RunFixture(() => server);
const proxies: FreezingProxy[] = [];

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterEach(async () => {
  await fixture.end();
  for (const proxy of proxies.splice(0)) {
    await proxy.close();
  }
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

/** Forwards connections to Redis until it is told to freeze the open ones. */
class FreezingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #frozen = new Set<Socket>();
  accepted = 0;

  constructor(port: number) {
    this.#server = createServer((client) => {
      this.accepted += 1;
      const upstream = connect(port, "127.0.0.1");
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (bytes) => {
          if (!this.#frozen.has(client)) {
            to.write(bytes);
          }
        });
        from.on("close", () => to.destroy());
        from.on("error", () => {});
      }
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `redis://127.0.0.1:${address.port}`;
  }

  /** Keeps open sockets open and forwards nothing more on them in either direction. */
  freeze(): void {
    this.#frozen = new Set(this.#sockets);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

describe("what says nothing", () => {
  it("a connection of each process falls silent: new ones are made, nothing is lost or doubled (T1)", async () => {
    const proxy = new FreezingProxy(server.port);
    proxies.push(proxy);
    const redisUrl = await proxy.start();
    // BullMQ's blocking fetch takes up to 5 s by itself.
    const settings = { ...fastSettings, lockDurationMs: 2000, redisSilenceMs: 1000 };
    const open = async () => await fixture.open({ redisUrl, settings });
    const [trainer, workers] = [await open(), await open()];
    const consumer = await trainer.consumeGroups();
    let rollouts = 0;
    await workers.consumeRollouts({
      concurrency: 4,
      run: async (episode) => {
        rollouts += 1;
        if (rollouts === 6) {
          proxy.freeze();
        }
        return trajectoryOf(episode);
      },
    });
    await workers.consumeRewards({ concurrency: 4, score: async () => ({ reward: 1, components: {} }) });
    const groupIds = ["g-1", "g-2", "g-3", "g-4"];
    await trainer.dispatchGroups(groupIds.map((groupId) => aGroupRequest({ groupId })));
    const { groups } = await consumer.nextGroups({ count: 4 });
    expect(groups.map(({ groupId }) => groupId)).toEqual(groupIds);
    expect(groups.flatMap(({ members }) => members)).toHaveLength(16);
    await consumer.acknowledge(groupIds);
    expect(unaccounted(await trainer.ledger.counts())).toEqual({ groups: 0, episodes: 0 });
    // Trainer and workers had a connection each; the feed and both workers had another one.
    expect(proxy.accepted).toBeGreaterThan(5);
  });

  it("a listener whose connection falls silent still hears of new weights (SUBSCRIPTION-1)", async () => {
    const proxy = new FreezingProxy(server.port);
    proxies.push(proxy);
    const redisUrl = await proxy.start();
    const listening = await fixture.open({ redisUrl, settings: { ...fastSettings, redisSilenceMs: 500 } });
    const heard = new Promise<string>((resolve) => {
      void listening.onWeights((bytes) => resolve(new TextDecoder().decode(bytes)));
    });
    await new Promise<void>((resolve) => {
      const poll = async (): Promise<void> => {
        const [, count] = (await redis.pubsub("NUMSUB", `{palimpsest-${fixture.runId}}:weights`)) as [
          string,
          number,
        ];
        if (count === 1) resolve();
        else setImmediate(() => void poll());
      };
      void poll();
    });
    proxy.freeze();
    await (await fixture.open()).announceWeights(new TextEncoder().encode("new"));
    expect(await heard).toBe("new");
  });

  it("attempts whose promise never settles are aborted and counted as failures (JOB-4, T4)", async () => {
    const settings = { ...fastSettings, attempts: 2, rolloutTimeoutMs: 500, rewardTimeoutMs: 500 };
    const trainer = await fixture.open({ settings });
    const consumer = await trainer.consumeGroups({ minGroupSize: 1 });
    const aborted: string[] = [];
    const hang = (what: string, signal: AbortSignal): Promise<never> => {
      signal.addEventListener("abort", () => aborted.push(what));
      return new Promise<never>(() => {});
    };
    await trainer.consumeRollouts({
      concurrency: 4,
      run: (episode, signal) =>
        episode.episodeIndex === 0
          ? hang(`rollout ${episode.attempt}`, signal)
          : Promise.resolve(trajectoryOf(episode)),
    });
    await trainer.consumeRewards({
      concurrency: 4,
      score: (_task, { episodeIndex }, signal) =>
        episodeIndex === 1 ? hang("reward", signal) : Promise.resolve({ reward: 1, components: {} }),
    });
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 3 })]);
    const { groups, failures } = await consumer.nextGroups({ count: 1 });
    expect(groups[0]?.members.map(({ trajectory }) => trajectory.episodeIndex)).toEqual([2]);
    expect(failures.map(({ trajectoryId, stage }) => [trajectoryId, stage])).toEqual([
      ["group-1.0", "rollout"],
      ["group-1.1", "reward"],
    ]);
    for (const { message } of failures) {
      expect(message).toMatch(/attempt 2 took longer than 500 ms/);
    }
    expect(aborted.sort()).toEqual(["reward", "reward", "rollout 1", "rollout 2"]);
  });
});

describe("what another version wrote", () => {
  it("a job that does not parse fails its episode, and the group goes on without it (T4)", async () => {
    const trainer = await fixture.open({ settings: { ...fastSettings, attempts: 1 } });
    const consumer = await trainer.consumeGroups();
    const queue = new Queue("rollouts", {
      connection: redis,
      prefix: `{palimpsest-${fixture.runId}}:bullmq`,
    });
    await queue.add("rollout", { another: "version" }, { jobId: "group-1.1", attempts: 1 });
    // Adding it again changes nothing, so the group keeps the job that cannot be read.
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 3 })]);
    await fixture.openWorkers();
    const { groups, failures } = await consumer.nextGroups({ count: 1 });
    expect(groups[0]?.members).toHaveLength(2);
    expect(failures).toMatchObject([{ trajectoryId: "group-1.1", stage: "rollout" }]);
    expect(failures[0]?.message).toContain("another");
    await queue.close();
  });

  it("a group whose entry does not parse is failed whole and returned as dropped (CONSUMER-4)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.ledger.claim(
      [{ groupId: "g-new", groupSize: 2, spec: '{"version":2}', taskBytes: 0 }],
      trainer.settings,
    );
    for (const index of [0, 1]) {
      await trainer.ledger.putScore("g-new", index, new Uint8Array(), "");
    }
    await trainer.dispatchGroups([aGroupRequest({ groupId: "g-old", step: 3 })]);
    await fixture.openWorkers();
    const batch = await consumer.nextGroups({ count: 2, step: 3 });
    expect(batch.groups.map(({ groupId }) => groupId)).toEqual(["g-old"]);
    expect(batch.dropped).toEqual([{ groupId: "g-new", taskId: "", step: 0, reason: "UNREADABLE" }]);
    await consumer.acknowledge(["g-old"]);
    expect(await trainer.ledger.failedGroups()).toEqual({ "g-new": "UNREADABLE" });
    expect(unaccounted(await trainer.ledger.counts())).toEqual({ groups: 0, episodes: 0 });
  });
});

describe("a Redis that is full", () => {
  it("makes payloads wait, never loses one, and goes on when there is room (ROOM-1, ROOM-2)", async () => {
    const small = await startRedisServer();
    const admin = new Redis(small.url);
    const queues = await RunQueues.open({ redisUrl: small.url, runId: "full", settings: fastSettings });
    try {
      const consumer = await queues.consumeGroups();
      await queues.dispatchGroups(["g-1", "g-2"].map((groupId) => aGroupRequest({ groupId })));
      // Written in pieces, because a large command's buffer would count as used memory for a while.
      for (let piece = 0; piece < 600; piece++) await admin.set(`filler-${piece}`, Buffer.alloc(100_000));
      const used = Number(/^used_memory:(\d+)/m.exec(await admin.info("memory"))?.[1]);
      await admin.config("SET", "maxmemory", Math.ceil(used / 0.95));
      let begun = 0;
      const all = new Promise<void>((resolve) => {
        void queues.consumeRollouts({
          concurrency: 8,
          run: async (episode) => {
            begun += 1;
            if (begun === 8) resolve();
            return trajectoryOf(episode, { answer: "x".repeat(100_000) });
          },
        });
      });
      await queues.consumeRewards({ concurrency: 8, score: async () => ({ reward: 1, components: {} }) });
      await all;
      expect((await queues.ledger.counts()).queuedBytes).toBeLessThan(1000);
      // Small writes still have their share.
      await admin.hset("head-row", "state", "x".repeat(100));
      await admin.config("SET", "maxmemory", 0);
      const { groups } = await consumer.nextGroups({ count: 2 });
      expect(groups.flatMap(({ members }) => members)).toHaveLength(8);
    } finally {
      await queues.close();
      admin.disconnect();
      await small.close();
    }
  });

  it("fails a dispatch that finds no room in time, with the numbers (DISPATCH-3)", async () => {
    const trainer = await fixture.open({ settings: { ...fastSettings, maxQueuedBytes: 100 } });
    const requests = ["g-1", "g-2"].map((groupId) => aGroupRequest({ groupId }));
    await expect(trainer.dispatchGroups(requests, { timeoutMs: 30 })).rejects.toThrow(
      /1 groups with \d+ bytes are outstanding.*maxQueuedBytes 100/,
    );
  });
});

import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { specOf } from "../base/group-spec.js";
import { runKeys } from "../base/run-keys.js";
import { aGroupRequest, trajectoryOf } from "../testing/builders.js";
import { MemoryLedgerStore } from "../testing/memory-ledger-store.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { RunFixture } from "../testing/run-fixture.js";
import { fastSettings } from "../testing/settings.js";
import { LostJobs } from "./lost-jobs.js";

let server: RedisServer;
let redis: Redis;
const fixture = new RunFixture(() => server);

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterEach(() => fixture.end());
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

/** Records the group's state. @returns a function that resets Redis to it and keeps the queues */
async function recordsOf(groupId: string): Promise<() => Promise<void>> {
  const keys = runKeys(fixture.runId);
  const names = [keys.group(groupId), keys.counts, keys.complete, keys.failures];
  const rows = await Promise.all(names.map(async (name) => [name, await redis.dumpBuffer(name)] as const));
  return async () => {
    for (const [name, row] of rows) {
      await redis.unlink(name);
      if (row !== null) await redis.restore(name, 0, row);
    }
  };
}

it("gives a rollout and a reward a job again whose record Redis lost when the job was done (LOSTJOBS-1, T1)", async () => {
  const trainer = await fixture.open();
  await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
  const forget = await recordsOf("group-1");
  let runs = 0;
  await fixture.openWorkers({
    run: async (episode) => {
      runs += 1;
      return trajectoryOf(episode);
    },
  });
  const consumer = await trainer.consumeGroups({ minGroupSize: 2 });
  await expect.poll(async () => (await trainer.ledger.group("group-1"))?.episodes[1]?.score).toBeDefined();
  await expect.poll(async () => (await trainer.ledger.group("group-1"))?.episodes[0]?.score).toBeDefined();
  await forget();
  const { groups } = await consumer.nextGroups({ count: 1, groupIds: ["group-1"] });
  expect(groups[0]?.members).toHaveLength(2);
  expect(runs).toBe(4);
});

it("tries an episode once more whose failure Redis lost and whose failed job it kept (EPISODEJOBS-2, T4)", async () => {
  const trainer = await fixture.open({ settings: { ...fastSettings, attempts: 1 } });
  await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
  const forget = await recordsOf("group-1");
  let broken = true;
  await fixture.openWorkers({
    run: async (episode) => {
      if (broken) throw new Error("the engine is away");
      return trajectoryOf(episode);
    },
  });
  const consumer = await trainer.consumeGroups();
  const failed = async () => (await redis.zcard(`${runKeys(fixture.runId).bullmq}:rollouts:failed`)) === 2;
  await expect.poll(failed).toBe(true);
  broken = false;
  await forget();
  const { groups } = await consumer.nextGroups({ count: 1, groupIds: ["group-1"] });
  expect(groups[0]?.members).toHaveLength(2);
});

it("looks at some hundred episodes at a time, and at all in turn (LOSTJOBS-2)", async () => {
  const ledger = new MemoryLedgerStore();
  const restored: string[][] = [];
  const lost = new LostJobs(ledger, {
    restore: async (_name, specs) => {
      if (specs.length > 0) restored.at(-1)?.push(specs[0]?.groupId ?? "");
    },
  });
  const limits = { maxOutstandingGroups: 10, maxQueuedBytes: 1_000 };
  for (const groupId of ["a", "b", "c"]) {
    const spec = JSON.stringify(specOf(aGroupRequest({ groupId, groupSize: 200 })));
    await ledger.claim([{ groupId, groupSize: 200, spec, taskBytes: 0 }], limits);
    await ledger.putTask(groupId, new Uint8Array());
  }
  await ledger.confirm(["a", "b"]);
  for (let look = 0; look < 2; look++) {
    restored.push([]);
    await lost.look();
  }
  // The third is not dispatched: whoever dispatches it adds its jobs.
  expect(restored).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  await ledger.confirm(["c"]);
  for (let look = 0; look < 2; look++) {
    restored.push([]);
    await lost.look();
  }
  expect(restored.slice(2)).toEqual([
    ["c", "a"],
    ["b", "c"],
  ]);
});

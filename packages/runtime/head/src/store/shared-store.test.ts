/** Both shared stores give the same answers: what a simulation finds over the one in memory holds for Redis. */
import { type RedisServer, startRedisServer } from "@palimpsest/trajectories/testing";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ManualClock } from "../testing/manual-clock.js";
import { MemorySharedStore } from "../testing/memory-shared-store.js";
import { RedisStore } from "./redis-store.js";
import type { SharedStore } from "./shared-store.js";

let server: RedisServer;
let redis: Redis;
let clusters = 0;

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

/** Long enough for leases to end only when a step says so. */
const leaseMs = 3_600_000;

/** A store, and the end of its lease as by time. */
interface Subject {
  readonly store: SharedStore;
  readonly expire: () => Promise<unknown>;
  readonly flush: () => Promise<unknown>;
}

function onRedis(): Subject {
  const cluster = `cluster-${++clusters}`;
  const keys = () => redis.keys(`palimpsest:{${cluster}}:*`);
  return {
    store: new RedisStore(redis, cluster),
    expire: () => redis.del(`palimpsest:{${cluster}}:head:leader`, `palimpsest:{${cluster}}:head:heads`),
    flush: async () => redis.del("none", ...(await keys())),
  };
}

function inMemory(): Subject {
  const clock = new ManualClock();
  const store = new MemorySharedStore(clock);
  return { store, expire: async () => clock.sleep(leaseMs + 1), flush: async () => store.flush() };
}

type Step = (subject: Subject) => Promise<unknown>;

const headId = fc.constantFrom("head-a", "head-b");
const number = fc.integer({ min: 0, max: 4 });
const claimOf = (id: string) => ({ headId: id, address: `${id}:1`, leaseMs });
const row = fc.record({
  table: fc.constantFrom("actors" as const, "nodes" as const),
  key: fc.constantFrom("x", "y", "z"),
  bytes: fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined }),
});

type Named = readonly [name: string, step: Step];
const named = (name: string, run: Step): Named => [name, run];

const step: fc.Arbitrary<Named> = fc.oneof(
  fc
    .tuple(headId, number, fc.constantFrom("", "head-a", "head-b"))
    .map(([id, floor, before]) =>
      named(`take ${id} ${floor} ${before}`, ({ store }) => store.takeLease(claimOf(id), floor, before)),
    ),
  fc
    .tuple(headId, number, number)
    .map(([id, epoch, floor]) =>
      named(`renew ${id} ${epoch} ${floor}`, ({ store }) => store.renewLease(claimOf(id), epoch, floor)),
    ),
  headId.map((id) => named(`release ${id}`, ({ store }) => store.releaseLease(id))),
  headId.map((id) =>
    // Their order follows the time of each, which the two stores do not share.
    named(`announce ${id}`, async ({ store }) => [...(await store.announce(`${id}:1`, leaseMs))].sort()),
  ),
  fc
    .tuple(number, number, fc.integer({ min: -1, max: 2 }), fc.array(row, { maxLength: 3 }))
    .map(([epoch, sequence, unanswered, rows]) =>
      named(
        `write ${epoch} ${sequence} ${unanswered} ${rows.map(({ table, key }) => table + key)}`,
        ({ store }) => store.write({ epoch, sequence, unanswered }, rows),
      ),
    ),
  fc
    .constantFrom("a", "b")
    .map((value) => named(`fact ${value}`, ({ store }) => store.fact("clusterId", value))),
  fc.constant(named("expire", ({ expire }) => expire().then(() => undefined))),
  fc.constant(named("flush", ({ flush }) => flush().then(() => undefined))),
);

async function stateOf({ store }: Subject): Promise<unknown> {
  const tables = await Promise.all(
    (["actors", "nodes"] as const).map(async (table) =>
      [...(await store.readTable(table))]
        .map(([key, bytes]) => [key, [...bytes]] as const)
        .sort(([left], [right]) => (left < right ? -1 : 1)),
    ),
  );
  return { lease: await store.lease(), keys: [...(await store.tableKeys("actors"))].sort(), tables };
}

it("the store in memory and the one on Redis answer alike, whatever is asked of them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const [redisSubject, memorySubject] = [onRedis(), inMemory()];
      for (const [name, run] of steps) {
        const [fromRedis, fromMemory] = [await run(redisSubject), await run(memorySubject)];
        expect([name, fromMemory]).toEqual([name, fromRedis]);
      }
      expect(await stateOf(memorySubject)).toEqual(await stateOf(redisSubject));
    }),
    { numRuns: 150, seed: 11 },
  );
});

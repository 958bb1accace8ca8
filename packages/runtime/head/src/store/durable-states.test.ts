import { once } from "node:events";
import { type RedisServer, startRedisServer } from "@palimpsest/trajectories/testing";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MemoryDurableRedis } from "../testing/memory-durable-redis.js";
import { DurableStates } from "./durable-states.js";
import { RedisStore } from "./redis-store.js";

let redis: RedisServer;
let client: Redis;
beforeAll(async () => {
  redis = await startRedisServer();
  client = new Redis(redis.url);
  await client.config("SET", "appendonly", "yes");
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

/** The states as a head that leads with this epoch sees them. */
async function leading(clusterName: string, headId: string, ownRedis = true) {
  const claim = { headId, address: "", leaseMs: 60_000 };
  const { epoch } = await new RedisStore(client, clusterName).takeLease(claim, 0, "head-before");
  return new DurableStates(client, { clusterName, epoch: () => epoch, ownRedis });
}
const bytes = (...values: number[]) => new Uint8Array(values);
const change = (epoch: number, version: number, value: number, remove: string[] = []) => ({
  ...{ epoch, version, remove },
  set: [{ name: "state", value: bytes(value, 255, 0) }],
});

it("a commit happens entirely and once, by its version (DURABLE-1)", async () => {
  const states = await leading("once", "head-1");
  const { epoch, version } = await states.open("", "a", "actor-a.1");
  expect(version).toBe(0);
  await states.commit("", "a", change(epoch, 1, 7));
  // Its answer was lost, and it comes again.
  await states.commit("", "a", change(epoch, 1, 9));
  await states.commit("", "a", { ...change(epoch, 2, 8), set: [{ name: "t:x", value: bytes(1) }] });
  await states.commit("", "a", change(epoch, 3, 8, ["t:x"]));
  const record = await states.open("", "a", "actor-a.1");
  expect(record.version).toBe(3);
  expect(record.fields.map(({ name, value }) => [name, [...value]])).toEqual([["state", [8, 255, 0]]]);
  // A version that skips one: what was between is lost.
  await expect(states.commit("", "a", change(epoch, 5, 1))).rejects.toMatchObject({ code: "ACTOR_DIED" });
  expect([await states.remove("", "a"), await states.remove("", "a")]).toEqual([true, false]);
});

it("what an earlier process commits is refused as soon as the next one has opened (DURABLE-2)", async () => {
  const states = await leading("fence", "head-1");
  const first = await states.open("team", "a", "actor-a.1");
  await states.commit("team", "a", change(first.epoch, 1, 1));
  const second = await states.open("team", "a", "actor-a.2");
  // Behind its partition the first one goes on.
  const late = states.commit("team", "a", change(first.epoch, 2, 99));
  await expect(late).rejects.toThrow("another process has taken over the state of a");
  await states.commit("team", "a", change(second.epoch, 2, 2));
  expect((await states.open("team", "a", "actor-a.2")).epoch).toBe(second.epoch);
});

it("Redis of the head's own syncs each commit; one without a file is refused (DURABLE-3)", async () => {
  await client.config("SET", "appendfsync", "everysec");
  await (await leading("own", "head-1")).open("", "a", "actor-a.1");
  expect((await client.config("GET", "appendfsync"))[1]).toBe("always");
  await client.config("SET", "appendonly", "no");
  const others = await leading("others", "head-1", false);
  await expect(others.open("", "a", "actor-a.1")).rejects.toThrow("set appendonly yes in that Redis");
  await client.config("SET", "appendonly", "yes");
  expect((await others.open("", "a", "actor-a.1")).version).toBe(0);
});

it("a head that another one has succeeded changes nothing (DURABLE-4)", async () => {
  const old = await leading("heads", "head-before");
  const { epoch } = await old.open("", "a", "actor-a.1");
  const present = await leading("heads", "head-2");
  await expect(old.commit("", "a", change(epoch, 1, 1))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(old.open("", "a", "actor-a.2")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(old.remove("", "a")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await present.commit("", "a", change(epoch, 1, 1));
});

it("a Redis that is away is waited for, and not the end of an actor (DURABLE-5)", async () => {
  const own = await startRedisServer();
  const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => null };
  const ours = new Redis(own.url, options);
  ours.on("error", () => undefined);
  // An error may come first, which `once` of node:events would take for the end of the wait.
  const closed = new Promise((resolve) => void ours.once("close", resolve));
  await once(ours, "ready");
  const states = new DurableStates(ours, { clusterName: "away", epoch: () => 0, ownRedis: true });
  const { epoch } = await states.open("", "a", "actor-a.1");
  const inFlight = states.commit("", "a", change(epoch, 1, 7)).catch((reason: unknown) => reason);
  await own.close();
  await closed;
  const away = { code: "UNAVAILABLE", retryable: true };
  expect([undefined, expect.objectContaining(away)]).toContainEqual(await inFlight);
  await expect(states.commit("", "a", change(epoch, 2, 8))).rejects.toMatchObject(away);
  await expect(states.open("", "a", "actor-a.2")).rejects.toMatchObject(away);
  await expect(states.remove("", "a")).rejects.toMatchObject(away);
  // An answer that Redis will give again is no reason to wait.
  await client.set("palimpsest:{wrong}:head:durable:default:a", "text");
  const wrong = new DurableStates(client, { clusterName: "wrong", epoch: () => 0, ownRedis: true });
  await expect(wrong.open("", "a", "actor-a.1")).rejects.toThrow("WRONGTYPE");
});

/** The same commands to Redis and to what stands for it in the simulator, from any of three processes and two heads. */
const command = fc.record({
  what: fc.constantFrom("open" as const, "commit" as const, "commit" as const, "remove" as const),
  name: fc.constantFrom("a", "b"),
  owner: fc.integer({ min: 1, max: 3 }),
  epoch: fc.integer({ min: 0, max: 3 }),
  version: fc.integer({ min: 1, max: 4 }),
  isStale: fc.boolean(),
  removes: fc.boolean(),
});

it("the states in memory answer as those on Redis do", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const clusterName = `same-${run++}`;
      const memory = new MemoryDurableRedis();
      await client.set(`palimpsest:{${clusterName}}:head:epoch`, 5);
      let epochOfHead = 5;
      const options = { clusterName, epoch: () => epochOfHead, ownRedis: true };
      const real = client.duplicate();
      const both = [real, memory.client({ storedEpoch: () => 5 })].map(
        (redis) => new DurableStates(redis, options),
      );
      for (const { what, name, owner, epoch, version, isStale, removes } of commands) {
        epochOfHead = isStale ? 4 : 5;
        const answers = both.map(async (states) => {
          if (what === "remove") return states.remove("", name);
          if (what === "commit")
            return states.commit("", name, change(epoch, version, version, removes ? ["state"] : []));
          const { fields, ...record } = await states.open("", name, `actor-${owner}`);
          const shown = fields.map((field) => `${field.name} ${Buffer.from(field.value).toString("hex")}`);
          return { ...record, fields: shown.sort() };
        });
        const [onRedis, inMemory] = await Promise.allSettled(answers);
        expect(inMemory).toEqual(onRedis);
      }
      real.disconnect();
    }),
    { numRuns: 25 },
  );
});

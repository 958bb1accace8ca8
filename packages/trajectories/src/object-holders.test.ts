import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ObjectHolders } from "./object-holders.js";
import { runKeys } from "./run-keys.js";
import { type RedisServer, startRedisServer } from "./testing/redis-server.js";

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.close();
});

test("holders are listed once, sorted, until they are removed; runs do not see each other's", async () => {
  const holders = new ObjectHolders(redis, runKeys("run-a"));
  for (const address of ["b:1", "a:1", "b:1"]) await holders.add(address);
  expect(await holders.all()).toEqual(["a:1", "b:1"]);
  expect(await new ObjectHolders(redis, runKeys("run-b")).all()).toEqual([]);
  await holders.remove("b:1");
  expect(await holders.all()).toEqual(["a:1"]);
});

test("a driver that begins forgets what an earlier one's nodes held", async () => {
  const holders = new ObjectHolders(redis, runKeys("run-c"));
  await holders.add("old:1");
  await holders.reset(["new:1"]);
  expect(await holders.all()).toEqual(["new:1"]);
  await holders.reset([]);
  expect(await holders.all()).toEqual([]);
});

import { join } from "node:path";
import { systemClock } from "@palimpsest/std";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { quietLogger } from "../testing/builders.js";
import { EmbeddedRedis } from "./embedded-redis.js";
import { connectRedis } from "./redis-connection.js";
import { endStuckScripts } from "./stuck-scripts.js";

const logger = quietLogger();
let folder: string;
let redis: EmbeddedRedis;
let head: Redis;
let run: Redis;
let stopLooking: () => void;

beforeEach(async () => {
  folder = testFolder();
  redis = await EmbeddedRedis.start({
    folder: join(folder, "redis"),
    host: "127.0.0.1",
    advertiseHost: "127.0.0.1",
    program: "redis-server",
    maxMemoryBytes: 64 * 1024 * 1024,
    tls: undefined,
    logger,
  });
  head = await connectRedis(redis.url, logger);
  run = new Redis(redis.queueUrl, { maxRetriesPerRequest: 0, retryStrategy: () => null });
  run.on("error", () => undefined);
  const restart = () => redis.restart();
  stopLooking = endStuckScripts({
    client: head,
    clock: systemClock,
    logger,
    checkMs: 50,
    restart,
    unkillableMs: 300,
  });
});
afterEach(async () => {
  stopLooking();
  head.disconnect();
  run.disconnect();
  await redis.stop();
});

it("STUCK-1: an endless script of a run is killed, and its sender is told", async () => {
  await head.set("palimpsest:row", "before");
  const { pid } = redis;
  await expect(run.eval("while true do end", 0)).rejects.toThrow(/killed/i);
  expect(await head.get("palimpsest:row")).toBe("before");
  expect(redis.pid).toBe(pid);
});

it("STUCK-2: one that has written ends with its Redis, which comes back with what was written before it", async () => {
  await head.set("palimpsest:row", "before");
  const { pid } = redis;
  const script = "redis.call('SET', KEYS[1], 'half'); while true do end";
  await expect(run.eval(script, 1, "{palimpsest-run-1}:x")).rejects.toThrow();
  await expect.poll(() => redis.pid).not.toBe(pid);
  await expect.poll(() => head.get("palimpsest:row").catch(() => "")).toBe("before");
  expect(await head.exists("{palimpsest-run-1}:x")).toBe(0);
});

it("runs have no functions, which SCRIPT KILL does not end", async () => {
  await expect(run.call("FCALL", "f", "0")).rejects.toThrow(/NOPERM|permission/);
  await expect(run.call("FUNCTION", "LIST")).rejects.toThrow(/NOPERM|permission/);
});

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { quietLogger } from "../testing/builders.js";
import { EmbeddedRedis } from "./embedded-redis.js";
import { connectRedis } from "./redis-connection.js";
import { isRedisOf, readRecord } from "./redis-record.js";

let folder: string;
let started: EmbeddedRedis[];

beforeEach(() => {
  folder = testFolder();
  started = [];
});
afterEach(async () => {
  for (const redis of started) await redis.stop();
});

async function start(
  program = "redis-server",
  maxMemoryBytes = 64 * 1024 * 1024,
  stopTimeoutMs = 10_000,
): Promise<EmbeddedRedis> {
  const redis = await EmbeddedRedis.start({
    folder: join(folder, "redis"),
    host: "127.0.0.1",
    advertiseHost: "127.0.0.1",
    program,
    maxMemoryBytes,
    tls: undefined,
    stopTimeoutMs,
    logger: quietLogger(),
  });
  started.push(redis);
  return redis;
}

it.runIf(process.platform === "linux")(
  "knows its process without `ps`, which small containers lack",
  async () => {
    await start();
    const record = readRecord(join(folder, "redis"));
    const path = process.env["PATH"];
    try {
      process.env["PATH"] = "";
      expect(record && (await isRedisOf(record))).toBe(true);
      expect(record && (await isRedisOf({ ...record, pid: process.pid }))).toBe(false);
    } finally {
      process.env["PATH"] = path;
    }
  },
);

it("ends a server that does not answer when it is stopped", async () => {
  const redis = await start("redis-server", 64 * 1024 * 1024, 100);
  process.kill(redis.pid, "SIGSTOP");
  await redis.stop();
  const record = readRecord(join(folder, "redis"));
  await expect.poll(() => record && isRedisOf(record)).toBe(false);
});

async function using<T>(redis: EmbeddedRedis, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(redis.url, { lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
}

function killNow(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  return expect.poll(() => isAlive(pid)).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("EmbeddedRedis", () => {
  it("keeps every write on disk, evicts nothing, and needs its password", async () => {
    const redis = await start();
    await using(redis, async (client) => {
      const value = async (name: string) => ((await client.config("GET", name)) as string[])[1];
      expect(await value("appendonly")).toBe("yes");
      expect(await value("appendfsync")).toBe("everysec");
      expect(await value("maxmemory-policy")).toBe("noeviction");
      expect(await value("bind")).toBe("127.0.0.1");
    });
    const stranger = new Redis({ port: redis.port, lazyConnect: true, retryStrategy: () => null });
    stranger.on("error", () => undefined);
    await expect(stranger.connect().then(() => stranger.ping())).rejects.toThrow();
    stranger.disconnect();
  });

  it("gives runs a user that reaches neither the head's tables nor the server's settings", async () => {
    const redis = await start();
    await using(redis, (client) => client.hset("palimpsest:{main}:head:actors", "a", "row"));
    const client = new Redis(redis.queueUrl, { lazyConnect: true, retryStrategy: () => null });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.set("{palimpsest-run-1}:ledger:counts", "1");
      expect(await client.get("{palimpsest-run-1}:ledger:counts")).toBe("1");
      await client.sadd("palimpsest:runs:c", "run-1");
      for (const command of [
        () => client.hgetall("palimpsest:{main}:head:actors"),
        () => client.del("palimpsest:{main}:head:actors"),
        () => client.eval("return redis.call('DEL', 'palimpsest:{main}:head:actors')", 0),
        () => client.config("GET", "dir"),
        () => client.flushall(),
        () => client.keys("*"),
        () => client.call("ACL", "LIST"),
      ]) {
        await expect(command()).rejects.toThrow(/NOPERM|ACL|permission|can.t access/i);
      }
    } finally {
      client.disconnect();
    }
  });

  it("replaces its passwords: old ones are refused, their connections end, the head's own client goes on", async () => {
    const redis = await start();
    const head = await connectRedis(redis.url, quietLogger());
    const before = redis.queueUrl;
    const thief = new Redis(before, { retryStrategy: () => null });
    thief.on("error", () => undefined);
    await thief.ping();
    const ended = once(thief, "end");
    await redis.rotatePasswords(head);
    await ended;
    const late = new Redis(before, { lazyConnect: true, retryStrategy: () => null });
    late.on("error", () => undefined);
    await expect(late.connect().then(() => late.ping())).rejects.toThrow();
    late.disconnect();
    const run = new Redis(redis.queueUrl);
    expect(await run.ping()).toBe("PONG");
    run.disconnect();
    expect(await head.ping()).toBe("PONG");
    // The server's file has them too: after a crash head and runs come back with the same URLs.
    await killNow(redis.pid);
    await redis.ensure();
    await expect.poll(() => head.ping().catch(() => "")).toBe("PONG");
    expect((await start()).queueUrl).toBe(redis.queueUrl);
    head.disconnect();
  });

  it("REDIS-1: a second start of the same folder adopts the server that runs", async () => {
    const first = await start();
    await using(first, (client) => client.set("a", "1"));
    const second = await start();
    expect([second.pid, second.url]).toEqual([first.pid, first.url]);
  });

  it("REDIS-7: tables are complete as long as the run lasts in which they were marked, and nobody empties them", async () => {
    const complete = (redis: EmbeddedRedis) => using(redis, (client) => redis.isComplete(client));
    const first = await start();
    expect(await complete(first)).toBe(false);
    await using(first, (client) => first.markComplete(client));
    const second = await start();
    expect([await complete(first), await complete(second)]).toEqual([true, true]);
    await using(second, (client) => client.flushall());
    expect(await complete(await start())).toBe(false);
    await using(second, (client) => second.markComplete(client));
    await killNow(second.pid);
    expect(await complete(await start())).toBe(false);
  });

  it("REDIS-6: an adopted server gets the users and settings of now, in its file too", async () => {
    const first = await start();
    const config = join(folder, "redis", "redis.conf");
    await using(first, async (client) => {
      // What another version may have started it with.
      await client.call("ACL", "SETUSER", "queues", "resetkeys", "~palimpsest:runs");
      await client.call(
        "CONFIG",
        "SET",
        "maxmemory-policy",
        "allkeys-lru",
        "save",
        "60 1",
        "loglevel",
        "notice",
      );
      writeFileSync(config, "maxmemory-policy allkeys-lru\n");
    });
    const stillThere = new Redis(first.url);
    const second = await start();
    expect(second.pid).toBe(first.pid);
    await using(second, async (client) => {
      const value = async (name: string) => ((await client.config("GET", name)) as string[])[1];
      expect(await value("maxmemory-policy")).toBe("noeviction");
      expect(await value("save")).toBe("");
      expect(await value("loglevel")).toBe("warning");
    });
    expect(await stillThere.ping()).toBe("PONG");
    stillThere.disconnect();
    const run = new Redis(second.queueUrl);
    expect(await run.sadd("palimpsest:runs:main", "run-1")).toBe(1);
    await expect(run.sadd("palimpsest:runs", "run-1")).rejects.toThrow("NOPERM");
    run.disconnect();
    expect(readFileSync(config, "utf8")).toContain("maxmemory-policy noeviction");
  });

  it("REDIS-5: refuses what would need more than its limit, which an adopting head may change", async () => {
    const first = await start();
    await using(first, async (client) => {
      const fill = async () => {
        for (let at = 0; at < 100; at++) await client.set(`filler-${at}`, Buffer.alloc(1024 * 1024));
      };
      await expect(fill()).rejects.toThrow("OOM");
      expect(await client.dbsize()).toBeLessThan(64);
    });
    const second = await start("redis-server", 0);
    expect(second.pid).toBe(first.pid);
    await using(second, (client) => client.set("a", "1"));
  });

  it("REDIS-2: no second server is started while the first one lives, even if it does not answer", async () => {
    const first = await start();
    process.kill(first.pid, "SIGSTOP");
    try {
      await expect(start()).rejects.toThrow();
    } finally {
      process.kill(first.pid, "SIGCONT");
    }
    const again = await start();
    expect([again.pid, again.port]).toEqual([first.pid, first.port]);
  });

  it("REDIS-3: after an orderly stop it comes back on the same port with the same data", async () => {
    const first = await start();
    await using(first, (client) => client.set("a", "1"));
    await first.stop();
    await expect.poll(() => isAlive(first.pid)).toBe(false);
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(second.pid).not.toBe(first.pid);
    expect(await using(second, (client) => client.get("a"))).toBe("1");
  });

  it("REDIS-3: a server that was killed is started again on the same port, by ensure and by a new head", async () => {
    const first = await start();
    await killNow(first.pid);
    await Promise.all([first.ensure(), first.ensure()]);
    await using(first, (client) => client.set("a", "1"));
    await killNow(first.pid);
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(isAlive(second.pid)).toBe(true);
  });

  it.each(["ensure", "restart"] as const)(
    "REDIS-8: a server that is stopped is not started again by %s, begun before or after",
    async (again) => {
      const redis = await start();
      if (again === "ensure") process.kill(redis.pid, "SIGKILL");
      const began = redis[again]();
      await redis.stop();
      await began;
      await redis[again]();
      const record = readRecord(join(folder, "redis"));
      expect(record && (await isRedisOf(record))).toBe(false);
      expect(record?.pid === 0 || (record && (await isRedisOf({ ...record, pid: redis.pid })))).toBe(false);
    },
  );

  it("REDIS-3: takes another port when a stranger has taken its own, with the same data", async () => {
    const first = await start();
    await using(first, (client) => client.set("a", "1"));
    await first.stop();
    const stranger: Server = createServer((socket) => socket.destroy()).listen(first.port, "127.0.0.1");
    await once(stranger, "listening");
    const second = await start();
    stranger.close();
    expect(second.port).not.toBe(first.port);
    expect(await using(second, (client) => client.get("a"))).toBe("1");
  });

  it("REDIS-4: the password is in files of mode 0600 only", async () => {
    const redis = await start();
    const password = new URL(redis.url).password;
    for (const name of ["redis.json", "redis.conf"]) {
      const path = join(folder, "redis", name);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path, "utf8")).toContain(password);
    }
    expect(execFileSync("ps", ["-o", "args=", "-p", String(redis.pid)], { encoding: "utf8" })).not.toContain(
      password,
    );
    expect(readdirSync(join(folder, "redis")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("says in one line what to type when there is no redis-server", async () => {
    const message = await start("redis-server-that-is-not-there").catch((reason: Error) => reason.message);
    expect(message).toContain("apt-get install redis-server");
    expect(message).toContain("brew install redis");
    expect(message).not.toContain("\n");
  });
});

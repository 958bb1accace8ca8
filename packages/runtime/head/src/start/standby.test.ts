import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type RedisServer, startRedisServer } from "@palimpsest/trajectories/testing";
import { grpcNetwork, HeadPeer, headService, jobsService, roleToken } from "@palimpsest/wire";
import { tokenPathOf } from "@palimpsest/wire/local-head";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { Bundles } from "../store/bundles.js";
import { rowVersion } from "../store/row-versions.js";
import { SharedBundles } from "../store/shared-bundles.js";
import { anActor, quietLogger } from "../testing/builders.js";
import { FakeNode, runningActor } from "../testing/fake-node.js";
import { create, resolve } from "../testing/running-head.js";
import { Head } from "./head.js";
import type { HeadDeps } from "./head-deps.js";

const token = "token-of-the-tests-of-standbys";
const times = { heartbeatIntervalMs: 50, nodeTimeoutMs: 500, recoveryGraceMs: 2_000, leaseMs: 1_500 };

let redis: RedisServer;
let client: Redis;
beforeAll(async () => {
  redis = await startRedisServer();
  // A busy machine may take longer to connect than the 20 tries after which a command fails by default.
  client = new Redis(redis.url, { maxRetriesPerRequest: null });
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

function start(
  dataDir: string,
  cluster: string,
  { token: given = token, ...deps }: Partial<HeadDeps> & { readonly token?: string } = {},
): Promise<Head> {
  const config = { dataDir, cluster, token: given, redisUrl: redis.url, metricsPort: null, ...times };
  return Head.start(config, { logger: quietLogger(), ...deps });
}

function tokenIn(dataDir: string): string {
  return readFileSync(tokenPathOf(dataDir), "utf8").trim();
}

describe("heads over one Redis", () => {
  it("LEASE-4: a FLUSHALL under a running head loses nothing: the head that is started next restarts no actor", async () => {
    const folder = testFolder();
    const first = await start(folder, "flushed");
    const peer = grpcNetwork({ token }).connect(first.address);
    const node = (await FakeNode.join(first.address, token, { nodeId: "node-a" })).beatEvery(50);
    await create(peer, anActor("actor-1", { ownerId: "", detached: true, maxRestarts: 3 }));
    await resolve(peer, "actor-1");
    await client.flushall();
    await expect.poll(() => client.hlen("palimpsest:{flushed}:head:actors")).toBe(1);
    expect(Number(await client.get("palimpsest:{flushed}:head:epoch"))).toBeGreaterThan(1);
    node.break();
    await first.close();
    const second = await start(folder, "flushed");
    expect(second.clusterId).toBe(first.clusterId);
    const again = grpcNetwork({ token }).connect(second.address);
    const back = await FakeNode.join(second.address, token, {
      nodeId: "node-a",
      clusterId: first.clusterId,
      actors: [runningActor("actor-1", 1)],
    });
    expect(await resolve(again, "actor-1")).toMatchObject({ incarnation: 1, restarts: 0 });
    expect(back.received.filter(({ startActor, stopActor }) => startActor ?? stopActor)).toEqual([]);
    back.break();
    for (const each of [peer, again]) each.close();
    await second.close();
  });

  it("LEASE-7: heads that restart after a FLUSHALL lead the same cluster, also one that had only waited", async () => {
    const [one, two] = [testFolder(), testFolder()];
    const first = await start(one, "forgotten");
    const { clusterId } = first;
    const stop = new AbortController();
    const waiting = start(two, "forgotten", { signal: stop.signal });
    const known = join(two, "cluster.json");
    await expect.poll(() => existsSync(known)).toBe(true);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    await first.close();
    await client.flushall();
    const second = await start(two, "forgotten");
    expect(second.clusterId).toBe(clusterId);
    const { epoch } = JSON.parse(readFileSync(join(two, "head.json"), "utf8"));
    expect(epoch).toBeGreaterThan(1);
    await second.close();
  });

  it("LEASE-1: a second head waits, takes over when the first one says nothing more, and clients find it", async () => {
    const [one, two] = [testFolder(), testFolder()];
    const first = await start(one, "pair");
    const waiting: string[] = [];
    const standby = start(two, "pair", { onStandby: ({ address }) => waiting.push(address) });
    await expect.poll(() => waiting.length).toBe(1);
    const peer = new HeadPeer(grpcNetwork({ token }), `${waiting[0]},${first.address}`);
    const info = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    // The standby refuses, the next address serves.
    await expect(info()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await info()).toMatchObject({ epoch: 1, clusterName: "pair" });

    // As a failover does: the leader's lease is somebody else's from now on.
    await client.incr("palimpsest:{pair}:head:epoch");
    await client.del("palimpsest:{pair}:head:leader");
    const end = await first.closed;
    expect(end.deposed).toBe(true);
    const second = await standby;
    expect(second.clusterId).toBe(first.clusterId);
    await expect
      .poll(() =>
        info().then(
          ({ epoch }) => epoch,
          () => 0,
        ),
      )
      .toBe(3);
    peer.close();
    await second.close();
  });

  it("STANDBY-TOKENS-1: a head that takes over after a rotation has the new token, and the old one's grace", async () => {
    const [one, two] = [testFolder(), testFolder()];
    const first = await start(one, "rotated");
    const waiting: string[] = [];
    const standby = start(two, "rotated", { onStandby: ({ address }) => waiting.push(address) });
    await expect.poll(() => waiting.length).toBe(1);
    const peer = grpcNetwork({ token }).connect(first.address);
    const rotation = peer.unary(headService.rotateToken, { graceMs: 60_000 }, { timeoutMs: 600_000 });
    await expect.poll(() => tokenIn(two)).not.toBe(token);
    const fresh = (await rotation).token ?? "";
    expect(tokenIn(two)).toBe(fresh);
    const readers = readFileSync(join(two, "reader-token"), "utf8").trim();
    expect(readers).toBe(roleToken(fresh, "reader"));
    peer.close();
    await first.close();
    const second = await standby;
    expect(second.token).toBe(fresh);
    for (const accepted of [fresh, token]) {
      const again = grpcNetwork({ token: accepted }).connect(second.address);
      expect(await again.unary(headService.getCluster, {}, { timeoutMs: 600_000 })).toMatchObject({
        epoch: 2,
      });
      again.close();
    }
    await second.close();
    // The command line and the environment of before do not bring the old one back.
    const third = await start(two, "rotated");
    expect(third.token).toBe(fresh);
    await third.close();
  });

  it("STANDBY-TOKENS-2: without TLS a standby with a stolen token waits no longer, and is not told the new one", async () => {
    const [one, two] = [testFolder(), testFolder()];
    const first = await start(one, "stolen");
    const waiting: string[] = [];
    const standby = start(two, "stolen", { onStandby: ({ address }) => waiting.push(address) });
    const refused = standby.catch((reason: unknown) => reason);
    await expect.poll(() => waiting.length).toBe(1);
    const thief = grpcNetwork({ token }).connect(first.address);
    const told: (string | undefined)[] = [];
    const stream = thief.serverStream(headService.followToken, { rowVersion }, { timeoutMs: 600_000 });
    stream.on("data", (state) => told.push(state.token));
    const ended = new Promise((resolve) => stream.once("error", resolve));
    await expect.poll(() => told).toEqual([token]);
    const peer = grpcNetwork({ token }).connect(first.address);
    // The answer may be lost with the connection.
    await peer
      .unary(headService.rotateToken, { stolen: true }, { timeoutMs: 600_000 })
      .catch(() => undefined);
    const fresh = tokenIn(one);
    expect(fresh).not.toBe(token);
    expect(await refused).toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringContaining("start this head with the new one"),
    });
    expect(tokenIn(two)).toBe(token);
    await ended;
    await expect(
      (async () => {
        for await (const state of thief.serverStream(
          headService.followToken,
          { rowVersion },
          { timeoutMs: 600_000 },
        ))
          told.push(state.token);
      })(),
    ).rejects.toThrow("not this cluster's");
    expect(told).toEqual([token]);
    for (const each of [peer, thief]) each.close();
    const again = start(two, "stolen", {
      token: fresh,
      onStandby: ({ address }) => waiting.push(address),
    });
    await expect.poll(() => waiting.length).toBe(2);
    await first.close();
    const second = await again;
    expect(second.token).toBe(fresh);
    await second.close();
  });

  it("HEAD-BUNDLE-3: a head that takes over has the bundles that the one before received", async () => {
    const [one, two] = [testFolder(), testFolder()];
    const first = await start(one, "bundles");
    const bytes = Buffer.alloc(2_500_000, "export default 1;\n");
    const peer = grpcNetwork({ token }).connect(first.address);
    const { stream, response } = peer.clientStream(jobsService.putBundle, { timeoutMs: 600_000 });
    for (let at = 0; at < bytes.length; at += 500_000)
      stream.write({ data: bytes.subarray(at, at + 500_000) });
    stream.end();
    const { sha256 = "" } = await response;
    peer.close();
    await first.close();
    const second = await start(two, "bundles");
    const again = grpcNetwork({ token }).connect(second.address);
    const chunks: Uint8Array[] = [];
    for await (const { data } of again.serverStream(
      jobsService.getBundle,
      { sha256 },
      { timeoutMs: 600_000 },
    ))
      chunks.push(data ?? new Uint8Array());
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    again.close();
    await second.close();
  });

  const shareOf = (clusterName: string, epoch = 1) =>
    new SharedBundles(client, { clusterName, maxBytes: 1_000, epoch: () => epoch });

  it("SHARED-BUNDLE-1: an upload that Redis loses parts of stores nothing, and one of nothing does", async () => {
    const share = shareOf("lossy");
    const bundleKeys = () => client.keys("palimpsest:{lossy}:head:bundles:*");
    async function* losing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("first");
      // As its expiry does when the upload pauses for longer.
      await client.del(...(await bundleKeys()));
      yield Buffer.from("last");
    }
    await expect(share.put({ sha256: "a", sizeBytes: 9 }, losing())).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    expect(await share.has("a")).toBe(false);
    async function* lost(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("all");
      await client.del(...(await bundleKeys()));
    }
    await expect(share.put({ sha256: "b", sizeBytes: 3 }, lost())).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    expect(await share.has("b")).toBe(false);
    expect(await share.put({ sha256: "empty", sizeBytes: 0 }, Readable.from([]))).toBe(true);
    expect(await share.has("empty")).toBe(true);
  });

  it("SHARED-BUNDLE-4: a deposed head neither stores nor removes copies", async () => {
    const [old, next] = [shareOf("deposed", 1), shareOf("deposed", 2)];
    const bundle = (sha256: string) => [{ sha256, sizeBytes: 1 }, Readable.from([Buffer.from("x")])] as const;
    await client.set("palimpsest:{deposed}:head:epoch", "2");
    await next.put(...bundle("a"));
    const keys = (await client.keys("palimpsest:{deposed}:*")).sort();
    await expect(old.remove("a")).rejects.toThrow("another head leads");
    await expect(old.put(...bundle("b"))).rejects.toThrow("another head leads");
    expect((await client.keys("palimpsest:{deposed}:*")).sort()).toEqual(keys);
    // The head is deposed while it uploads.
    async function* deposing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("x");
      await client.set("palimpsest:{deposed}:head:epoch", "3");
    }
    await expect(next.put({ sha256: "c", sizeBytes: 1 }, deposing())).rejects.toThrow("another head leads");
    expect(await next.has("c")).toBe(false);
  });

  it("a copy with a wrong hash is removed, and the next upload stores a good one", async () => {
    const [one, two] = [testFolder(), testFolder()];
    const failures: unknown[] = [];
    const bundlesIn = (path: string) =>
      new Bundles(path, 1_000, {
        share: shareOf("damaged"),
        onShareFailed: (_sha256, reason) => failures.push(reason),
      });
    const { sha256 } = await bundlesIn(one).putText("whole text");
    await client.lset(`palimpsest:{damaged}:head:bundles:${sha256}`, 0, "who");
    expect(await bundlesIn(two).sizeBytes(sha256)).toBeUndefined();
    expect(failures).toEqual([expect.stringContaining("its copy has the hash")]);
    expect(await shareOf("damaged").has(sha256)).toBe(false);
    // The head that has the file stores it again.
    await bundlesIn(one).sweep(() => true, 0);
    expect(await bundlesIn(two).sizeBytes(sha256)).toBe(10);
  });

  it("SHARED-BUNDLE-1, SHARED-BUNDLE-3: a copy can be read when all of it is there, in parts of a bounded size", async () => {
    const share = new SharedBundles(client, {
      clusterName: "parts",
      maxBytes: 10_000_000,
      epoch: () => 1,
    });
    const during: boolean[] = [];
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(2_500_000, "a");
      during.push(await share.has("x"), (await share.read("x")[Symbol.asyncIterator]().next()).done === true);
      yield Buffer.alloc(10, "b");
    }
    expect(await share.put({ sha256: "x", sizeBytes: 2_500_010 }, chunks())).toBe(true);
    expect(during).toEqual([false, true]);
    const sizes: number[] = [];
    for await (const part of share.read("x")) sizes.push(part.byteLength);
    expect(sizes).toEqual([1_048_576, 1_048_576, 402_848, 10]);
    await share.remove("x");
  });

  it("SHARED-BUNDLE-2: copies beyond the bound are removed, the longest stored first", async () => {
    const share = shareOf("bounded");
    const put = (name: string, sizeBytes: number) =>
      share.put({ sha256: name, sizeBytes }, Readable.from([Buffer.alloc(sizeBytes, name)]));
    expect(await put("a", 600)).toBe(true);
    expect(await put("b", 300)).toBe(true);
    expect(await put("c", 600)).toBe(true);
    expect(await Promise.all(["a", "b", "c"].map((name) => share.has(name)))).toEqual([false, true, true]);
    expect(await put("d", 1_001)).toBe(false);
    await share.remove("b");
    await share.remove("c");
    expect(await client.keys("palimpsest:{bounded}:*")).toEqual([]);
  });

  it("keeps clusters of other names apart, and refuses to wait when told so", async () => {
    const folders = [testFolder(), testFolder(), testFolder()];
    const [a, b] = await Promise.all([
      start(folders[0] ?? "", "cluster-a"),
      start(folders[1] ?? "", "cluster-b"),
    ]);
    expect(a.clusterId).not.toBe(b.clusterId);
    const refusing = {
      dataDir: folders[2] ?? "",
      cluster: "cluster-a",
      standby: false,
      redisUrl: redis.url,
    };
    await expect(Head.start({ ...refusing, ...times, token }, { logger: quietLogger() })).rejects.toThrow(
      "leads cluster cluster-a with epoch 1",
    );
    await Promise.all([a.close(), b.close()]);
  });
});

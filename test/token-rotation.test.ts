/**
 * Tests `palimpsest token rotate` in a running cluster under TLS: nothing is interrupted, and the old token stops
 * working.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@palimpsest/client";
import {
  actorHostService,
  Credentials,
  fromGrpcError,
  grpcNetwork,
  loadTls,
  roleToken,
} from "@palimpsest/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";
import { WordCounter } from "./support/word-counter.js";

const graceSeconds = "4";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ tls: true });
});
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

/** Returns how an actor answers a stream that is opened with this token and a driver's certificate. */
async function actorAnswers(address: string, token: string): Promise<string> {
  const tls = loadTls(cluster.certificates("driver"));
  const peer = grpcNetwork({ credentials: Credentials.ofCluster(token, { tls }) }).connect(address, "calls");
  try {
    return await new Promise<string>((resolve) => {
      const call = peer.bidi(actorHostService.calls, { timeoutMs: 600_000 });
      call.on("error", (reason) => resolve(fromGrpcError(reason).code));
      call.on("data", () => undefined);
      call.end();
    });
  } finally {
    peer.close();
  }
}

test("actors, callers and sessions go on with the new token, and the old one is refused after its grace", async () => {
  const { client } = cluster;
  const old = cluster.token;
  const counters = client.actor(WordCounter, { from: new URL("./support/word-counter.ts", import.meta.url) });
  const counter = await counters.spawn();
  const before = await counter.place();

  const calls = { made: 0, over: false };
  const caller = (async () => {
    while (!calls.over) {
      await counter.add(`word-${calls.made}`);
      calls.made++;
    }
  })();
  const rotation = await cluster.run([
    "token",
    "rotate",
    "--grace",
    graceSeconds,
    "--tls",
    cluster.certificates("driver"),
  ]);
  expect(rotation.stderr).toBe("");
  expect(rotation.code).toBe(0);
  const fresh = cluster.token;
  expect(fresh).not.toBe(old);
  expect(rotation.stdout).not.toContain(fresh);

  const address = (await client.actors()).find(({ state }) => state === "alive")?.address ?? "";
  const options = { address: cluster.address, tls: cluster.certificates("driver"), name: "late" };
  await until("the head refuses the old token", async () => {
    const late = await connect({ ...options, token: old }).catch((reason: unknown) => reason);
    if (!(late instanceof Error)) await (late as typeof client).close();
    return late instanceof Error && "code" in late && late.code === "UNAUTHENTICATED";
  });
  await until("the actor refuses it", async () => (await actorAnswers(address, old)) === "UNAUTHENTICATED");

  const soFar = calls.made;
  await until("calls go on after the grace", () => calls.made > soFar);
  calls.over = true;
  await caller;
  expect(await counter.place()).toEqual(before);
  // Each of these opens connections with the current token: to the head, to objects and to an actor.
  const other = await counters.spawn();
  expect(await other.add("one word")).toBe(2);
  const ref = await client.objects.put(new Uint8Array([1, 2, 3]));
  expect([...(await client.objects.get(ref))]).toEqual([1, 2, 3]);
  expect(client.lostBecause).toBeUndefined();

  const late = await connect({ ...options, token: fresh });
  const found = await late.getActor<WordCounter>({ actorId: (await client.actors())[0]?.actorId ?? "" });
  expect((await found.place()).pid).toBe(before.pid);
  await late.close();
  const kept = readFileSync(join(cluster.dir, "node-1", "driver-token"), "utf8").trim();
  expect(kept).toBe(roleToken(fresh, "driver"));
  const readers = readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();
  expect(readers).toBe(roleToken(fresh, "reader"));
});

test("ROTATION-5: a stolen token is refused at once by head and actor, while those with a certificate go on; Redis has new passwords", async () => {
  const { client } = cluster;
  const stolen = cluster.token;
  const { redisUrl } = await client.info();
  const counters = client.actor(WordCounter, { from: new URL("./support/word-counter.ts", import.meta.url) });
  const counter = await counters.spawn();
  const before = await counter.place();
  const tls = cluster.certificates("driver");
  const rotation = await cluster.run(["token", "rotate", "--stolen", "--tls", tls]);
  expect([rotation.code, rotation.stderr]).toEqual([0, ""]);
  expect(rotation.stdout).toContain("the passwords of the head's Redis were replaced");
  await expect(
    connect({ address: cluster.address, tls, name: "thief", token: stolen }),
  ).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
  });
  const address = (await client.actors()).find(({ pid }) => pid === before.pid)?.address ?? "";
  await until(
    "the actor refuses it",
    async () => (await actorAnswers(address, stolen)) === "UNAUTHENTICATED",
  );
  // Nodes, actors and sessions have received the new token, and nothing was interrupted.
  expect(await counter.place()).toEqual(before);
  expect(await (await counters.spawn()).add("one word")).toBe(2);
  expect((await client.info()).redisUrl).not.toBe(redisUrl);
});

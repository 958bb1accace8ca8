import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { Server } from "node:net";
import { join } from "node:path";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { bearerMetadata, fromGrpcError, headService, jobsService, roleToken } from "@palimpsest/wire";
import { type HeadAddress, readHeadAddress } from "@palimpsest/wire/local-head";
import * as proto from "@palimpsest/wire/protocol";
import { service as healthService } from "grpc-health-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { writeHeadAddress } from "../store/head-files.js";
import { anActor } from "../testing/builders.js";
import { runningActor } from "../testing/fake-node.js";
import { create, HeadBench, openSession, resolve } from "../testing/running-head.js";
import type { Head } from "./head.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;
const { JOB_STATUS_STOPPED } = proto.JobStatus;

let bench: HeadBench;
beforeEach(() => {
  bench = new HeadBench();
});
afterEach(() => bench.end());

/** What Prometheus sends with the token of readers. */
const asReader = (head: Head) => ({
  headers: { authorization: `Bearer ${roleToken(head.token, "reader")}` },
});

describe("a head started again with the same folder", () => {
  it("asks for its own port, and the first time for none that another program may have taken meanwhile", async () => {
    const listens = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listens.mockRestore());
    const first = await bench.start();
    const asked: readonly unknown[] = listens.mock.calls.map(([port]) => port);
    // Its lock is a socket with a path.
    expect(new Set(asked.filter((port) => typeof port === "number"))).toEqual(new Set([0]));
    await first.close();
    const second = await bench.start();
    expect(second.address).toBe(first.address);
  });

  it.each([
    ["its Redis ended with it", false],
    ["its Redis went on", true],
  ])("HEAD-2: keeps address, token, cluster and actors when %s", async (_title, leaveRedis) => {
    const first = await bench.start();
    const peer = bench.peer(first);
    await openSession(peer);
    const node = await bench.join(first, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { maxRestarts: 3, name: "learner" }));
    await resolve(peer, "actor-1");
    const { redisPid } = await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    await first.close({ leaveRedis });
    node.break();

    const second = await bench.start();
    expect([second.address, second.token, second.clusterId]).toEqual([
      first.address,
      first.token,
      first.clusterId,
    ]);
    const again = bench.peer(second);
    await openSession(again);
    const cluster = await again.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    expect(cluster.redisPid === redisPid).toBe(leaveRedis);
    const back = await bench.join(second, { nodeId: "node-a", actors: [runningActor("actor-1", 1)] });
    const info = await again.unary(headService.resolveActor, { name: "learner" }, { timeoutMs: 600_000 });
    expect(info).toMatchObject({ state: ACTOR_STATE_ALIVE, incarnation: 1, restarts: 0, pid: 1001 });
    expect(back.received.filter((message) => message.startActor)).toEqual([]);
  });

  it("restarts the actors of a node that does not come back", async () => {
    const first = await bench.start();
    const peer = bench.peer(first);
    await openSession(peer);
    const node = await bench.join(first, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { maxRestarts: 1 }));
    await resolve(peer, "actor-1");
    await first.close({ leaveRedis: true });
    node.break();
    const second = await bench.start();
    const again = bench.peer(second);
    await openSession(again);
    await bench.join(second, { nodeId: "node-b" });
    expect(await resolve(again, "actor-1", 1)).toMatchObject({ incarnation: 2, nodeId: "node-b" });
  });

  it("HEAD-1: answers nothing before it knows what the first one knew", async () => {
    const first = await bench.start();
    await create(bench.peer(first), anActor("actor-1", { ownerId: "", detached: true }));
    await first.close();
    const started = bench.start();
    const peer = bench.peer(first);
    const list = () => peer.unary(headService.listActors, {}, { timeoutMs: 600_000 }).catch(() => undefined);
    let answer = await list();
    while (answer === undefined) answer = await list();
    expect(answer.actors).toMatchObject([{ spec: { actorId: "actor-1" } }]);
    await started;
  });

  it("HEAD-3: close() ends everything once, however often it is called", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const info = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    const { redisPid } = await info();
    await Promise.all([head.close(), head.close()]);
    await head.close();
    // It has ended; its entry among the processes goes when this process has heard of it.
    await expect.poll(() => isAlive(redisPid ?? 0)).toBe(false);
    await expect(info()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await bench.start()).address).toBe(head.address);
  });

  it("is refused while the first one runs", async () => {
    const head = await bench.start();
    const refusal = `a head already runs with this data folder, pid ${process.pid} at ${head.address}`;
    await expect(bench.start()).rejects.toThrow(refusal);
  });

  it("leaves the first one's Redis alone when it is refused", async () => {
    const head = await bench.start();
    writeHeadAddress(bench.folder, { ...(readHeadAddress(bench.folder) as HeadAddress), pid: 0 });
    await expect(bench.start()).rejects.toThrow("a head already runs with this data folder");
    const peer = bench.peer(head);
    await create(peer, anActor("actor-1", { ownerId: "", detached: true }));
    // Its first answer connects to Redis, which takes its time on a busy machine.
    expect((await peer.unary(headService.listQueues, {}, { timeoutMs: 600_000 })).queues).toEqual([]);
  });
});

describe("the head's door", () => {
  const check = (head: Head, metadata: Metadata) =>
    new Promise<string>((resolve_, reject) => {
      const method = healthService["Check"];
      if (method === undefined) throw new Error("the health service has no Check");
      const client = new Client(head.address, credentials.createInsecure());
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        { service: "palimpsest.v1.Head" },
        metadata,
        (error, response) => {
          client.close();
          if (error) reject(fromGrpcError(error));
          else resolve_((response as { status: string }).status);
        },
      );
    });

  it("refuses a wrong token on every service, health included", async () => {
    const head = await bench.start();
    const peer = bench.peer(head, "a-token-that-is-wrong");
    const refused = { code: "UNAUTHENTICATED" };
    await expect(peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 })).rejects.toMatchObject(
      refused,
    );
    await expect(peer.unary(jobsService.list, {}, { timeoutMs: 600_000 })).rejects.toMatchObject(refused);
    const node = bench.node(head, "a-token-that-is-wrong", { nodeId: "node-a" });
    expect(await node.ended).toMatchObject(refused);
    await expect(check(head, new Metadata())).rejects.toMatchObject(refused);
    expect(await check(head, bearerMetadata(head.token))).toBe("SERVING");
  });

  it("answers reflection with the services of the protos", async () => {
    const head = await bench.start();
    const { loadSync } = await import("@grpc/proto-loader");
    const path = "grpc/reflection/v1/reflection.proto";
    const folderOfProto = join(import.meta.dirname, "../../node_modules/@grpc/reflection/build/proto");
    const definition = loadSync(path, { includeDirs: [folderOfProto] })[
      "grpc.reflection.v1.ServerReflection"
    ];
    const method = (definition as Record<string, never> | undefined)?.["ServerReflectionInfo"] as never as {
      path: string;
      requestSerialize: (value: object) => Buffer;
      responseDeserialize: (bytes: Buffer) => { listServicesResponse: { service: { name: string }[] } };
    };
    const client = new Client(head.address, credentials.createInsecure());
    const stream = client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      bearerMetadata(head.token),
    );
    stream.write({ listServices: "" });
    const [answer] = await once(stream, "data");
    stream.end();
    client.close();
    expect(answer.listServicesResponse.service.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["palimpsest.v1.Head", "palimpsest.v1.Jobs", "palimpsest.v1.NodeLink"]),
    );
  });

  it("NODELINK-1: refuses a link that does not begin with a registration", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const { nodeLinkService } = await import("@palimpsest/wire");
    const stream = peer.bidi(nodeLinkService.link);
    const failed = once(stream, "error").catch((reason: unknown) => [reason]);
    stream.on("data", () => undefined);
    stream.write({ heartbeat: {} });
    expect(fromGrpcError((await failed)[0]).message).toContain("first message of a link must be register");
  });

  it("leaves files for other commands of this machine, secrets readable by their owner only", async () => {
    const head = await bench.start();
    const address = readHeadAddress(bench.folder);
    expect(address).toMatchObject({ address: head.address, pid: process.pid, clusterId: head.clusterId });
    expect(readFileSync(address?.tokenPath ?? "", "utf8").trim()).toBe(head.token);
    expect(statSync(address?.tokenPath ?? "").mode & 0o777).toBe(0o600);
    await head.close();
    await head.close();
    expect(readHeadAddress(bench.folder)?.pid).toBe(0);
  });

  it("serves metrics of nodes, actors, resources and RPCs", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    await bench.join(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    const page = async () => (await fetch(`http://${head.metricsAddress}/metrics`, asReader(head))).text();
    await expect.poll(page).toMatch(/palimpsest_head_actors\{state="alive",component="head"\} 1/);
    const text = await page();
    expect(text).toMatch(/palimpsest_head_nodes\{state="alive",.*\} 1/);
    expect(text).toMatch(/palimpsest_head_resources_used_units\{resource="cpu",.*\} 1/);
    expect(text).toMatch(/palimpsest_head_rpc_seconds_count\{.*method="Head.CreateActor",code="OK"\} 1/);
  });

  it("lists the metrics pages of head and nodes for Prometheus's service discovery", async () => {
    const head = await bench.start();
    await bench.join(head, { nodeId: "node-a", metricsAddress: "10.0.0.2:9100" });
    const targets = async () => (await fetch(`http://${head.metricsAddress}/targets`, asReader(head))).json();
    await expect.poll(targets).toEqual([
      { targets: [head.metricsAddress], labels: { role: "head" } },
      { targets: ["10.0.0.2:9100"], labels: { role: "node", node_id: "node-a" } },
    ]);
  });

  it("goes on when its own Redis is killed: it starts it again and loses nothing", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    await bench.join(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    const before = await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    process.kill(before.redisPid ?? 0, "SIGKILL");
    await peer.unary(headService.createActor, { spec: anActor("actor-2") }, { timeoutMs: 600_000 });
    expect((await resolve(peer, "actor-2")).state).toBe(ACTOR_STATE_ALIVE);
    expect((await resolve(peer, "actor-1")).state).toBe(ACTOR_STATE_ALIVE);
    const after = await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    expect(after.redisUrl).toBe(before.redisUrl);
    expect(after.redisPid).not.toBe(before.redisPid);
  });

  it("lists queues; shuts everything down when asked, so that nothing comes back with the next head", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    // Its first answer connects to Redis, which takes its time on a busy machine.
    expect((await peer.unary(headService.listQueues, {}, { timeoutMs: 600_000 })).queues).toEqual([]);
    const { redisPid } = await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    const node = await bench.join(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { ownerId: "", detached: true, maxRestarts: -1 }));
    await resolve(peer, "actor-1");
    await peer.unary(jobsService.submit, { submissionId: "job-1", recipe: "a: 1\n" }, { timeoutMs: 600_000 });
    await node.next(({ startDriver }) => startDriver);
    await peer.unary(headService.shutdown, { all: true }, { timeoutMs: 600_000 });
    await node.next(({ stopNode }) => stopNode);
    await node.leave();
    await head.closed;
    await expect.poll(() => isAlive(redisPid ?? 0)).toBe(false);

    const again = bench.peer(await bench.start());
    expect(await resolve(again, "actor-1")).toMatchObject({
      state: ACTOR_STATE_DEAD,
      certificate: { reason: "the cluster is shut down" },
    });
    const job = await again.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 600_000 });
    expect(job.status).toBe(JOB_STATUS_STOPPED);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

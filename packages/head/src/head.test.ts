import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { bearerMetadata, fromGrpcError, headService, jobsService, Peer } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { service as healthService } from "grpc-health-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HeadConfigInput } from "./config.js";
import { Head } from "./head.js";
import { type HeadAddress, readHeadAddress, writeHeadAddress } from "./head-files.js";
import { anActor, quietLogger, temporaryFolder } from "./testing/builders.js";
import { FakeNode, type FakeNodeOptions, runningActor } from "./testing/fake-node.js";

const { ACTOR_STATE_PENDING, ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;
const { JOB_STATUS_RUNNING, JOB_STATUS_STOPPED, JOB_STATUS_SUCCEEDED } = proto.JobStatus;

let folder: ReturnType<typeof temporaryFolder>;
let endings: (() => Promise<void> | void)[];

beforeEach(() => {
  folder = temporaryFolder();
  endings = [];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
  folder.remove();
});

async function startHead(over: Partial<HeadConfigInput> = {}): Promise<Head> {
  const times = { heartbeatIntervalMs: 50, nodeTimeoutMs: 500, recoveryGraceMs: 700, ownerGraceMs: 200 };
  const head = await Head.start({ dataDir: folder.path, ...times, ...over }, { logger: quietLogger() });
  endings.push(() => head.close());
  return head;
}

function peerOf(head: Head, token = head.token): Peer {
  const peer = new Peer(head.address, token);
  endings.push(() => peer.close());
  return peer;
}

async function joinNode(head: Head, options: FakeNodeOptions): Promise<FakeNode> {
  const node = (await FakeNode.join(head.address, head.token, options)).beatEvery(50);
  endings.push(() => node.break());
  return node;
}

/** A driver that is connected until the test ends. */
async function openSession(peer: Peer, sessionId = "session-test") {
  const stream = peer.bidi(headService.session);
  stream.on("error", () => undefined);
  const opened = once(stream, "data");
  stream.write({ sessionId, name: "test", pid: 1 });
  await opened;
  return stream;
}

const create = (peer: Peer, spec: proto.ActorSpec.$Properties) =>
  peer.unary(headService.createActor, { spec }, { timeoutMs: 5_000 });

const resolve = (peer: Peer, actorId: string, knownIncarnation = 0, waitMs = 20_000) =>
  peer.unary(headService.resolveActor, { actorId, knownIncarnation, waitMs }, { timeoutMs: waitMs + 5_000 });

describe("actors over gRPC", () => {
  it("go from CreateActor over StartActor to ALIVE with the address that the node tells", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    expect((await create(peer, anActor("actor-1"))).state).toBe(ACTOR_STATE_PENDING);
    const info = await resolve(peer, "actor-1");
    expect(info).toMatchObject({
      state: ACTOR_STATE_ALIVE,
      nodeId: "node-a",
      incarnation: 1,
      address: "127.0.0.1:7001",
    });
    expect((await node.started("actor-1", 1)).spec?.role).toBe("rollout");
    const { nodes } = await peer.unary(headService.listNodes, {}, { timeoutMs: 5_000 });
    expect(nodes?.[0]?.available?.quantities?.["cpu"]).toBe(3);
  });

  it("are created once however often it is asked", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    await Promise.all([1, 2, 3].map(() => create(peer, anActor("actor-1"))));
    await resolve(peer, "actor-1");
    expect(node.received.filter((message) => message.startActor)).toHaveLength(1);
  });

  it("are found by name, restarted after a crash, and dead for good after a kill", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    const session = await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { name: "learner", maxRestarts: 1 }));
    await resolve(peer, "actor-1");
    const byName = await peer.unary(headService.resolveActor, { name: "learner" }, { timeoutMs: 5_000 });
    expect(byName.spec?.actorId).toBe("actor-1");

    const next = resolve(peer, "actor-1", 1);
    const certificate = {
      reason: "killed by SIGKILL",
      signal: "SIGKILL",
      lastStderrLines: ["out of memory"],
    };
    node.send({ actorDied: { actorId: "actor-1", incarnation: 1, certificate } });
    expect(await next).toMatchObject({ incarnation: 2, restarts: 1, certificate: { signal: "SIGKILL" } });

    const died = once(session, "data");
    await peer.unary(headService.killActor, { actorId: "actor-1", noRestart: true }, { timeoutMs: 5_000 });
    expect((await resolve(peer, "actor-1", 2)).state).toBe(ACTOR_STATE_DEAD);
    expect((await died)[0].actorDied?.spec?.actorId).toBe("actor-1");
    await node.stopped("actor-1");
    await expect
      .poll(
        async () => (await peer.unary(headService.listNodes, {}, { timeoutMs: 5_000 })).nodes?.[0]?.available,
      )
      .toMatchObject({ quantities: { cpu: 4 } });
    const { actors } = await peer.unary(headService.listActors, {}, { timeoutMs: 5_000 });
    expect(actors).toEqual([]);
  });

  it("that nobody can place say why in pending_reason, and the wait ends in time", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    await joinNode(head, { nodeId: "node-a", cpu: 2 });
    await create(
      peer,
      anActor("actor-1", { resources: { quantities: { cpu: 3, gpu: 1 } }, labels: { zone: "a" } }),
    );
    const info = await resolve(peer, "actor-1", 0, 50);
    expect(info).toMatchObject({
      state: ACTOR_STATE_PENDING,
      pendingReason:
        "needs 3 cpu, 1 gpu, label zone=a: node-a lacks label zone=a and has 2 of 2 cpu and has no gpu",
    });
  });

  it("die with their node when it falls silent, with a certificate", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    const dead = resolve(peer, "actor-1", 1);
    node.break();
    expect(await dead).toMatchObject({
      state: ACTOR_STATE_DEAD,
      certificate: { reason: expect.stringContaining("node lost"), nodeId: "node-a" },
    });
  });

  it("die at once with a node that leaves in order", async () => {
    const head = await startHead({ nodeTimeoutMs: 60_000 });
    const peer = peerOf(head);
    await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    await node.leave();
    expect((await resolve(peer, "actor-1", 1)).certificate?.reason).toBe("it left the cluster");
  });

  it("die when their driver stays away, or says goodbye; a second driver keeps its own", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    const [leaving, breaking] = [await openSession(peer, "session-1"), await openSession(peer, "session-2")];
    await openSession(peer, "session-3");
    await joinNode(head, { nodeId: "node-a" });
    for (const number of [1, 2, 3])
      await create(peer, anActor(`actor-${number}`, { ownerId: `session-${number}` }));
    for (const number of [1, 2, 3]) await resolve(peer, `actor-${number}`);
    leaving.write({ sessionId: "session-1", goodbye: true });
    breaking.cancel();
    const [first, second] = await Promise.all([resolve(peer, "actor-1", 1), resolve(peer, "actor-2", 1)]);
    expect(first.certificate?.reason).toBe("its driver ended");
    expect(second.certificate?.reason).toBe("its driver was away for longer than 200 ms");
    expect((await resolve(peer, "actor-3")).state).toBe(ACTOR_STATE_ALIVE);
  });

  it("need an owner, unless they are detached", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await expect(create(peer, anActor("actor-1", { ownerId: "" }))).rejects.toThrow("owner_id is empty");
    await create(peer, anActor("actor-1", { ownerId: "", detached: true }));
    await expect(create(peer, anActor("not an id"))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(resolve(peer, "unknown")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a head started again with the same folder", () => {
  it.each([
    ["its Redis ended with it", false],
    ["its Redis went on", true],
  ])("keeps address, token, cluster and actors when %s", async (_title, leaveRedis) => {
    const first = await startHead();
    const peer = peerOf(first);
    await openSession(peer);
    const node = await joinNode(first, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { maxRestarts: 3, name: "learner" }));
    await resolve(peer, "actor-1");
    const { redisPid } = await peer.unary(headService.getCluster, {}, { timeoutMs: 5_000 });
    await first.close({ leaveRedis });
    node.break();

    const second = await startHead();
    expect([second.address, second.token, second.clusterId]).toEqual([
      first.address,
      first.token,
      first.clusterId,
    ]);
    const again = peerOf(second);
    await openSession(again);
    const cluster = await again.unary(headService.getCluster, {}, { timeoutMs: 5_000 });
    expect(cluster.redisPid === redisPid).toBe(leaveRedis);
    const back = await joinNode(second, { nodeId: "node-a", actors: [runningActor("actor-1", 1)] });
    const info = await again.unary(headService.resolveActor, { name: "learner" }, { timeoutMs: 5_000 });
    expect(info).toMatchObject({ state: ACTOR_STATE_ALIVE, incarnation: 1, restarts: 0, pid: 1001 });
    expect(back.received.filter((message) => message.startActor)).toEqual([]);
  });

  it("restarts the actors of a node that does not come back", async () => {
    const first = await startHead();
    const peer = peerOf(first);
    await openSession(peer);
    const node = await joinNode(first, { nodeId: "node-a" });
    await create(peer, anActor("actor-1", { maxRestarts: 1 }));
    await resolve(peer, "actor-1");
    await first.close({ leaveRedis: true });
    node.break();
    const second = await startHead();
    const again = peerOf(second);
    await openSession(again);
    await joinNode(second, { nodeId: "node-b" });
    expect(await resolve(again, "actor-1", 1)).toMatchObject({ incarnation: 2, nodeId: "node-b" });
  });

  it("is refused while the first one runs", async () => {
    const head = await startHead();
    const refusal = `a head runs already with this folder, pid ${process.pid} at ${head.address}`;
    await expect(startHead()).rejects.toThrow(refusal);
  });

  it("leaves the first one's Redis alone when it cannot listen", async () => {
    const head = await startHead();
    writeHeadAddress(folder.path, { ...(readHeadAddress(folder.path) as HeadAddress), pid: 0 });
    await expect(startHead()).rejects.toThrow(`cannot listen on ${head.address}`);
    const peer = peerOf(head);
    await create(peer, anActor("actor-1", { ownerId: "", detached: true }));
    expect((await peer.unary(headService.listQueues, {}, { timeoutMs: 5_000 })).queues).toEqual([]);
  });
});

describe("jobs over gRPC", () => {
  const submit = (peer: Peer, request: proto.SubmitRequest.$Properties) =>
    peer.unary(jobsService.submit, request, { timeoutMs: 5_000 });

  async function logsOf(peer: Peer, jobId: string, follow: boolean): Promise<string> {
    let text = "";
    for await (const chunk of peer.serverStream(jobsService.logs, { jobId, follow })) {
      text += Buffer.from((chunk as proto.LogChunk).data).toString();
    }
    return text;
  }

  it("run from submission over followed logs to their end", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    const node = await joinNode(head, { nodeId: "node-a" });
    const job = await submit(peer, { recipe: "agent: memagent\n", name: "toy.yaml", submissionId: "job-1" });
    expect(
      await submit(peer, { recipe: "agent: memagent\n", name: "toy.yaml", submissionId: "job-1" }),
    ).toMatchObject({
      jobId: job.jobId ?? "",
    });
    await expect(submit(peer, { recipe: "agent: other\n", submissionId: "job-1" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    const start = await node.next(({ startDriver }) => startDriver);
    expect(start.argv).toEqual(["recipe"]);
    const chunks: Buffer[] = [];
    for await (const chunk of peer.serverStream(jobsService.getBundle, { sha256: start.bundle ?? "" })) {
      chunks.push(Buffer.from((chunk as proto.BundleChunk).data));
    }
    expect(Buffer.concat(chunks).toString()).toBe("agent: memagent\n");

    const followed = logsOf(peer, "job-1", true);
    node.send({ driverOutput: { jobId: "job-1", text: "step 1\n", offsetBytes: 0 } });
    await node.next(({ driverOutputAck }) => (driverOutputAck?.offsetBytes === 7 ? true : undefined));
    node.send({ driverOutput: { jobId: "job-1", text: "step 1\n", offsetBytes: 0 } });
    node.send({ driverOutput: { jobId: "job-1", text: "step 2\n", offsetBytes: 7 } });
    node.send({ driverExited: { jobId: "job-1", certificate: { exitCode: 0 } } });
    expect(await followed).toBe("step 1\nstep 2\n");
    expect(await peer.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 5_000 })).toMatchObject({
      status: JOB_STATUS_SUCCEEDED,
      driverExitCode: 0,
      driverPid: 4242,
    });
    expect(await logsOf(peer, "job-1", false)).toBe("step 1\nstep 2\n");
  });

  it("stop on request and stay stopped over a restart of the head", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    const node = await joinNode(head, { nodeId: "node-a" });
    await submit(peer, { recipe: "a: 1\n", submissionId: "job-1" });
    await node.next(({ startDriver }) => startDriver);
    const stopping = await peer.unary(jobsService.stop, { jobId: "job-1" }, { timeoutMs: 5_000 });
    expect(stopping).toMatchObject({ status: JOB_STATUS_RUNNING, stopRequested: true });
    await node.next(({ stopDriver }) => stopDriver);
    node.send({ driverExited: { jobId: "job-1", certificate: { signal: "SIGTERM" } } });
    const status = async () =>
      (await peer.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 5_000 })).status;
    await expect.poll(status).toBe(JOB_STATUS_STOPPED);
    await head.close();
    const again = peerOf(await startHead());
    const { jobs } = await again.unary(jobsService.list, {}, { timeoutMs: 5_000 });
    expect(jobs).toMatchObject([
      { jobId: "job-1", status: JOB_STATUS_STOPPED, message: "stopped on request" },
    ]);
  });

  it("take programs from bundles, whose size is bounded", async () => {
    const head = await startHead({ bundleMaxBytes: 1_000 });
    const peer = peerOf(head);
    const node = await joinNode(head, { nodeId: "node-a" });
    const upload = peer.clientStream(jobsService.putBundle);
    upload.stream.write({ data: Buffer.from("console.") });
    upload.stream.end({ data: Buffer.from("log(1)") });
    const { sha256 = "" } = await upload.response;
    expect(sha256).toBe(createHash("sha256").update("console.log(1)").digest("hex"));
    await submit(peer, { bundle: sha256, argv: ["--x"] });
    const start = await node.next(({ startDriver }) => startDriver);
    expect(start).toMatchObject({ argv: ["program", "--x"], bundle: sha256 });
    await expect(submit(peer, { bundle: "0".repeat(64) })).rejects.toMatchObject({ code: "NOT_FOUND" });

    await expect(
      create(peer, anActor("actor-1", { ownerId: "", detached: true, code: { bundle: "0".repeat(64) } })),
    ).rejects.toThrow("upload it with PutBundle");

    const large = peer.clientStream(jobsService.putBundle);
    large.stream.on("error", () => undefined);
    large.stream.end({ data: Buffer.alloc(1_001) });
    await expect(large.response).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  it("an upload that stalls is given up", async () => {
    const peer = peerOf(await startHead({ rpcTimeoutMs: 50 }));
    const upload = peer.clientStream(jobsService.putBundle);
    upload.stream.on("error", () => undefined);
    upload.stream.write({ data: Buffer.from("a") });
    await expect(upload.response).rejects.toMatchObject({ code: "GET_TIMEOUT" });
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
    const head = await startHead();
    const peer = peerOf(head, "a-token-that-is-wrong");
    const refused = { code: "UNAUTHENTICATED" };
    await expect(peer.unary(headService.getCluster, {}, { timeoutMs: 5_000 })).rejects.toMatchObject(refused);
    await expect(peer.unary(jobsService.list, {}, { timeoutMs: 5_000 })).rejects.toMatchObject(refused);
    const node = new FakeNode(head.address, "a-token-that-is-wrong", { nodeId: "node-a" });
    endings.push(() => node.break());
    expect(await node.ended).toMatchObject(refused);
    await expect(check(head, new Metadata())).rejects.toMatchObject(refused);
    expect(await check(head, bearerMetadata(head.token))).toBe("SERVING");
  });

  it("answers reflection with the services of the protos", async () => {
    const head = await startHead();
    const { loadSync } = await import("@grpc/proto-loader");
    const path = "grpc/reflection/v1/reflection.proto";
    const folderOfProto = join(import.meta.dirname, "../node_modules/@grpc/reflection/build/proto");
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

  it("K1: refuses a link that does not begin with a registration", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    const { nodeLinkService } = await import("@palimpsest/wire");
    const stream = peer.bidi(nodeLinkService.link);
    const failed = once(stream, "error").catch((reason: unknown) => [reason]);
    stream.on("data", () => undefined);
    stream.write({ heartbeat: {} });
    expect(fromGrpcError((await failed)[0]).message).toContain("first message of a link must be register");
  });

  it("leaves files for other commands of this machine, secrets readable by their owner only", async () => {
    const head = await startHead();
    const address = readHeadAddress(folder.path);
    expect(address).toMatchObject({ address: head.address, pid: process.pid, clusterId: head.clusterId });
    expect(readFileSync(address?.tokenPath ?? "", "utf8").trim()).toBe(head.token);
    expect(statSync(address?.tokenPath ?? "").mode & 0o777).toBe(0o600);
    await head.close();
    await head.close();
    expect(readHeadAddress(folder.path)?.pid).toBe(0);
  });

  it("serves metrics of nodes, actors, resources and RPCs", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    await joinNode(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    const page = async () => (await fetch(`http://${head.metricsAddress}/metrics`)).text();
    await expect.poll(page).toMatch(/palimpsest_head_actors\{state="alive",component="head"\} 1/);
    const text = await page();
    expect(text).toMatch(/palimpsest_head_nodes\{state="alive",.*\} 1/);
    expect(text).toMatch(/palimpsest_head_resources_used_units\{resource="cpu",.*\} 1/);
    expect(text).toMatch(/palimpsest_head_rpc_seconds_count\{.*method="Head.CreateActor",code="OK"\} 1/);
  });

  it("goes on when its own Redis is killed: it starts it again and loses nothing", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    await joinNode(head, { nodeId: "node-a" });
    await create(peer, anActor("actor-1"));
    await resolve(peer, "actor-1");
    const before = await peer.unary(headService.getCluster, {}, { timeoutMs: 5_000 });
    process.kill(before.redisPid ?? 0, "SIGKILL");
    await peer.unary(headService.createActor, { spec: anActor("actor-2") }, { timeoutMs: 20_000 });
    expect((await resolve(peer, "actor-2")).state).toBe(ACTOR_STATE_ALIVE);
    expect((await resolve(peer, "actor-1")).state).toBe(ACTOR_STATE_ALIVE);
    const after = await peer.unary(headService.getCluster, {}, { timeoutMs: 5_000 });
    expect(after.redisUrl).toBe(before.redisUrl);
    expect(after.redisPid).not.toBe(before.redisPid);
  });

  it("lists queues, and shuts everything down when asked", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    expect((await peer.unary(headService.listQueues, {}, { timeoutMs: 5_000 })).queues).toEqual([]);
    const { redisPid } = await peer.unary(headService.getCluster, {}, { timeoutMs: 5_000 });
    const node = await joinNode(head, { nodeId: "node-a" });
    await peer.unary(headService.shutdown, { all: true }, { timeoutMs: 5_000 });
    await node.next(({ stopNode }) => stopNode);
    await node.leave();
    await head.closed;
    await expect.poll(() => isAlive(redisPid ?? 0)).toBe(false);
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

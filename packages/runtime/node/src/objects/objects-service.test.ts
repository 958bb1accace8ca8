import { randomBytes } from "node:crypto";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ServerWritableStream } from "@grpc/grpc-js";
import { sha256Of } from "@palimpsest/std";
import {
  fromGrpcError,
  grpcNetwork,
  objectsService,
  PalimpsestError,
  type Peer,
  type RpcServer,
  toGrpcError,
  unary,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { startNode, type TestNode } from "../testing/fixture.js";

const mebibyte = 1024 * 1024;
/** Nodes of one machine that send each other bytes all the same. */
const byNetwork = { objectAdoption: false };
const small = { objectStoreBytes: 4 * 1024 * 1024, objectSpillBytes: 0 };
let head: FakeHead;
let near: TestNode;
let far: TestNode;
let peers: Peer[];
let servers: RpcServer[];

beforeEach(async () => {
  head = await FakeHead.start();
  servers = [];
  [near, far] = await Promise.all([startNode(head, byNetwork), startNode(head, { ...byNetwork, ...small })]);
  peers = [near, far].map(({ manager }) =>
    grpcNetwork({ token: head.token }).connect(manager.objectsAddress, "bulk"),
  );
});

afterEach(async () => {
  for (const peer of peers) peer.close();
  for (const server of servers) server.kill();
  await Promise.all([near, far].map((node) => node[Symbol.asyncDispose]()));
  head.kill();
});

const timeout = { timeoutMs: 600_000 };
const at = (index: number) => peers[index] as Peer;

async function put(
  peer: Peer,
  bytes: Uint8Array,
  announced = bytes.byteLength,
): Promise<proto.ObjectInfo.$Properties> {
  const { stream, response } = peer.clientStream(objectsService.put, timeout);
  for (let offset = 0; offset === 0 || offset < bytes.byteLength; offset += mebibyte) {
    const data = bytes.subarray(offset, offset + mebibyte);
    stream.write(offset === 0 ? { data, sizeBytes: announced, holder: "job-1" } : { data });
  }
  stream.end();
  return await response;
}

async function pull(peer: Peer, request: proto.PullRequest.$Properties) {
  const chunks: proto.PullChunk.$Properties[] = [];
  const stream = peer.serverStream(objectsService.pull, request, timeout);
  try {
    for await (const chunk of stream as AsyncIterable<proto.PullChunk.$Properties>) chunks.push(chunk);
  } catch (reason) {
    throw fromGrpcError(reason);
  }
  return { chunks, bytes: Buffer.concat(chunks.map((chunk) => chunk.data ?? new Uint8Array())) };
}

function placed(objectId: string | null | undefined, ...addresses: string[]): void {
  head.places.set(objectId ?? "", addresses);
}

type PullStream = ServerWritableStream<proto.PullRequest.$Properties, proto.PullChunk.$Properties>;

/** A node that says it has these bytes and serves pulls as told. */
async function impostor(bytes: Uint8Array, serve: (call: PullStream) => void): Promise<string> {
  const server = grpcNetwork({ token: head.token }).createServer();
  servers.push(server);
  const { stat, pull: pullMethod } = objectsService;
  server.addService(
    { stat, pull: pullMethod },
    { stat: unary(() => ({ sizeBytes: bytes.byteLength })), pull: serve },
  );
  return await server.listen("127.0.0.1", 0);
}

function broken(call: PullStream): void {
  call.emit("error", toGrpcError(new PalimpsestError("UNAVAILABLE", "the node died")));
}

async function metricOf(node: TestNode, name: string): Promise<number> {
  const text = await (
    await fetch(`http://${node.manager.metricsAddress}/metrics`, {
      headers: { authorization: `Bearer ${head.token}` },
    })
  ).text();
  const line = text.split("\n").find((candidate) => candidate.includes(name));
  return Number(line?.split(" ").at(-1));
}

describe("objects over gRPC", () => {
  test("come back as they were put, in chunks of at most 1 MiB, whole or in part", async () => {
    const bytes = randomBytes(3 * mebibyte + 17);
    const info = await put(at(0), bytes);
    const objectId = info.objectId ?? "";
    expect(objectId).toBe(sha256Of(bytes));
    expect(info.sizeBytes).toBe(bytes.byteLength);
    const whole = await pull(at(0), { objectId });
    expect(whole.bytes.equals(bytes)).toBe(true);
    expect(Math.max(...whole.chunks.map((chunk) => chunk.data?.byteLength ?? 0))).toBe(mebibyte);
    const part = await pull(at(0), { objectId, offsetBytes: 5, lengthBytes: mebibyte + 1 });
    expect(part.bytes.equals(bytes.subarray(5, mebibyte + 6))).toBe(true);
  });

  test("may be empty", async () => {
    const info = await put(at(0), new Uint8Array());
    expect(info.sizeBytes).toBe(0);
    expect((await pull(at(0), { objectId: info.objectId ?? "" })).bytes.byteLength).toBe(0);
  });

  test("are fetched from another node and verified, once for many who ask (FETCH-1, FETCH-2)", async () => {
    const bytes = randomBytes(2 * mebibyte);
    const { objectId } = await put(at(0), bytes);
    placed(objectId, near.manager.objectsAddress);
    const request = { objectId: objectId ?? "", holder: "job-2" };
    await Promise.all(Array.from({ length: 5 }, () => at(1).unary(objectsService.fetch, request, timeout)));
    expect((await pull(at(1), { objectId: objectId ?? "" })).bytes.equals(bytes)).toBe(true);
    const metrics = await (
      await fetch(`http://${far.manager.metricsAddress}/metrics`, {
        headers: { authorization: `Bearer ${head.token}` },
      })
    ).text();
    expect(metrics).toMatch(new RegExp(`transferred_bytes_total\\{direction="in",.*\\} ${2 * mebibyte}`));
  });

  test("that were damaged where they lie are not taken over (FETCH-1)", async () => {
    const info = await put(at(0), randomBytes(1000));
    await writeFile(info.path ?? "", randomBytes(1000));
    placed(info.objectId, near.manager.objectsAddress);
    const request = { objectId: info.objectId ?? "" };
    await expect(at(1).unary(objectsService.fetch, request, timeout)).rejects.toMatchObject({
      code: "OBJECT_LOST",
    });
    await expect(
      at(1).unary(objectsService.stat, { objectId: info.objectId ?? "" }, timeout),
    ).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("that no node has are OBJECT_LOST, and the nodes that were asked are named", async () => {
    placed("a".repeat(64), near.manager.objectsAddress);
    const request = { objectId: "a".repeat(64) };
    const failure = at(1).unary(objectsService.fetch, request, timeout);
    await expect(failure).rejects.toMatchObject({ code: "OBJECT_LOST" });
    await expect(failure).rejects.toThrow(near.manager.objectsAddress);
  });

  test("that do not fit are refused with OBJECT_STORE_FULL, at put and at fetch (STORE-2)", async () => {
    const big = randomBytes(5 * mebibyte);
    await expect(put(at(1), big)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL", retryable: true });
    const { objectId } = await put(at(0), big);
    placed(objectId, near.manager.objectsAddress);
    const request = { objectId: objectId ?? "" };
    await expect(at(1).unary(objectsService.fetch, request, timeout)).rejects.toMatchObject({
      code: "OBJECT_STORE_FULL",
    });
  });

  test("whose stream lies about the size leave nothing behind", async () => {
    await expect(put(at(0), randomBytes(10), 20)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const info = await put(at(0), randomBytes(10));
    expect(await readdir(dirname(info.path ?? ""))).toEqual([info.objectId]);
  });

  test("are reported with their holder before put is answered, and freed when the head says that he ended (REPORT-1)", async () => {
    const { objectId = "" } = await put(at(1), randomBytes(10));
    const sha256 = Buffer.from(objectId ?? "", "hex");
    const isIt = (bytes: Uint8Array | null | undefined) => sha256.equals(bytes ?? new Uint8Array());
    await head.next("objectReport", ({ present }) =>
      (present ?? []).some((it) => it.held && isIt(it.sha256)),
    );
    await head.next("objectReport", ({ holders }) => (holders ?? []).includes("job-1"));
    head.toAll({ endedHolders: { holders: ["job-1"] } });
    await head.next("objectReport", ({ gone }) => (gone ?? []).some(isIt));
    await expect(at(1).unary(objectsService.stat, { objectId }, timeout)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("are told anew, with their holders, to a head that comes back (REPORT-2, REPORT-3)", async () => {
    const { objectId = "" } = await put(at(0), randomBytes(10));
    head.messages.length = 0;
    head.breakLinks();
    await head.next("objectReport", ({ reset }) => reset ?? false);
    await head.next("objectReport", ({ present }) =>
      (present ?? []).some(({ sha256 }) => Buffer.from(sha256 ?? []).toString("hex") === objectId),
    );
    await head.next("objectReport", ({ holders }) => (holders ?? []).includes("job-1"));
  });

  test("are freed elsewhere when the head is back", async () => {
    head.refusesToFree = 2;
    const { objectId } = await put(at(0), randomBytes(10));
    await at(0).unary(objectsService.free, { objectIds: [objectId ?? ""], holder: "job-1" }, timeout);
    expect(head.freed.map(({ holder }) => holder)).toEqual(["job-1"]);
  });

  test("are freed here at once and by the head elsewhere", async () => {
    const { objectId = "" } = await put(at(0), randomBytes(10));
    await at(0).unary(objectsService.free, { objectIds: [objectId ?? ""], holder: "other" }, timeout);
    await at(0).unary(objectsService.stat, { objectId }, timeout);
    await at(0).unary(objectsService.free, { objectIds: [objectId ?? ""], holder: "job-1" }, timeout);
    await expect(at(0).unary(objectsService.stat, { objectId }, timeout)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(head.freed.map(({ holder }) => holder)).toEqual(["other", "job-1"]);
  });

  test("are a copy when nobody holds them, and what is not sealed leaves nothing (CONTENTWRITE-1)", async () => {
    const bytes = randomBytes(300_000);
    const { stream: upload, response } = at(0).clientStream(objectsService.put, timeout);
    upload.end({ data: bytes, sizeBytes: bytes.byteLength });
    expect(await response).toMatchObject({ objectId: sha256Of(bytes) });
    for (const sealed of [false, true]) {
      const written = randomBytes(300_000);
      const stream = at(0).bidi(objectsService.write, timeout);
      stream.on("error", () => undefined);
      const answers = (stream as AsyncIterable<proto.WriteAnswer.$Properties>)[Symbol.asyncIterator]();
      const ask = async (order: proto.WriteOrder.$Properties) => {
        stream.write(order);
        return (await answers.next()).value as proto.WriteAnswer.$Properties;
      };
      const { proofPath, proof } = await ask({});
      expect(await readFile(proofPath ?? "", "utf8")).toBe(proof);
      const path = (await ask({ sizeBytes: written.byteLength, holder: "job-1" })).info?.path ?? "";
      await writeFile(path, written);
      if (sealed) {
        const objectId = sha256Of(written);
        expect((await ask({ seal: true })).info?.objectId).toBe(objectId);
        expect((await pull(at(0), { objectId })).bytes.equals(written)).toBe(true);
      }
      stream.cancel();
      await expect.poll(() => readdir(dirname(path))).toHaveLength(sealed ? 2 : 1);
    }
  });

  test("whose node dies in the middle come on from the byte where they broke (FETCH-4)", async () => {
    const bytes = randomBytes(3 * mebibyte);
    const { objectId = "" } = await put(at(0), bytes);
    const asked: (number | null | undefined)[] = [];
    const dying = await impostor(bytes, (call) => {
      asked.push(call.request.offsetBytes);
      call.write({ data: bytes.subarray(0, mebibyte) });
      call.write({ data: bytes.subarray(mebibyte, 2 * mebibyte) }, () => broken(call));
    });
    placed(objectId, dying, near.manager.objectsAddress);
    await at(1).unary(objectsService.fetch, { objectId }, timeout);
    expect((await pull(at(1), { objectId: objectId ?? "" })).bytes.equals(bytes)).toBe(true);
    expect(asked).toEqual([0]);
    const sent = await metricOf(near, 'transferred_bytes_total{direction="out"');
    // What the dead one had brought was not brought again.
    expect(sent).toBeLessThan(3 * mebibyte);
  });

  test("that have come in part have room to be taken over whole from a node of this machine", async () => {
    await using third = await startNode(head, small);
    const bytes = randomBytes(3 * mebibyte);
    const { objectId = "" } = await put(at(0), bytes);
    const dying = await impostor(bytes, (call) => {
      call.write({ data: bytes.subarray(0, mebibyte) }, () => broken(call));
    });
    placed(objectId, dying, near.manager.objectsAddress);
    const peer = grpcNetwork({ token: head.token }).connect(third.manager.objectsAddress);
    peers.push(peer);
    await peer.unary(objectsService.fetch, { objectId }, timeout);
    expect((await pull(peer, { objectId: objectId ?? "" })).bytes.equals(bytes)).toBe(true);
  });

  test("made of bytes of two nodes that do not fit are fetched whole from one (FETCH-1, FETCH-4)", async () => {
    const bytes = randomBytes(2 * mebibyte);
    const { objectId = "" } = await put(at(0), bytes);
    const lying = await impostor(bytes, (call) => {
      if (call.request.offsetBytes) call.end();
      else call.write({ data: randomBytes(mebibyte) }, () => broken(call));
    });
    placed(objectId, lying, near.manager.objectsAddress);
    await at(1).unary(objectsService.fetch, { objectId }, timeout);
    expect((await pull(at(1), { objectId: objectId ?? "" })).bytes.equals(bytes)).toBe(true);
  });

  test("that a node which is away may have are waited for", async () => {
    const { objectId = "" } = await put(at(0), randomBytes(10));
    head.placesComplete = false;
    const fetching = at(1).unary(objectsService.fetch, { objectId }, timeout);
    await head.located(objectId ?? "");
    placed(objectId, near.manager.objectsAddress);
    expect((await fetching).sizeBytes).toBe(10);
  });

  test("need the token", async () => {
    const stranger = grpcNetwork({ token: "wrong" }).connect(near.manager.objectsAddress);
    peers.push(stranger);
    await expect(
      stranger.unary(objectsService.stat, { objectId: "a".repeat(64) }, timeout),
    ).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  });

  test("cannot name files outside the store", async () => {
    await appendFile(`${near.dataDir}/secret`, "secret");
    await expect(pull(at(0), { objectId: "../secret" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

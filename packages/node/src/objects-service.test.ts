import { createHash, randomBytes } from "node:crypto";
import { appendFile, readdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fromGrpcError, grpcNetwork, objectsService, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeHead } from "./testing/fake-head.js";
import { startNode, type TestNode } from "./testing/fixture.js";

const mebibyte = 1024 * 1024;
let head: FakeHead;
let near: TestNode;
let far: TestNode;
let peers: Peer[];

beforeEach(async () => {
  head = await FakeHead.start();
  [near, far] = await Promise.all([startNode(head), startNode(head, { objectStoreBytes: 4 * mebibyte })]);
  peers = [near, far].map(({ manager }) =>
    grpcNetwork({ token: head.token }).connect(manager.objectsAddress, "bulk"),
  );
});

afterEach(async () => {
  for (const peer of peers) peer.close();
  await Promise.all([near, far].map((node) => node[Symbol.asyncDispose]()));
  head.kill();
});

const timeout = { timeoutMs: 10_000 };
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

describe("objects over gRPC", () => {
  test("come back as they were put, in chunks of at most 1 MiB, whole or in part", async () => {
    const bytes = randomBytes(3 * mebibyte + 17);
    const info = await put(at(0), bytes);
    const objectId = info.objectId ?? "";
    expect(objectId).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(info).toMatchObject({ sizeBytes: bytes.byteLength, locations: [near.manager.objectsAddress] });
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

  test("are fetched from another node and verified, once for many who ask (T1, T2)", async () => {
    const bytes = randomBytes(2 * mebibyte);
    const { objectId } = await put(at(0), bytes);
    const request = { objectId: objectId ?? "", locations: [near.manager.objectsAddress], holder: "job-2" };
    const infos = await Promise.all(
      Array.from({ length: 5 }, () => at(1).unary(objectsService.fetch, request, timeout)),
    );
    for (const info of infos) expect(info.locations).toEqual([far.manager.objectsAddress]);
    expect((await pull(at(1), { objectId: objectId ?? "" })).bytes.equals(bytes)).toBe(true);
    const metrics = await (await fetch(`http://${far.manager.metricsAddress}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`transferred_bytes_total\\{direction="in",.*\\} ${2 * mebibyte}`));
  });

  test("that were damaged where they lie are not taken over (T1)", async () => {
    const info = await put(at(0), randomBytes(1000));
    await writeFile(info.path ?? "", randomBytes(1000));
    const request = { objectId: info.objectId ?? "", locations: [near.manager.objectsAddress] };
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
    const request = { objectId: "a".repeat(64), locations: [near.manager.objectsAddress] };
    const failure = at(1).unary(objectsService.fetch, request, timeout);
    await expect(failure).rejects.toMatchObject({ code: "OBJECT_LOST" });
    await expect(failure).rejects.toThrow(near.manager.objectsAddress);
  });

  test("that do not fit are refused with OBJECT_STORE_FULL, at put and at fetch (S2)", async () => {
    const big = randomBytes(5 * mebibyte);
    await expect(put(at(1), big)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL", retryable: true });
    const { objectId } = await put(at(0), big);
    const request = { objectId: objectId ?? "", locations: [near.manager.objectsAddress] };
    await expect(at(1).unary(objectsService.fetch, request, timeout)).rejects.toMatchObject({
      code: "OBJECT_STORE_FULL",
    });
  });

  test("whose stream lies about the size leave nothing behind", async () => {
    await expect(put(at(0), randomBytes(10), 20)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const info = await put(at(0), randomBytes(10));
    expect(await readdir(dirname(info.path ?? ""))).toEqual([info.objectId]);
  });

  test("are freed when the head says that their holder has ended (S3)", async () => {
    const { objectId } = await put(at(0), randomBytes(10));
    await head.next("register");
    head.send({ releaseHolder: { holder: "job-1" } });
    const other = await put(at(1), randomBytes(11));
    head.send({ releaseHolder: { holder: "job-1" } });
    const gone = async () =>
      await Promise.allSettled([
        at(0).unary(objectsService.stat, { objectId: objectId ?? "" }, timeout),
        at(1).unary(objectsService.stat, { objectId: other.objectId ?? "" }, timeout),
      ]).then((results) => results.filter((result) => result.status === "rejected").length);
    // The fake head talks to the node that registered last.
    await expect.poll(gone).toBe(1);
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

import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerReadableStream, ServerWritableStream, sendUnaryData } from "@grpc/grpc-js";
import {
  grpcNetwork,
  objectsService,
  PalimpsestError,
  type RpcServer,
  toGrpcError,
  unary,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Objects } from "./objects.js";

const token = "token-of-the-tests";
let server: RpcServer;
let objects: Objects;
let address: string;
let folder: string;
/** What the node holds: tests may damage it. */
let stored: Map<string, Buffer>;
let holders: string[];
let paths: boolean;
let pulls: number;

function infoOf(objectId: string): proto.ObjectInfo.$Properties {
  const bytes = stored.get(objectId);
  if (!bytes) throw new PalimpsestError("OBJECT_LOST", `object ${objectId} cannot be had`);
  return { objectId, sizeBytes: bytes.byteLength, path: paths ? join(folder, objectId) : "" };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-objects-"));
  stored = new Map();
  holders = [];
  paths = false;
  pulls = 0;
  server = grpcNetwork({ token }).createServer();
  server.addService(objectsService, {
    put: (
      call: ServerReadableStream<proto.PutChunk.$Properties, proto.ObjectInfo.$Properties>,
      answer: sendUnaryData<proto.ObjectInfo.$Properties>,
    ) => {
      const chunks: Uint8Array[] = [];
      call.on("data", (chunk: proto.PutChunk.$Properties) => {
        if (chunk.holder) holders.push(chunk.holder);
        if ((chunk.sizeBytes ?? 0) > 50_000_000) {
          answer(toGrpcError(new PalimpsestError("OBJECT_STORE_FULL", "does not fit")));
          return;
        }
        chunks.push(chunk.data ?? new Uint8Array());
      });
      call.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const objectId = createHash("sha256").update(bytes).digest("hex");
        stored.set(objectId, bytes);
        answer(null, infoOf(objectId));
      });
    },
    pull: (call: ServerWritableStream<proto.PullRequest.$Properties, proto.PullChunk.$Properties>) => {
      pulls++;
      const bytes = stored.get(call.request.objectId ?? "") ?? Buffer.alloc(0);
      for (let offset = 0; offset < bytes.byteLength; offset += 65_536) {
        call.write({ data: bytes.subarray(offset, offset + 65_536), offsetBytes: offset });
      }
      call.end();
    },
    fetch: unary((request: proto.FetchRequest.$Properties) => infoOf(request.objectId ?? "")),
    stat: unary((request: proto.StatRequest.$Properties) => infoOf(request.objectId ?? "")),
    delete: unary((request: proto.DeleteRequest.$Properties) => ({
      existed: stored.delete(request.objectId ?? ""),
    })),
  });
  address = await server.listen("127.0.0.1", 0);
  objects = new Objects({
    address: async () => address,
    network: grpcNetwork({ token }),
    holder: "session-1",
    defaultTimeoutMs: 10_000,
  });
});

afterEach(async () => {
  await objects.close();
  server.kill();
  await rm(folder, { recursive: true, force: true });
});

describe("Objects", () => {
  test("what is put comes back, small, large and empty", async () => {
    for (const sizeBytes of [0, 1, 3_000_001]) {
      const bytes = randomBytes(sizeBytes);
      const ref = await objects.put(bytes);
      expect(ref).toMatchObject({ sizeBytes, locations: [address] });
      expect(Buffer.from(await objects.get(ref)).equals(bytes)).toBe(true);
    }
    expect(new Set(holders)).toEqual(new Set(["session-1"]));
  });

  test("damaged bytes are never returned (O1)", async () => {
    const ref = await objects.put(randomBytes(1_000));
    stored.set(ref.objectId, randomBytes(1_000));
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
    stored.set(ref.objectId, randomBytes(10));
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("large objects of this machine are read from their file, if it holds what it should (O2)", async () => {
    paths = true;
    const bytes = randomBytes(400_000);
    const ref = await objects.put(bytes);
    await writeFile(join(folder, ref.objectId), bytes);
    expect(Buffer.from(await objects.get(ref)).equals(bytes)).toBe(true);
    expect(pulls).toBe(0);
    await writeFile(join(folder, ref.objectId), bytes.subarray(1));
    expect(Buffer.from(await objects.get(ref)).equals(bytes)).toBe(true);
    expect(pulls).toBe(1);
  });

  test("a node that refuses an object says why, while it is still being sent", async () => {
    await expect(objects.put(new Uint8Array(60_000_000))).rejects.toMatchObject({
      code: "OBJECT_STORE_FULL",
    });
  });

  test("what nobody has is OBJECT_LOST; what is deleted was there", async () => {
    const ref = await objects.put(randomBytes(10), { holder: "job-1" });
    expect(holders.at(-1)).toBe("job-1");
    expect(await objects.delete(ref)).toBe(true);
    expect(await objects.delete(ref)).toBe(false);
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("pieces become one object", async () => {
    const pieces = [randomBytes(3), randomBytes(0), randomBytes(1_500_000)];
    const ref = await objects.put(pieces);
    expect(Buffer.from(await objects.get(ref)).equals(Buffer.concat(pieces))).toBe(true);
  });

  test("a node that is gone fails the call; the next one looks for a node anew (O3)", async () => {
    const ref = await objects.put(randomBytes(10));
    const alive = address;
    address = "127.0.0.1:1";
    const late = new Objects({
      address: async () => address,
      network: grpcNetwork({ token }),
      holder: "session-1",
      defaultTimeoutMs: 10_000,
    });
    await expect(late.get(ref)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    address = alive;
    expect((await late.get(ref)).byteLength).toBe(10);
    await late.close();
  });
});

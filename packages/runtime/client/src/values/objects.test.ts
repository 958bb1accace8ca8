import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDuplexStream, ServerWritableStream } from "@grpc/grpc-js";
import { sha256Of } from "@palimpsest/std";
import {
  grpcNetwork,
  type Network,
  objectsService,
  PalimpsestError,
  type Peer,
  type RpcServer,
  servePart,
  toGrpcError,
  unary,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
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
/** Files that were asked for to be written. */
let writes: number;
/** Objects that leave the node when they are pulled next. */
let leaving: Map<string, "evicted" | "freed">;
let fetches: proto.FetchRequest.$Properties[];
let freed: proto.FreeRequest.$Properties[];

function infoOf(objectId: string): proto.ObjectInfo.$Properties {
  const bytes = stored.get(objectId);
  if (!bytes) throw new PalimpsestError("OBJECT_LOST", `object ${objectId} is not available`);
  return { objectId, sizeBytes: bytes.byteLength, path: paths ? join(folder, objectId) : "" };
}

beforeEach(async () => {
  folder = testFolder();
  stored = new Map();
  holders = [];
  paths = false;
  pulls = 0;
  writes = 0;
  leaving = new Map();
  fetches = [];
  freed = [];
  server = grpcNetwork({ token }).createServer();
  servePart(server, objectsService, {
    put: (call, answer) => {
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
        const objectId = sha256Of(bytes);
        stored.set(objectId, bytes);
        answer(null, infoOf(objectId));
      });
    },
    write: (stream: ServerDuplexStream<proto.WriteOrder.$Properties, proto.WriteAnswer.$Properties>) => {
      const file = join(folder, `writing-${++writes}`);
      const take = async ({ sizeBytes, holder, seal }: proto.WriteOrder.$Properties) => {
        if (seal) {
          const bytes = await readFile(file);
          const objectId = sha256Of(bytes);
          stored.set(objectId, bytes);
          stream.write({ info: infoOf(objectId) });
        } else if (sizeBytes) {
          if (holder) holders.push(holder);
          await writeFile(file, "");
          stream.write({ info: { sizeBytes, path: file } });
        } else {
          if (paths) await writeFile(join(folder, "proof"), "of this machine");
          stream.write({ proofPath: join(folder, "proof"), proof: "of this machine" });
        }
      };
      stream.on("data", (order: proto.WriteOrder.$Properties) => void take(order));
      stream.on("end", () => stream.end());
    },
    pull: (call: ServerWritableStream<proto.PullRequest.$Properties, proto.PullChunk.$Properties>) => {
      pulls++;
      const objectId = call.request.objectId ?? "";
      const left = leaving.get(objectId);
      if (left !== undefined) {
        leaving.delete(objectId);
        if (left === "freed") stored.delete(objectId);
        call.emit(
          "error",
          toGrpcError(new PalimpsestError("NOT_FOUND", `object ${objectId} is not on this node`)),
        );
        return;
      }
      const bytes = stored.get(call.request.objectId ?? "") ?? Buffer.alloc(0);
      for (let offset = 0; offset < bytes.byteLength; offset += 65_536) {
        call.write({ data: bytes.subarray(offset, offset + 65_536), offsetBytes: offset });
      }
      call.end();
    },
    fetch: unary((request: proto.FetchRequest.$Properties) => {
      fetches.push(request);
      return infoOf(request.objectId ?? "");
    }),
    stat: unary((request: proto.StatRequest.$Properties) => infoOf(request.objectId ?? "")),
    free: unary((request: proto.FreeRequest.$Properties) => {
      freed.push(request);
      for (const objectId of request.objectIds ?? []) stored.delete(objectId);
      return {};
    }),
  });
  address = await server.listen("127.0.0.1", 0);
  objects = new Objects({
    address: async () => address,
    network: grpcNetwork({ token }),
    holder: "session-1",
    defaultTimeoutMs: 600_000,
  });
});

afterEach(() => {
  objects.close();
  server.kill();
});

describe("Objects", () => {
  test("what is put comes back, small, large and empty", async () => {
    for (const sizeBytes of [0, 1, 3_000_001]) {
      const bytes = randomBytes(sizeBytes);
      const ref = await objects.put(bytes);
      expect(ref).toEqual({ objectId: sha256Of(bytes), sizeBytes });
      expect(Buffer.from(await objects.get(ref)).equals(bytes)).toBe(true);
    }
    expect(new Set(holders)).toEqual(new Set(["session-1"]));
  });

  test("damaged bytes are never returned (OBJECTS-1)", async () => {
    const ref = await objects.put(randomBytes(1_000));
    stored.set(ref.objectId, randomBytes(1_000));
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
    stored.set(ref.objectId, randomBytes(10));
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("large objects of this machine are read from their file, if it holds what it should (OBJECTS-2)", async () => {
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

  test("large objects of this machine are written into a file, and read into memory that is there (OBJECTS-2)", async () => {
    paths = true;
    const bytes = randomBytes(400_001);
    const ref = await objects.put([bytes.subarray(0, 7), bytes.subarray(7)], { holder: "job-1" });
    expect([ref.objectId, writes, holders]).toEqual([sha256Of(bytes), 1, ["job-1"]]);
    await writeFile(join(folder, ref.objectId), bytes);
    for (const fromFile of [true, false]) {
      paths = fromFile;
      const targets = [new Uint8Array(100_000), new Uint8Array(0), new Uint8Array(300_001)];
      await objects.getInto(ref, targets);
      expect(Buffer.concat(targets).equals(bytes)).toBe(true);
      expect(pulls).toBe(fromFile ? 0 : 1);
    }
    await expect(objects.getInto(ref, [new Uint8Array(1)])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("a node that refuses an object says why, while it is still being sent", async () => {
    await expect(objects.put(new Uint8Array(60_000_000))).rejects.toMatchObject({
      code: "OBJECT_STORE_FULL",
    });
  });

  test("get asks for a copy, hold for a hold; release ends one holder's, free everybody's", async () => {
    const ref = await objects.put(randomBytes(10), { holder: "job-1" });
    expect(holders).toEqual(["job-1"]);
    await objects.get(ref);
    expect(await objects.hold(ref)).toEqual(ref);
    await objects.hold(ref, { holder: "job-1" });
    expect(fetches.map(({ holder }) => holder)).toEqual(["", "session-1", "job-1"]);
    await objects.release(ref);
    await objects.free([ref]);
    expect(freed.map(({ objectIds, holder }) => [objectIds, holder])).toEqual([
      [[ref.objectId], "session-1"],
      [[ref.objectId], ""],
    ]);
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("an object that leaves the node before it is read is fetched again, or lost", async () => {
    const bytes = randomBytes(1_000);
    const ref = await objects.put(bytes);
    leaving.set(ref.objectId, "evicted");
    expect(Buffer.from(await objects.get(ref))).toEqual(bytes);
    leaving.set(ref.objectId, "freed");
    await expect(objects.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("the event loop turns while a large object is read and hashed (OBJECTS-4)", async () => {
    const bytes = randomBytes(16 * 1024 * 1024);
    const ref = await objects.put(bytes);
    await writeFile(join(folder, ref.objectId), bytes);
    for (paths of [true, false]) {
      let turns = 0;
      let reading = true;
      const count = () => {
        turns++;
        if (reading) setImmediate(count);
      };
      setImmediate(count);
      await objects.get(ref);
      reading = false;
      // Threads read the file, so that the loop turns at least between opening, reading and closing it. Over the wire each
      // of the 16 chunks after the first waits for a turn.
      expect(turns).toBeGreaterThanOrEqual(paths ? 4 : 15);
    }
  });

  test("pieces become one object", async () => {
    const pieces = [randomBytes(3), randomBytes(0), randomBytes(1_500_000)];
    const ref = await objects.put(pieces);
    expect(Buffer.from(await objects.get(ref)).equals(Buffer.concat(pieces))).toBe(true);
  });

  test("a call that finds the node gone looks for another until its time is over (OBJECTS-3)", async () => {
    const ref = await objects.put(randomBytes(10));
    const gone = "127.0.0.1:1";
    const asked = [gone, gone, address];
    const late = new Objects({
      address: async () => asked.shift() ?? address,
      network: grpcNetwork({ token }),
      holder: "session-1",
      defaultTimeoutMs: 600_000,
    });
    expect((await late.get(ref)).byteLength).toBe(10);
    expect(asked).toEqual([]);
    await late.close();
  });

  test("a call whose connection another call has given up begins again too (OBJECTS-3)", async () => {
    const ref = await objects.put(randomBytes(10));
    const real = grpcNetwork({ token });
    const underWay: ((reason: PalimpsestError) => void)[] = [];
    let connections = 0;
    const network: Network = {
      createServer: () => real.createServer(),
      connect(to, kind) {
        const peer = real.connect(to, kind);
        if (connections++ > 0) return peer;
        const lost = Object.create(peer) as Peer;
        lost.unary = () =>
          new Promise((_, reject) => {
            underWay.push(reject);
            if (underWay.length === 2) underWay[0]?.(new PalimpsestError("UNAVAILABLE", "the node is gone"));
          });
        lost.close = () => {
          for (const reject of underWay) reject(new PalimpsestError("CANCELLED", "Call cancelled"));
        };
        return lost;
      },
    };
    const both = new Objects({
      address: async () => address,
      network,
      holder: "session-1",
      defaultTimeoutMs: 600_000,
    });
    const got = await Promise.all([both.get(ref), both.get(ref)]);
    expect(got.map(({ byteLength }) => byteLength)).toEqual([10, 10]);
    expect(connections).toBe(2);
    await both.close();
  });

  test("a node that stays away fails the call with what was met (OBJECTS-3)", async () => {
    const late = new Objects({
      address: async () => "127.0.0.1:1",
      network: grpcNetwork({ token }),
      holder: "session-1",
      defaultTimeoutMs: 600_000,
    });
    const put = late.put(randomBytes(10), { timeoutMs: 300 });
    await expect(put).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await late.close();
  });
});

import { closeSync } from "node:fs";
import { open, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import {
  grpcNetwork,
  mappedBuffer,
  mappingProblem,
  objectsService,
  openMappable,
  PalimpsestError,
  releasePages,
} from "@palimpsest/wire";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { ByteBudget } from "../../base/byte-budget.js";
import { StandingClock } from "../../testing/standing-clock.js";
import type { ObjectFetcher } from "../object-fetch.js";
import type { ObjectHolds } from "../object-holds.js";
import { ObjectPins } from "../object-pins.js";
import { ObjectRecoveries } from "../object-recoveries.js";
import { createObjectsHandlers } from "../objects-service.js";
import { ObjectStore } from "./object-store.js";

/** No program of these tests has a lost result made again. */
const noHead = () => {
  throw new PalimpsestError("UNAVAILABLE", "there is no head");
};

let parent: string;
let store: ObjectStore;
let clock: StandingClock;

beforeEach(async () => {
  parent = testFolder();
  clock = new StandingClock();
  store = await ObjectStore.open({ folder: join(parent, "objects"), inMemory: true, maxBytes: 100, clock });
});

afterEach(() => store.close());

async function put(text: string, holder = "job-1"): Promise<string> {
  const bytes = Buffer.from(text);
  const writer = await store.create(bytes.byteLength, holder);
  await writer.write(bytes);
  return (await writer.commit()).objectId;
}

async function copy(text: string): Promise<string> {
  return await put(text, "");
}

test("a small value that is released while it waits for room is not kept (STORE-8)", async () => {
  store.quotas.registered(true);
  const valueId = "ab".repeat(20);
  const keeping = store.keepSmall(valueId, Buffer.from("12"), "job-1");
  store.released(valueId, "job-1");
  const other = store.keepSmall(valueId, Buffer.from("12"), "job-2");
  const holders = ["job-1", "job-2"].map((holder) => ({ holder, quotas: [] }));
  store.quotas.allowed({ holders });
  await Promise.all([keeping, other]);
  expect(store.holders()).toEqual(["job-2"]);
});

test.skipIf(mappingProblem() !== "")(
  "a file is not written again while anyone has it mapped, and is when nobody has (SEGMENT-3)",
  async () => {
    const folder = join(testFolder(), "objects");
    const big = await ObjectStore.open({ folder, inMemory: true, maxBytes: 200_000_000, clock });
    const sizeBytes = 34_000_000;
    const written = async () => {
      const write = await big.reserve(sizeBytes, "job-1", "");
      await writeFile(write.path, Buffer.alloc(sizeBytes, 7), { flag: "r+" });
      return await write.seal();
    };
    const inodeOf = async (path: string) => (await stat(path)).ino;
    const first = await written();
    const ino = await inodeOf(first.path);
    const file = openMappable(first.path);
    if (file === undefined) throw new Error("not locked");
    const map = () => mappedBuffer([{ file, offsetBytes: 16, lengthBytes: sizeBytes - 16 }]);
    let buffer = map();
    // Tests before it in this process may have freed large memory, which is used first and cannot be mapped.
    for (let tries = 0; buffer === undefined && tries < 50; tries++) buffer = map();
    closeSync(file.descriptor);
    expect(buffer).toBeDefined();
    big.release("job-1");
    const second = await big.reserve(sizeBytes, "job-1", "");
    expect(await inodeOf(second.path)).not.toBe(ino);
    await second.abort();
    expect(buffer && new Uint8Array(buffer).every((byte) => byte === 7)).toBe(true);
    expect(buffer && releasePages(buffer)).toBe(true);
    const third = await big.reserve(sizeBytes, "job-1", "");
    expect(await inodeOf(third.path)).toBe(ino);
    await third.abort();
    await big.close();
  },
);

test("as many requests of one turn as there are freed files take a file each", async () => {
  const big = await ObjectStore.open({
    folder: join(parent, "many"),
    inMemory: true,
    maxBytes: 20_000_000,
    clock,
  });
  onTestFinished(() => big.close());
  const sizeBytes = 100_000;
  const count = 40;
  const inodeOf = async (path: string) => (await stat(path)).ino;
  const freed = new Set<number>();
  for (let index = 0; index < count; index++) {
    const write = await big.reserve(sizeBytes, "job-1", "");
    await writeFile(write.path, Buffer.alloc(sizeBytes, index), { flag: "r+" });
    freed.add(await inodeOf((await write.seal())?.path ?? ""));
  }
  big.release("job-1");
  const writes = await Promise.all(Array.from({ length: count }, () => big.reserve(sizeBytes, "job-1", "")));
  const taken = await Promise.all(writes.map(({ path }) => inodeOf(path)));
  expect(new Set(taken)).toEqual(freed);
  await Promise.all(writes.map((write) => write.abort()));
});

test("an object that is freed before its reader has opened it is not found", async () => {
  const objectId = await put("freed");
  const { open, done } = store.read(objectId);
  store.release("job-1");
  await store.create(0, "").then((writer) => writer.abort());
  await expect(open()).rejects.toMatchObject({ code: "NOT_FOUND" });
  done();
});

test("an upload of which nothing comes is cut off and leaves nothing behind (SERVE-3)", async () => {
  const server = grpcNetwork({ token: "token-of-the-tests" }).createServer();
  const budget = new ByteBudget(1_000_000);
  const fetcher = {} as ObjectFetcher;
  const freeElsewhere = async () => undefined;
  const handlers = createObjectsHandlers({
    ...{ store, fetcher, budget, clock, freeElsewhere },
    ...{ holds: {} as ObjectHolds, proof: { path: "", text: "" }, existing: async () => [] },
    pins: new ObjectPins(clock),
    recoveries: new ObjectRecoveries({ head: noHead, send: () => undefined }),
    onMoved: () => undefined,
  });
  server.addService(objectsService, handlers);
  const peer = grpcNetwork({ token: "token-of-the-tests" }).connect(await server.listen("127.0.0.1", 0));
  try {
    const { stream, response } = peer.clientStream(objectsService.put, { timeoutMs: 600_000 });
    stream.on("error", () => undefined);
    const failed = expect(response).rejects.toMatchObject({
      code: "GET_TIMEOUT",
      message: expect.stringContaining("no chunk arrived for 120000 ms"),
    });
    stream.write({ sizeBytes: 60, holder: "job-1", data: new Uint8Array(10) });
    await expect.poll(async () => (await readdir(store.folder)).length).toBe(1);
    const advance = setInterval(() => clock.advance(60_000), 20);
    await failed.finally(() => clearInterval(advance));
    await expect.poll(() => readdir(store.folder)).toEqual([]);
  } finally {
    peer.close();
    server.kill();
  }
});

describe("ObjectStore", () => {
  test("names an object by the SHA-256 of its bytes (STORE-1)", async () => {
    const objectId = await put("hello");
    expect(objectId).toBe(sha256Of("hello"));
    expect(await readdir(store.folder)).toEqual([objectId]);
    expect(store.get(objectId)).toMatchObject({ objectId, sizeBytes: 5 });
  });

  test("keeps nothing of a writer that is aborted or short (WRITER-1, WRITER-2, STORE-2)", async () => {
    const aborted = await store.create(60, "job-1");
    await aborted.write(new Uint8Array(60));
    await aborted.abort();
    const short = await store.create(60, "job-1");
    await short.write(new Uint8Array(10));
    await expect(short.commit()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await short.abort();
    expect(await readdir(store.folder)).toEqual([]);
    await expect(put("x".repeat(100))).resolves.toBeTruthy();
  });

  test("refuses bytes with another hash than expected (STORE-1, WRITER-2)", async () => {
    const writer = await store.create(5, "");
    await writer.write(Buffer.from("hello"));
    await expect(writer.commit("0".repeat(64))).rejects.toMatchObject({ code: "OBJECT_LOST" });
    await writer.abort();
    expect(store.size).toBe(0);
  });

  test("counts what open writers announced: never more than maxBytes (STORE-2)", async () => {
    const writer = await store.create(80, "job-1");
    await expect(store.create(30, "job-1")).rejects.toMatchObject({
      code: "OBJECT_STORE_FULL",
      details: { usedBytes: "80", maxBytes: "100" },
    });
    await writer.abort();
    await (await store.create(30, "job-1")).abort();
  });

  test("refuses more bytes than announced (WRITER-2)", async () => {
    const writer = await store.create(3, "");
    await expect(writer.write(Buffer.from("four"))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await writer.abort();
  });

  test("frees an object when its last holder is released, not before (STORE-3)", async () => {
    const shared = await put("shared", "job-1");
    const own = await put("own", "job-1");
    store.hold(shared, "job-2");
    store.release("job-1");
    expect(store.find(own)).toBeUndefined();
    expect(store.find(shared)).toBeDefined();
    store.release("job-2");
    expect(store.storedBytes).toBe(0);
    await expect.poll(() => readdir(store.folder)).toEqual([]);
  });

  test("lets a reader that has it open read on after it was freed (STORE-3)", async () => {
    const objectId = await put("still here");
    const file = await open(store.get(objectId).path);
    store.drop({ objectId, holder: "" });
    expect((await file.readFile()).toString()).toBe("still here");
    await file.close();
  });

  test("keeps one copy of equal bytes (STORE-4)", async () => {
    const first = await put("same", "job-1");
    expect(await put("same", "job-2")).toBe(first);
    expect([store.size, store.storedBytes]).toEqual([1, 4]);
    store.release("job-1");
    expect(store.find(first)).toBeDefined();
  });

  test("copies make room, the longest unused first, and what is held does not (STORE-3, STORE-5)", async () => {
    const held = await put("h".repeat(30));
    const [first, second] = [await copy("a".repeat(30)), await copy("b".repeat(30))];
    store.read(first).done();
    await put("n".repeat(40));
    expect([held, first, second].map((id) => store.find(id) !== undefined)).toEqual([true, true, false]);
    await put("m".repeat(30));
    expect(store.find(first)).toBeUndefined();
    const gone: string[] = [];
    store.watch({ present() {}, newHolder() {}, gone: (id, cause) => void gone.push(`${cause} ${id}`) });
    const full = store.create(1, "job-1");
    await expect(full).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    await expect(full).rejects.toThrow("100 are leased (most by job-1: 100)");
    await expect(full).rejects.toThrow("objects.free");
    expect(gone).toEqual([]);
  });

  test("a copy that is read or leased stays; nothing is evicted in vain (STORE-5)", async () => {
    const [read, leased, idle] = [await copy("r".repeat(30)), await copy("l".repeat(30)), await copy("i")];
    const reading = store.read(read);
    store.lease(leased, 1_000);
    await expect(store.create(80, "job-1")).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    expect(store.find(idle)).toBeDefined();
    clock.nowMs += 1_000;
    await (await store.create(60, "job-1")).abort();
    expect([store.find(read) !== undefined, store.find(leased)]).toEqual([true, undefined]);
    reading.done();
    await (await store.create(100, "job-1")).abort();
    expect(store.size).toBe(0);
  });

  test("a copy that somebody holds is evicted no more, and freed when he lets go", async () => {
    const objectId = await copy("c".repeat(60));
    store.hold(objectId, "actor-1");
    await expect(store.create(60, "job-1")).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    store.release("actor-1");
    expect(store.size).toBe(0);
  });

  test("an order to drop does not end a later hold, and that of one holder ends only his (STORE-6)", async () => {
    let revision = 0;
    store.watch({ gone() {}, newHolder() {}, present: (place) => (revision = place.revision) });
    const objectId = await put("again", "job-1");
    const known = revision;
    store.hold(objectId, "job-2");
    expect(store.drop({ objectId, holder: "", revision: known })).toBe(false);
    expect(store.drop({ objectId, holder: "job-2", revision: known })).toBe(false);
    expect(store.drop({ objectId, holder: "job-1", revision: known })).toBe(true);
    expect(store.drop({ objectId, holder: "", copiesOnly: true })).toBe(false);
    expect(store.holders()).toEqual(["job-2"]);
    expect(store.drop({ objectId, holder: "job-2", revision })).toBe(true);
    expect(store.size).toBe(0);
  });

  test("the same bytes put while they are removed are there afterwards (FILES-1)", async () => {
    for (let round = 0; round < 20; round++) {
      const objectId = await put("in and out");
      const writer = await store.create(10, "job-2");
      await writer.write(Buffer.from("in and out"));
      store.drop({ objectId, holder: "" });
      await writer.commit();
      expect(await readdir(store.folder)).toEqual([objectId]);
      store.release("job-2");
    }
  });

  test("a holder who ended during a transfer is named again by what he put afterwards", async () => {
    const named: string[] = [];
    store.watch({ present() {}, gone() {}, newHolder: (holder) => void named.push(holder) });
    const writer = await store.create(2, "job-1");
    store.release("job-1");
    await writer.write(Buffer.from("ok"));
    await writer.commit();
    // The head is asked about him, and answers that he has ended.
    expect(named).toEqual(["job-1"]);
    store.release("job-1");
    expect(store.size).toBe(0);
  });
});

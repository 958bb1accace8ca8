import { createHash } from "node:crypto";
import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ObjectStore } from "./object-store.js";

let parent: string;
let store: ObjectStore;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "palimpsest-store-"));
  store = await ObjectStore.open({ folder: join(parent, "objects"), maxBytes: 100 });
});

afterEach(async () => {
  await store.close();
  await rm(parent, { recursive: true, force: true });
});

async function put(text: string, holder = "job-1"): Promise<string> {
  const bytes = Buffer.from(text);
  const writer = await store.create(bytes.byteLength, holder);
  await writer.write(bytes);
  return (await writer.commit()).objectId;
}

describe("ObjectStore", () => {
  test("names an object by the SHA-256 of its bytes (S1)", async () => {
    const objectId = await put("hello");
    expect(objectId).toBe(createHash("sha256").update("hello").digest("hex"));
    expect(await readdir(store.folder)).toEqual([objectId]);
    expect(store.get(objectId)).toMatchObject({ objectId, sizeBytes: 5 });
  });

  test("keeps nothing of a writer that is aborted or short (S1, S2)", async () => {
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

  test("refuses bytes with another hash than expected (S1)", async () => {
    const writer = await store.create(5, "");
    await writer.write(Buffer.from("hello"));
    await expect(writer.commit("0".repeat(64))).rejects.toMatchObject({ code: "OBJECT_LOST" });
    await writer.abort();
    expect(store.size).toBe(0);
  });

  test("counts what open writers announced: never more than maxBytes (S2)", async () => {
    const writer = await store.create(80, "job-1");
    await expect(store.create(30, "job-1")).rejects.toMatchObject({
      code: "OBJECT_STORE_FULL",
      details: { usedBytes: "80", maxBytes: "100" },
    });
    await writer.abort();
    await (await store.create(30, "job-1")).abort();
  });

  test("refuses more bytes than announced", async () => {
    const writer = await store.create(3, "");
    await expect(writer.write(Buffer.from("four"))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await writer.abort();
  });

  test("frees an object when its last holder is released, not before (S3)", async () => {
    const shared = await put("shared", "job-1");
    const own = await put("own", "job-1");
    store.hold(shared, "job-2");
    await store.release("job-1");
    expect(store.find(own)).toBeUndefined();
    expect(store.find(shared)).toBeDefined();
    await store.release("job-2");
    expect(store.storedBytes).toBe(0);
    expect(await readdir(store.folder)).toEqual([]);
  });

  test("lets a reader that has it open read on after it was freed (S3)", async () => {
    const objectId = await put("still here");
    const file = await open(store.get(objectId).path);
    await store.delete(objectId);
    expect((await file.readFile()).toString()).toBe("still here");
    await file.close();
  });

  test("keeps one copy of equal bytes (S4)", async () => {
    const first = await put("same", "job-1");
    expect(await put("same", "job-2")).toBe(first);
    expect([store.size, store.storedBytes]).toEqual([1, 4]);
    await store.release("job-1");
    expect(store.find(first)).toBeDefined();
  });
});

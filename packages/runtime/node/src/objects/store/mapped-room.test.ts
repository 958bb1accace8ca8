/** Files that programs have mapped: their pages are there until they are unmapped, whatever became of the object. */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { open, readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { StandingClock } from "../../testing/standing-clock.js";
import { memoryDisk, type ObjectDisk, systemDisk } from "./object-disk.js";
import { ObjectStore } from "./object-store.js";

const mebibyte = 1024 * 1024;

/** A disk of which the test says what is mapped. */
class MappedDisk {
  readonly #inodes = new Set<number>();
  /** How many files were probed, all together and at most before other work of the process went on. */
  readonly probes = { all: 0, now: 0, most: 0 };
  readonly disk: ObjectDisk = {
    ...systemDisk,
    isInMemory: true,
    canMapIn: () => true,
    isUnmapped: (path) => {
      const end = () => {
        this.probes.now = 0;
      };
      if (this.probes.now++ === 0) setImmediate(end);
      this.probes.most = Math.max(this.probes.most, this.probes.now);
      this.probes.all++;
      return !this.#inodes.has(statSync(path).ino);
    },
  };

  /** @returns what unmaps it */
  map(path: string): () => void {
    const { ino } = statSync(path);
    this.#inodes.add(ino);
    return () => void this.#inodes.delete(ino);
  }
}

async function opened(
  options: { readonly spill?: boolean; readonly disk?: ObjectDisk; readonly maxBytes?: number } = {},
) {
  const parent = testFolder();
  const clock = new StandingClock();
  const mapped = new MappedDisk();
  const waits: string[] = [];
  const store = await ObjectStore.open({
    onWait: (why) => void waits.push(why),
    ...{ folder: join(parent, "objects"), clock, disk: options.disk ?? mapped.disk },
    maxBytes: options.maxBytes ?? 10 * mebibyte,
    spill: options.spill ? { folder: join(parent, "spill"), maxBytes: 100 * mebibyte } : undefined,
  });
  onTestFinished(() => store.close());
  const put = async (mebibytes: number, holder = "job-1", signal?: AbortSignal) => {
    const write = await store.reserve(mebibytes * mebibyte, holder, randomBytes(20).toString("hex"), signal);
    await truncate(write.path, mebibytes * mebibyte);
    return await write.seal();
  };
  const waiting = () => expect.poll(() => waits).toHaveLength(1);
  const { probes } = mapped;
  return { store, clock, put, waits, waiting, probes, map: (path: string) => mapped.map(path) };
}

test("a freed value counts as long as a program has its file mapped (SEGMENT-4)", async () => {
  const { store, clock, put, map, waiting } = await opened();
  const unmap = map((await put(6)).path);
  store.release("job-1");
  clock.advance(60_000);
  const waits = put(6);
  await waiting();
  expect(await readdir(store.folder)).toHaveLength(1);
  unmap();
  clock.advance(1_000);
  await waits;
  await expect.poll(() => readdir(store.folder)).toHaveLength(1);
});

test("a put that freed values leave no room waits for it, and is refused with the reason (STOREROOM-2)", async () => {
  const { store, clock, put, map, waits, waiting } = await opened();
  map((await put(6)).path);
  store.release("job-1");
  const why = `${6 * mebibyte} are of freed values that programs still have mapped or read`;
  const refused = expect(put(6)).rejects.toThrow(why);
  await waiting();
  expect(waits[0]).toContain(why);
  const hurry = setInterval(() => clock.advance(1_000), 1);
  await refused.finally(() => clearInterval(hurry));
  await put(4);
});

test("what has room now passes a put that waits for mapped pages, in memory and by spilling (STOREROOM-6)", async () => {
  const { store, clock, put, map, waiting } = await opened({ spill: true });
  const unmap = map((await put(4)).path);
  const second = await put(2);
  const waits = put(8);
  await waiting();
  await store.keepSmall(randomBytes(20).toString("hex"), new Uint8Array(100), "job-1");
  await put(5);
  expect(store.find(second.objectId)).toMatchObject({ isResident: false });
  unmap();
  const hurry = setInterval(() => clock.advance(10), 1);
  await waits.finally(() => clearInterval(hurry));
});

test("a file that was taken for a put that waits counts until the put has room (STORE-2)", async () => {
  const { store, clock, put, map, waiting } = await opened({ spill: true });
  const unmap = map((await put(4)).path);
  await put(4, "job-2");
  store.release("job-2");
  const waits = put(7);
  await waiting();
  await put(6);
  const files = await readdir(store.folder);
  const bytes = files.map((name) => statSync(join(store.folder, name)).size).reduce((sum, one) => sum + one);
  expect(bytes).toBeLessThanOrEqual(10 * mebibyte);
  unmap();
  const hurry = setInterval(() => clock.advance(10), 1);
  await waits.finally(() => clearInterval(hurry));
});

test("reads do not prolong how long a put waits for mapped pages, nor for readers (STOREROOM-2, STOREROOM-6)", async () => {
  const { store, clock, put, map } = await opened({ spill: true });
  const unmap = map((await put(6)).path);
  const read = await put(1);
  const hurry = setInterval(() => {
    store.read(read.objectId).done();
    clock.advance(1_000);
  }, 1);
  onTestFinished(() => clearInterval(hurry));
  await expect(put(6)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
  unmap();
  const idle = await store.create(5 * mebibyte, "job-1");
  await expect(put(6)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
  await idle.abort();
});

test("a put whose program has ended does not wait for room (STOREROOM-2, STOREROOM-6)", async () => {
  const { put, map, waiting } = await opened({ spill: true });
  map((await put(6)).path);
  const end = new AbortController();
  const waits = expect(put(6, "job-1", end.signal)).rejects.toMatchObject({ code: "CANCELLED" });
  await waiting();
  end.abort();
  await waits;
  await expect(put(6, "job-1", end.signal)).rejects.toMatchObject({ code: "CANCELLED" });
});

test("a refusal names values that programs have mapped, and what helps (STOREROOM-5)", async () => {
  const { clock, put, map, waits, waiting } = await opened({ spill: true });
  map((await put(6)).path);
  const why = `${6 * mebibyte} of the leased or copied bytes cannot leave memory while programs have them mapped`;
  const refused = expect(put(6)).rejects.toThrow(why);
  await waiting();
  expect(waits[0]).toContain(why);
  const hurry = setInterval(() => clock.advance(1_000), 1);
  await refused.finally(() => clearInterval(hurry));
});

test("a put that waits for mapped pages probes few files at a time, and rests in between", async () => {
  const { clock, put, map, probes, waiting } = await opened({ spill: true, maxBytes: 100 * mebibyte });
  for (let index = 0; index < 500; index++) await put(1 / 16, index % 2 === 0 ? "" : "job-1");
  const unmap = map((await put(60)).path);
  const waits = put(90);
  await waiting();
  const before = probes.all;
  for (let tenths = 0; tenths < 50; tenths++) {
    clock.advance(100);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(probes.all - before).toBeLessThanOrEqual(10 * 501);
  expect(probes.most).toBeLessThanOrEqual(200);
  unmap();
  const hurry = setInterval(() => clock.advance(10), 1);
  await waits.finally(() => clearInterval(hurry));
});

test("what is mapped is neither evicted nor spilled for others (STOREROOM-5)", async () => {
  const { store, put, map } = await opened({ spill: true });
  const [mapped, copy] = [await put(4, ""), await put(2, "")];
  const [first, second] = [await put(2), await put(2)];
  for (const { path } of [mapped, first]) map(path);
  await put(4);
  expect([mapped, copy].map(({ objectId }) => store.find(objectId) !== undefined)).toEqual([true, false]);
  const spilled = [...store.places()].flatMap((place) => (place.spilled ? [place.objectId] : []));
  expect(spilled).toEqual([second.objectId]);
});

test("a value that is mapped while it is spilled counts until it is unmapped (SEGMENT-4)", async () => {
  let unmap: (() => void) | undefined;
  const mapped = new MappedDisk();
  const disk: ObjectDisk = {
    ...mapped.disk,
    async open(path) {
      unmap ??= mapped.map(path);
      return await mapped.disk.open(path);
    },
  };
  const { store, clock, put, waiting } = await opened({ spill: true, disk });
  const first = await put(6);
  const waits = put(6);
  await waiting();
  expect(store.find(first.objectId)).toMatchObject({ isResident: false });
  expect(await readdir(store.folder)).toHaveLength(1);
  unmap?.();
  clock.advance(1_000);
  await waits;
});

test("a freed value counts as long as another node reads it here (SEGMENT-4)", async () => {
  const { store, clock, put, waiting } = await opened();
  const { objectId } = await put(6);
  const reading = store.read(objectId);
  const file = await reading.open();
  store.release("job-1");
  const waits = put(6);
  await waiting();
  expect(await readdir(store.folder)).toHaveLength(1);
  await file.close();
  reading.done();
  clock.advance(1_000);
  await waits;
});

test("more freed values than are kept for reuse count while they are mapped (SEGMENT-4)", async () => {
  const { store, clock, put, map, waiting } = await opened({ maxBytes: 40 * mebibyte });
  const values = [];
  for (let index = 0; index < 300; index++) values.push(await put(1 / 16));
  const unmaps = values.slice(0, 150).map(({ path }) => map(path));
  store.release("job-1");
  const all = put(40);
  await waiting();
  await expect.poll(() => readdir(store.folder)).toHaveLength(150);
  for (const unmap of unmaps) unmap();
  clock.advance(1_000);
  await all;
});

test.skipIf(process.platform !== "linux")(
  "a file in memory of which nobody can tell who maps it is not written again (FILES-3)",
  async () => {
    const disk: ObjectDisk = { ...memoryDisk, canMapIn: () => false };
    const { store, put } = await opened({ disk });
    // A node that can map files has linked the first one, given it to a program, and freed it.
    const file = await open((await put(1)).path);
    onTestFinished(() => file.close());
    store.release("job-1");
    expect((await stat((await put(1)).path)).ino).not.toBe((await file.stat()).ino);
  },
);

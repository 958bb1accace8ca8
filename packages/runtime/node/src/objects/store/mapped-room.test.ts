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
  readonly disk: ObjectDisk = {
    ...systemDisk,
    isInMemory: true,
    canMapIn: () => true,
    isUnmapped: (path) => !this.#inodes.has(statSync(path).ino),
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
  const put = async (mebibytes: number, holder = "job-1") => {
    const write = await store.reserve(mebibytes * mebibyte, holder, randomBytes(20).toString("hex"));
    await truncate(write.path, mebibytes * mebibyte);
    return await write.seal();
  };
  const waiting = () => expect.poll(() => waits).toHaveLength(1);
  return { store, clock, put, waits, waiting, map: (path: string) => mapped.map(path) };
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

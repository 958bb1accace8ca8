/** A store of many values: it works on a part of them in each turn of the event loop, so that its node does other work, too. */
import { randomBytes } from "node:crypto";
import { readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { StandingClock } from "../../testing/standing-clock.js";
import { type ObjectDisk, systemDisk } from "./object-disk.js";
import { ObjectStore } from "./object-store.js";

/** The size from which the files of freed values are kept for others. */
const sizeBytes = 64 * 1024;

/** Counts what a store asks of its disk. */
class CountingDisk {
  #renames = 0;
  #removals = 0;
  #open = 0;
  /** The most of each in one turn of the event loop, and the most files that were open for reading. */
  readonly most = { renames: 0, removals: 0, open: 0 };
  readonly disk: ObjectDisk = {
    ...systemDisk,
    isInMemory: true,
    canMapIn: () => true,
    rename: (from, to) => {
      this.#begin();
      this.most.renames = Math.max(this.most.renames, ++this.#renames);
      return systemDisk.rename(from, to);
    },
    remove: (path) => {
      this.#begin();
      this.most.removals = Math.max(this.most.removals, ++this.#removals);
      return systemDisk.remove(path);
    },
    open: async (path) => {
      this.most.open = Math.max(this.most.open, ++this.#open);
      const file = await systemDisk.open(path);
      return {
        read: (...where) => file.read(...where),
        close: async () => {
          this.#open--;
          await file.close();
        },
      };
    },
  };

  #begin(): void {
    if (this.#renames + this.#removals > 0) return;
    setImmediate(() => {
      this.#renames = 0;
      this.#removals = 0;
    });
  }
}

async function filled(values: number, holder: string, eachBytes = sizeBytes) {
  const parent = testFolder();
  const { disk, most } = new CountingDisk();
  const store = await ObjectStore.open({
    ...{ folder: join(parent, "objects"), clock: new StandingClock(), disk, maxBytes: values * sizeBytes },
    spill: { folder: join(parent, "spill"), maxBytes: values * sizeBytes },
  });
  onTestFinished(() => store.close());
  const put = async (bytes: number, owner: string) => {
    const write = await store.reserve(bytes, owner, randomBytes(20).toString("hex"));
    await truncate(write.path, bytes);
    await write.seal();
  };
  for (let index = 0; index < values; index += 100)
    await Promise.all(Array.from({ length: 100 }, () => put(eachBytes, holder)));
  Object.assign(most, { renames: 0, removals: 0, open: 0 });
  return { store, most, put };
}

test("the end of an owner of many values frees a part of them in each turn", async () => {
  const { store, most, put } = await filled(2_000, "job-1");
  let turns = 0;
  const count = () => {
    turns++;
    if (store.size > 0) setImmediate(count);
  };
  count();
  store.release("job-1");
  await expect.poll(() => store.size).toBe(0);
  expect(turns).toBeGreaterThan(3);
  await put(2_000 * sizeBytes, "job-2");
  expect(most.renames).toBeLessThanOrEqual(200);
});

test("files that are too small to be written again are removed a part in each turn", async () => {
  const { store, most } = await filled(2_000, "job-1", 1_024);
  store.release("job-1");
  await expect.poll(() => store.size).toBe(0);
  await expect.poll(() => readdir(store.folder)).toEqual([]);
  expect(most.removals).toBeGreaterThan(0);
  expect(most.removals).toBeLessThanOrEqual(200);
});

test("a put that has room beside the files of freed values does not wait until they are removed, others do (STORE-2)", async () => {
  const parent = testFolder();
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const disk: ObjectDisk = {
    ...systemDisk,
    isInMemory: true,
    remove: async (path) => {
      await opened;
      await systemDisk.remove(path);
    },
  };
  const store = await ObjectStore.open({
    ...{ folder: join(parent, "objects"), clock: new StandingClock(), disk, maxBytes: 100 * 1_024 },
  });
  onTestFinished(() => store.close());
  onTestFinished(() => open?.());
  const put = async (bytes: number, owner: string) => {
    const write = await store.reserve(bytes, owner, randomBytes(20).toString("hex"));
    await truncate(write.path, bytes);
    await write.seal();
  };
  for (let index = 0; index < 50; index++) await put(1_024, "job-1");
  store.release("job-1");
  await put(40 * 1_024, "job-2");
  expect(await readdir(store.folder)).toHaveLength(51);
  let isDone = false;
  const waits = put(40 * 1_024, "job-2").then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 100; turn++) await readdir(store.folder);
  expect(isDone).toBe(false);
  open?.();
  await waits;
});

test("what is leased again while its owner's values are freed is kept", async () => {
  const { store } = await filled(2_000, "job-1");
  const kept = [...store.places()].map(({ objectId }) => objectId).at(-1) ?? "";
  store.release("job-1");
  store.hold(kept, "job-1");
  await expect.poll(() => store.size).toBe(1);
  expect(store.isHeld(kept)).toBe(true);
});

test("room for a large value evicts many small ones in parts", async () => {
  const { store, most, put } = await filled(2_000, "");
  let mostEvicted = 0;
  let size = store.size;
  let ended = false;
  const count = () => {
    mostEvicted = Math.max(mostEvicted, size - store.size);
    size = store.size;
    if (!ended) setImmediate(count);
  };
  count();
  await put(1_500 * sizeBytes, "job-1");
  ended = true;
  expect(store.size).toBe(501);
  expect(mostEvicted).toBeLessThanOrEqual(250);
  // One more value gets its name.
  expect(most.renames).toBeLessThanOrEqual(201);
});

test("room for a large value spills many small ones with few open files at a time", async () => {
  const { store, most, put } = await filled(2_000, "job-1");
  await put(1_500 * sizeBytes, "job-1");
  expect(store.spilledBytes).toBe(1_500 * sizeBytes);
  expect(most.open).toBeLessThanOrEqual(16);
});

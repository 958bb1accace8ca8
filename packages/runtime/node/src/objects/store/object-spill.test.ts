/** A store that is full: held objects go to disk and come back. */
import { randomBytes } from "node:crypto";
import { readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { StandingClock } from "../../testing/standing-clock.js";
import { type ObjectDisk, systemDisk } from "./object-disk.js";
import { chooseObjectFolder, type ObjectFolder } from "./object-folder.js";
import { ObjectStore } from "./object-store.js";

const mebibyte = 1024 * 1024;

let parent: string;
let store: ObjectStore;
let clock: StandingClock;
let moved: string[];

beforeEach(async () => {
  parent = testFolder();
  clock = new StandingClock();
  store = await openStore(300);
});

afterEach(() => store.close());

function openStore(maxSpillBytes: number, disk = systemDisk, maxBytes = 100): Promise<ObjectStore> {
  moved = [];
  return ObjectStore.open({
    ...{ folder: join(parent, "objects"), maxBytes, clock, disk },
    spill: { folder: join(parent, "spill"), maxBytes: maxSpillBytes },
    onMoved: (direction, sizeBytes) => void moved.push(`${direction} ${sizeBytes}`),
  });
}

const onDisk = () => readdir(join(parent, "spill"));

/** A value of bytes that tell its letter. */
async function put(letter: string, sizeBytes: number, holder = "job-1"): Promise<string> {
  const valueId = randomBytes(20).toString("hex");
  const writer = await store.create(sizeBytes, holder, valueId);
  await writer.write(Buffer.alloc(sizeBytes, letter));
  return (await writer.commit()).objectId;
}

async function read(objectId: string): Promise<string> {
  const { object, open, done } = store.read(objectId);
  try {
    const file = await open();
    const bytes = Buffer.alloc(object.sizeBytes);
    await file.read(bytes, 0, bytes.byteLength, 0);
    await file.close();
    return bytes.toString();
  } finally {
    done();
  }
}

describe("a full store", () => {
  test("spills what was unused longest, and has it back once for all who read it (STORE-3, SPILL-2, RESIDENCE-2)", async () => {
    const first = await put("a", 60);
    const second = await put("b", 30);
    store.read(first).done();
    const third = await put("c", 30);
    expect(await onDisk()).toEqual([second]);
    expect([...store.places()].filter(({ spilled }) => spilled).map(({ objectId }) => objectId)).toEqual([
      second,
    ]);
    expect([store.residentBytes, store.spilledBytes, store.storedBytes]).toEqual([90, 30, 120]);
    const readers = await Promise.all([read(second), read(second), read(second)]);
    expect(readers).toEqual(Array.from({ length: 3 }, () => "b".repeat(30)));
    expect(moved.filter((one) => one === "restored 30")).toHaveLength(1);
    expect(await read(third)).toBe("c".repeat(30));
    expect(await read(first)).toBe("a".repeat(60));
    expect(moved).toContain("restored 30");
    // What came back is on disk still: to leave again costs nothing.
    expect(moved.filter((one) => one === "spilled 30").length).toBeLessThanOrEqual(2);
    store.release("job-1");
    expect([store.size, store.spilledBytes]).toEqual([0, 0]);
    await expect.poll(onDisk).toEqual([]);
  });

  test("is full only when the bound on disk is reached too, and says both (SPILL-1)", async () => {
    const kept = [];
    for (const letter of "abcdefgh") kept.push(await put(letter, 50));
    const full = put("i", 50);
    await expect(full).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    await expect(full).rejects.toThrow("of 300 bytes on disk 300 are taken");
    await expect(full).rejects.toThrow("objectSpillBytes");
    for (const [index, objectId] of kept.entries())
      expect(await read(objectId)).toBe("abcdefgh".charAt(index).repeat(50));
    await expect(put("x", 101)).rejects.toThrow("larger than the whole store");
  });

  test("evicts copies before anything is spilled (STOREROOM-3)", async () => {
    const copy = await put("c", 40, "");
    const held = await put("h", 60);
    await put("n", 40);
    expect(store.find(copy)).toBeUndefined();
    expect([moved, store.isHeld(held)]).toEqual([[], true]);
  });

  test("has puts wait for each other instead of refusing them (STOREROOM-2)", async () => {
    const letters = [..."abcdefghijkl"];
    const ids = await Promise.all(letters.map((letter) => put(letter, 30)));
    const values = await Promise.all(ids.map(read));
    expect(values).toEqual(letters.map((letter) => letter.repeat(30)));
  });

  test("does not wait forever for a writer that does nothing (STOREROOM-2)", async () => {
    const idle = await store.create(80, "job-1");
    const waiting = put("a", 50);
    const refused = expect(waiting).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(30_000);
    await refused;
    const second = put("b", 50);
    await idle.abort();
    expect(await read(await second)).toBe("b".repeat(50));
  });

  test("spills small values that have no file, too", async () => {
    const ids = [];
    for (const letter of "abc") {
      const valueId = randomBytes(20).toString("hex");
      await store.keepSmall(valueId, Buffer.alloc(40, letter), "job-1");
      ids.push(valueId);
    }
    expect(await onDisk()).toEqual(ids.slice(0, 1));
    expect(await Promise.all(ids.map(read))).toEqual(["a", "b", "c"].map((letter) => letter.repeat(40)));
  });

  test("leaves where it is what somebody reads (RESIDENCE-1)", async () => {
    const read = await put("r", 60);
    const reading = store.read(read);
    await put("n", 40);
    const waiting = put("m", 30);
    await waiting;
    expect((await onDisk()).includes(read)).toBe(false);
    reading.done();
  });
});

describe("a file on disk", () => {
  test.each([
    ["is torn", (path: string) => truncate(path, 10), "shorter than its 60 bytes"],
    ["has other bytes", (path: string) => writeFile(path, "x".repeat(60)), "another checksum"],
    ["is missing", (path: string) => rm(path), "no such file"],
  ])("that %s is a lost object, which is then gone (RESIDENCE-3)", async (_, damage, why) => {
    const first = await put("a", 60);
    await put("b", 60);
    await damage(join(parent, "spill", first));
    const gone: string[] = [];
    store.watch({ present() {}, newHolder() {}, gone: (id, cause) => void gone.push(`${cause} ${id}`) });
    const failed = store.located(first);
    await expect(failed).rejects.toMatchObject({ code: "OBJECT_LOST", details: { objectId: first } });
    await expect(failed).rejects.toThrow(why);
    expect(gone).toEqual([`damaged ${first}`]);
    expect(store.find(first)).toBeUndefined();
  });

  test("that cannot be written is a full store, and nothing is lost", async () => {
    const first = await put("a", 60);
    await rm(join(parent, "spill"), { recursive: true });
    await expect(put("b", 60)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    await expect(put("b", 60)).rejects.toThrow("could not be spilled");
    expect([await read(first), store.spilledBytes]).toEqual(["a".repeat(60), 0]);
  });

  test("of a node that was killed goes when the next one starts", async () => {
    const options = {
      dataDir: parent,
      preferred: parent,
      maxBytes: 100,
      memoryBytes: 1000,
      memoryDir: parent,
    };
    const opened = (): Promise<ObjectFolder> => chooseObjectFolder({ ...options, nodeId: "node-a" });
    const first = await opened();
    expect(first.spill?.maxBytes).toBeGreaterThan(0);
    const spillParent = join(parent, "spill");
    expect(await readdir(spillParent)).toHaveLength(1);
    await first.close();
    expect(await readdir(spillParent)).toEqual([]);
    const none = await chooseObjectFolder({ ...options, nodeId: "node-b", maxSpillBytes: 0 });
    expect(none.spill).toBeUndefined();
    await none.close();
  });
});

test.each([
  { free: 64 * mebibyte, place: "disk", maxBytes: 7_200 * mebibyte },
  { free: 1_024 * mebibyte, place: "memory", maxBytes: Math.floor(1_024 * mebibyte * 0.9) },
  { free: 12_000 * mebibyte, place: "memory", maxBytes: 7_200 * mebibyte },
])(
  "a container of 24,000 MiB with $free bytes of shared memory stores $maxBytes in $place",
  async (found) => {
    const chosen = await chooseObjectFolder({
      ...{ nodeId: "node-c", dataDir: parent, preferred: "", maxBytes: undefined, maxSpillBytes: 0 },
      ...{ memoryBytes: 24_000 * mebibyte, memoryDir: parent, freeBytesOf: async () => found.free },
    });
    onTestFinished(() => chosen.close());
    expect(chosen).toMatchObject({ place: found.place, maxBytes: found.maxBytes });
    expect(chosen.onDiskBecause === "").toBe(found.place === "memory");
  },
);

const noSpaceLeft = () => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));

/** Opens the store again, over a disk that differs from the system's. */
async function reopen(maxSpillBytes: number, disk: Partial<ObjectDisk>, maxBytes?: number): Promise<void> {
  await store.close();
  store = await openStore(maxSpillBytes, { ...systemDisk, ...disk }, maxBytes);
}

/** An operation of the disk that waits until the test lets it go on. */
function newGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Gives a store that does too early what it should not do the time for it. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a slow or full disk", () => {
  test("does not make a second spill of what is still being spilled (SPILL-1)", async () => {
    const [gate, failed] = [newGate(), newGate()];
    let spills = 0;
    await reopen(300, {
      async remove(path) {
        await systemDisk.remove(path);
        if (path.includes("/spill/")) failed.open();
      },
      async create(path) {
        const file = await systemDisk.create(path);
        if (!path.includes("/spill/")) return file;
        spills++;
        const write = async (data: Uint8Array, offset: number) => {
          if (data[0] === "b".charCodeAt(0)) return await noSpaceLeft();
          await gate.opened;
          return await file.write(data, offset);
        };
        return { write, close: () => file.close() };
      },
    });
    const first = await put("a", 50);
    await put("b", 50);
    // Both have to leave. The disk has no space for the second one, while the first one is still being written.
    const refused = expect(put("c", 100)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    await failed.opened;
    await settle();
    const next = put("d", 50);
    await settle();
    gate.open();
    await refused;
    await next;
    expect([spills, store.spilledBytes, await onDisk()]).toEqual([2, 50, [first]]);
  });

  test("has who reads an object there read it in memory when it came back and left the disk meanwhile (RESIDENCE-3)", async () => {
    const [gate, reached] = [newGate(), newGate()];
    let opened = 0;
    await reopen(130, {
      async open(path) {
        const file = await systemDisk.open(path);
        if (!path.includes("/spill/") || ++opened > 1) return file;
        reached.open();
        return {
          read: (...given) => gate.opened.then(() => file.read(...given)),
          close: () => file.close(),
        };
      },
    });
    const first = await put("a", 60);
    const second = await put("b", 60);
    const reading = store.read(second);
    const waiting = put("c", 60);
    // Others wait for room, so this reader reads on disk.
    const slow = read(first);
    await reached.opened;
    reading.done();
    store.drop({ objectId: await waiting, holder: "" });
    expect(await read(first)).toBe("a".repeat(60));
    // The next one to leave needs the room on disk of the copy of the first, which is in memory again.
    await put("d", 40);
    await put("e", 40);
    expect((await onDisk()).includes(first)).toBe(false);
    gate.open();
    expect(await slow).toBe("a".repeat(60));
    expect(store.isHeld(first)).toBe(true);
  });

  test("gives an object back only when the bytes that leave for it are gone (STORE-2)", async () => {
    let [gate, leaving] = [newGate(), newGate()];
    gate.open();
    const created: string[] = [];
    await reopen(
      300_000,
      {
        create: (path) => {
          created.push(path);
          return systemDisk.create(path);
        },
        async remove(path) {
          leaving.open();
          await gate.opened;
          await systemDisk.remove(path);
        },
      },
      200_000,
    );
    const first = await put("a", 100_000);
    const second = await put("b", 100_000);
    await put("c", 100_000);
    [gate, leaving] = [newGate(), newGate()];
    // Its file is kept for reuse, and has to go when the first object comes back.
    store.drop({ objectId: second, holder: "" });
    created.length = 0;
    const slow = read(first);
    await leaving.opened;
    await settle();
    expect(created).toEqual([]);
    gate.open();
    expect(await slow).toBe("a".repeat(100_000));
  });

  test("has an object read on disk that it cannot take back into memory (RESIDENCE-4)", async () => {
    let isFull = false;
    await reopen(300, {
      async create(path) {
        const file = await systemDisk.create(path);
        const write = (data: Uint8Array, offset: number) =>
          isFull ? noSpaceLeft() : file.write(data, offset);
        return { write, close: () => file.close() };
      },
    });
    const first = await put("a", 60);
    store.drop({ objectId: await put("b", 60), holder: "" });
    isFull = true;
    expect(await read(first)).toBe("a".repeat(60));
    expect(await readdir(join(parent, "objects"))).toEqual([]);
    isFull = false;
    expect(await read(first)).toBe("a".repeat(60));
    expect(moved).toContain("restored 60");
  });

  test("lets nobody wait longer without progress because others wait before it (STOREROOM-2)", async () => {
    const idle = await store.create(80, "job-1");
    const refused = ["a", "b", "c"].map((letter) =>
      expect(put(letter, 50)).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" }),
    );
    await settle();
    clock.advance(30_000);
    await Promise.all(refused);
    await idle.abort();
  });
});

test("whatever is put, read and freed, values stay themselves and the bounds hold (STOREROOM-1, SPILL-1)", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("put" as const), sizeBytes: fc.integer({ min: 1, max: 70 }) }),
    fc.record({ kind: fc.constant("copy" as const), sizeBytes: fc.integer({ min: 1, max: 70 }) }),
    fc.record({ kind: fc.constant("read" as const), at: fc.nat() }),
    fc.record({ kind: fc.constant("free" as const), at: fc.nat() }),
  );
  const check = fc.asyncProperty(
    fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 15 }),
    async (turns) => {
      await store.close();
      store = await openStore(150);
      const held = new Map<string, string>();
      let letter = 0;
      const run = async (order: (typeof turns)[number][number]) => {
        if (order.kind === "put" || order.kind === "copy") {
          const text = String.fromCharCode(97 + (letter++ % 26));
          const isHeld = order.kind === "put";
          const objectId = await put(text, order.sizeBytes, isHeld ? "job-1" : "").catch((reason) => {
            expect(reason).toMatchObject({ code: "OBJECT_STORE_FULL" });
            return undefined;
          });
          if (objectId && isHeld) held.set(objectId, text.repeat(order.sizeBytes));
          return;
        }
        const objectId = [...held.keys()][order.at % Math.max(1, held.size)];
        const expected = objectId && held.get(objectId);
        if (!objectId || !expected) return;
        if (order.kind === "free") {
          held.delete(objectId);
          store.drop({ objectId, holder: "" });
          return;
        }
        const found = await read(objectId).catch((reason: { readonly code: string }) => reason.code);
        // Freed in the same turn, or everything else is being read or written.
        if (found !== expected) expect(["NOT_FOUND", "OBJECT_STORE_FULL"]).toContain(found);
      };
      for (const orders of turns) {
        const hurry = setInterval(() => clock.advance(30_000), 5);
        await Promise.all(orders.map(run)).finally(() => clearInterval(hurry));
        expect(store.residentBytes).toBeLessThanOrEqual(100);
        expect(store.spilledBytes).toBeLessThanOrEqual(150);
        for (const objectId of held.keys()) expect(store.find(objectId)).toBeDefined();
      }
      for (const [objectId, expected] of held) expect(await read(objectId)).toBe(expected);
      store.release("job-1");
      expect([store.spilledBytes, store.residentBytes - store.copyBytes]).toEqual([0, 0]);
    },
  );
  await fc.assert(check, { numRuns: 40 });
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import * as proto from "@palimpsest/wire/protocol";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { HeldWeights } from "./held-weights.js";
import type { ObjectLocation } from "./object-location.js";
import { PutWeights } from "./put-weights.js";

let folder: string;
let path: string;
/** What this holder has in the store, as it outlives the process of a learner. */
let stored: Set<string>;
let dies: boolean;

const bytes = (text: string) => [Buffer.from(text)];
const idOf = (text: string) => sha256Of(text);
const manifest = (policyVersion: number, shards: readonly ObjectLocation[]) =>
  proto.WeightManifest.create({ policyVersion, shards: [...shards] });
const store = {
  // For nobody: a copy, which goes by itself.
  put: async (pieces: readonly Uint8Array[]) => {
    const text = Buffer.concat(pieces).toString();
    return { objectId: idOf(text), sizeBytes: text.length };
  },
  hold: async ({ objectId }: ObjectLocation) => {
    if (dies) throw new Error("killed while it holds");
    stored.add(objectId);
  },
  release: async (locations: readonly ObjectLocation[]) => {
    for (const { objectId } of locations) stored.delete(objectId);
  },
};

beforeEach(() => {
  folder = testFolder();
  path = join(folder, "weight-objects.json");
  stored = new Set();
  dies = false;
});

test("a learner that starts again releases what the one before it put, but not what it has put again (PUT-1)", async () => {
  const first = await PutWeights.open(store, path, (write) => write());
  for (const text of ["initial", "announced", "saved", "torn"]) await first.put(bytes(text));
  expect(stored.size).toBe(4);

  const second = await PutWeights.open(store, path, (write) => write());
  const initial = manifest(0, [{ objectId: idOf("initial"), sizeBytes: 7 }]);
  const held = new HeldWeights(second, initial, (reason) => expect.unreachable(String(reason)));
  held.add(manifest(1, [{ objectId: idOf("announced"), sizeBytes: 9 }]));
  await held.settled();
  expect(stored.size).toBe(4);
  held.add(manifest(2, [await second.put(bytes("saved"))]), second.takeLeft());
  await held.settled();
  expect([...stored].sort()).toEqual(["initial", "announced", "saved"].map(idOf).sort());
  expect(second.takeLeft()).toEqual([]);
  // What was released is noted no more.
  await second.put(bytes("next"));
  expect(await readFile(path, "utf8")).not.toContain(idOf("torn"));
});

test("an object is noted before it is held (PUT-1)", async () => {
  const first = await PutWeights.open(store, path, (write) => write());
  dies = true;
  await expect(first.put(bytes("late"))).rejects.toThrow("killed");
  const left = (await PutWeights.open(store, path, (write) => write())).takeLeft();
  expect(left).toEqual([{ objectId: idOf("late"), sizeBytes: 4 }]);
});

test("objects that are put at once are all noted before they are held (PUT-1)", async () => {
  let writes = 0;
  const first = await PutWeights.open(store, path, (write) => {
    writes++;
    return write();
  });
  const texts = ["one", "two", "three", "four"];
  await Promise.all(texts.map((text) => first.put(bytes(text))));
  expect(writes).toBeLessThan(texts.length);
  const left = (await PutWeights.open(store, path, (write) => write())).takeLeft();
  expect(left.map(({ objectId }) => objectId).sort()).toEqual(texts.map(idOf).sort());
});

test("notes that are damaged count as none", async () => {
  await writeFile(path, '[{"objectId": "../x"');
  expect((await PutWeights.open(store, path, (write) => write())).takeLeft()).toEqual([]);
});

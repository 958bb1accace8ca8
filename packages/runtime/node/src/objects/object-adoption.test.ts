import { randomBytes } from "node:crypto";
import { lstat, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ObjectStore } from "./store/object-store.js";

const sizeBytes = 200_000;
const valueId = "ab".repeat(20);
let parent: string;
let ours: ObjectStore;
let theirs: ObjectStore;

beforeEach(async () => {
  parent = testFolder();
  const open = (name: string) =>
    ObjectStore.open({ folder: join(parent, name), inMemory: true, maxBytes: 3 * sizeBytes });
  [ours, theirs] = await Promise.all([open("ours"), open("theirs")]);
});

afterEach(() => Promise.all([ours.close(), theirs.close()]));

async function putValue(bytes: Uint8Array): Promise<void> {
  const writer = await theirs.create(bytes.byteLength, "job-1", valueId);
  await writer.write(bytes);
  await writer.commit();
}

test("an object of another store is the same file, and stays when the other store has freed it (FETCH-6)", async () => {
  const bytes = randomBytes(sizeBytes);
  await putValue(bytes);
  const source = theirs.get(valueId);
  const adopted = await ours.adopt(source, "job-2");
  expect((await lstat(adopted?.path ?? "")).ino).toBe((await lstat(source.path)).ino);
  theirs.release("job-1");
  expect((await readFile(ours.get(valueId).path)).equals(bytes)).toBe(true);
  ours.release("job-2");
  await ours.create(1, "").then((writer) => writer.abort());
  expect(await readdir(theirs.folder)).toEqual([]);
});

test("a file that two stores have is not written again by the one that freed it (FILES-2)", async () => {
  const bytes = randomBytes(sizeBytes);
  await putValue(bytes);
  await ours.adopt(theirs.get(valueId), "job-2");
  theirs.release("job-1");
  const write = await theirs.reserve(sizeBytes, "job-1", "cd".repeat(20));
  await writeFile(write.path, randomBytes(sizeBytes), { flag: "r+" });
  await write.seal();
  expect((await readFile(ours.get(valueId).path)).equals(bytes)).toBe(true);
});

test("what is no plain file of that name and size is not taken over, and leaves nothing behind", async () => {
  await putValue(randomBytes(sizeBytes));
  const source = theirs.get(valueId);
  const elsewhere = join(parent, valueId);
  await symlink(source.path, elsewhere);
  const shorter = { ...source, sizeBytes: sizeBytes - 1 };
  const gone = { ...source, path: join(parent, "nowhere", valueId) };
  const other = { ...source, objectId: "ef".repeat(20) };
  for (const refused of [shorter, gone, other, { ...source, path: elsewhere }])
    expect(await ours.adopt(refused, "job-2")).toBeUndefined();
  expect(await readdir(ours.folder)).toEqual([]);
  // Nothing stays announced: the whole room is there.
  await (await ours.create(3 * sizeBytes, "job-2")).abort();
});

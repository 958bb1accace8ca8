import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, statfs, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@palimpsest/std";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { chooseObjectFolder } from "../objects/store/object-folder.js";
import { ObjectStore } from "../objects/store/object-store.js";
import { FolderLease, sweepDeadFolders } from "./folder-lease.js";

let parent: string;
let children: ChildProcess[];

beforeEach(() => {
  parent = testFolder();
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Another process that listens at the socket of a folder's lease, as a node of another container does. */
async function processThatHolds(folder: string): Promise<ChildProcess> {
  const script = `require("node:net").createServer(() => {}).listen(process.argv[1], () => console.log("listens"))`;
  const child = spawn(process.execPath, ["-e", script, join(folder, "alive")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  return child;
}

/** A folder as a node leaves it that is killed: its lease's file, its objects, no process. */
async function leasedFolder(name: string): Promise<string> {
  const lease = await FolderLease.take(parent, name, systemClock);
  const { folder } = lease;
  const file = await readLease(folder);
  await lease.close();
  await mkdir(folder);
  await writeFile(join(folder, "lease.json"), file);
  await writeFile(join(folder, "object"), "bytes");
  return folder;
}

async function readLease(folder: string): Promise<Buffer> {
  return await readFile(join(folder, "lease.json"));
}

test("two living stores of one folder leave each other alone (FOLDER-2)", async () => {
  const options = {
    ...{ dataDir: parent, preferred: parent, maxBytes: 100, memoryBytes: 1000, memoryDir: parent },
    maxSpillBytes: 0,
  };
  const first = await chooseObjectFolder({ ...options, nodeId: "node-a" });
  const store = await ObjectStore.open(first);
  const writer = await store.create(2, "job-1");
  await writer.write(Buffer.from("ok"));
  const { objectId } = await writer.commit();
  const second = await chooseObjectFolder({ ...options, nodeId: "node-a" });
  expect(await sweepDeadFolders(parent, systemClock)).toEqual([]);
  expect(await readdir(first.folder)).toEqual([objectId]);
  await Promise.all([first.close(), second.close()]);
  expect(await readdir(parent)).toEqual([]);
});

test("the folder of a process that was killed goes with the next sweep, that of a stopped one does not (FOLDER-2, FOLDER-3)", async () => {
  const folder = await leasedFolder("killed");
  const child = await processThatHolds(folder);
  child.kill("SIGSTOP");
  expect(await sweepDeadFolders(parent, systemClock)).toEqual([]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await sweepDeadFolders(parent, systemClock)).toEqual(["palimpsest-objects-killed"]);
  expect(await readdir(parent)).toEqual([]);
});

test("without a socket, or from another machine, the age of the lease decides", async () => {
  const silent = await leasedFolder("silent");
  const elsewhere = await leasedFolder("elsewhere");
  await writeFile(join(elsewhere, "lease.json"), JSON.stringify({ bootId: "another machine" }));
  await writeFile(join(elsewhere, "alive"), "");
  expect(await sweepDeadFolders(parent, systemClock)).toEqual([]);
  const old = systemClock.now() / 1000 - 121;
  for (const folder of [silent, elsewhere]) await utimes(join(folder, "lease.json"), old, old);
  expect((await sweepDeadFolders(parent, systemClock)).length).toBe(2);
});

test("what carries no lease is nobody's to remove, whatever its name and age (FOLDER-1)", async () => {
  const name = "palimpsest-objects-of-somebody";
  await mkdir(join(parent, name));
  await writeFile(join(parent, name, "file"), "kept");
  await utimes(join(parent, name), 1, 1);
  expect(await sweepDeadFolders(parent, systemClock)).toEqual([]);
  expect(await readdir(parent)).toEqual([name]);
});

test("what dead nodes left is swept before free space is measured, in every folder that a store may use", async () => {
  const [memoryDir, dataDir] = [join(parent, "shm"), join(parent, "data")];
  const preferred = join(parent, "preferred");
  const places = [memoryDir, join(dataDir, "objects"), preferred];
  for (const place of places) {
    await mkdir(place, { recursive: true });
    const folder = await leasedFolder("dead");
    await rename(folder, join(place, "palimpsest-objects-dead"));
    const child = await processThatHolds(join(place, "palimpsest-objects-dead"));
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  const options = { nodeId: "node-b", dataDir, maxBytes: 100, memoryBytes: 1000, memoryDir };
  const freeBytesOf = async (folder: string) => ((await readdir(folder)).length === 0 ? 100 : 0);
  const chosen = await chooseObjectFolder({ ...options, preferred: "", freeBytesOf });
  // Roomy only because it was swept first.
  expect([chosen.place, chosen.folder.startsWith(memoryDir)]).toEqual(["memory", true]);
  const other = await chooseObjectFolder({ ...options, preferred, freeBytesOf });
  const { type } = await statfs(preferred);
  expect(other.place, "whether the configured folder is a tmpfs").toBe(
    type === 0x01021994 ? "memory" : "disk",
  );
  expect((await readdir(preferred)).length).toBe(1);
  expect(await readdir(join(dataDir, "objects"))).toEqual([]);
  await Promise.all([chosen.close(), other.close()]);
});

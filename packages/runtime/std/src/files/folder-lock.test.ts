import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type LockOptions, withFolderLock as withLock } from "./folder-lock.js";

let folder: string;
let target: string;
let lock: string;
beforeEach(() => {
  folder = testFolder();
  target = join(folder, "m");
  lock = `${target}.lock`;
});

const locked = (holder: string, path: string) => new Error(`${path} is held by ${holder}`);
const withFolderLock = <T>(path: string, options: Omit<LockOptions, "locked">, work: () => Promise<T>) =>
  withLock(path, { ...options, locked }, work);

const timing = { pollMs: 2, renewMs: 5, staleMs: 100 };
const done = async () => "done";

/** Returns what a lock of this process contains. */
const ownLock = () => withFolderLock(target, {}, async () => JSON.parse(await readFile(lock, "utf8")));

it("only one at a time works under a path, and nothing is left of the lock", async () => {
  let [inside, most] = [0, 0];
  const work = async () => {
    inside++;
    most = Math.max(most, inside);
    await readdir(folder);
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withFolderLock(target, { timing }, work)));
  expect(most).toBe(1);
  const failing = withFolderLock(target, {}, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await readdir(folder)).toEqual([]);
});

it("the lock of a process that is gone is taken over, and so is that of another process with its id (FOLDERLOCK-2)", async () => {
  const own = await ownLock();
  const gone = spawn(process.execPath, ["-e", "0"]);
  await once(gone, "exit");
  await writeFile(lock, JSON.stringify({ ...own, pid: gone.pid }));
  expect(await withFolderLock(target, {}, done)).toBe("done");
  // The number is this process's, as after a restart of a container; the start is another's.
  if (own.started !== undefined) {
    await writeFile(lock, JSON.stringify({ ...own, started: "1" }));
    expect(await withFolderLock(target, { waitMs: 0 }, done)).toBe("done");
  }
});

it("what another machine or version left is taken over when nobody renews it (FOLDERLOCK-2)", async () => {
  const own = await ownLock();
  for (const left of [JSON.stringify({ ...own, machine: "elsewhere" }), String(process.pid), "", "{"]) {
    await writeFile(lock, left);
    expect(await withFolderLock(target, { timing }, done)).toBe("done");
  }
  expect(await readdir(folder)).toEqual([]);
});

it("what another machine renews is its own, and who waits is told by whom and stops in time (FOLDERLOCK-3)", async () => {
  const own = await ownLock();
  await writeFile(lock, JSON.stringify({ ...own, machine: "elsewhere x", pid: 7 }));
  let second = 0;
  const renewal = setInterval(() => void utimes(lock, new Date(), new Date(++second * 1000)), 1);
  onTestFinished(() => clearInterval(renewal));
  const told: string[] = [];
  const onWait = (holder: string) => told.push(holder);
  const waiting = withFolderLock(target, { timing, waitMs: 150, onWait }, done);
  await expect(waiting).rejects.toThrow(/m\.lock is held by process 7 on elsewhere, since 20/);
  expect(told).toHaveLength(1);
});

it("a living process of this machine keeps its lock, and who waits can be stopped", async () => {
  const own = await ownLock();
  await writeFile(lock, JSON.stringify(own));
  const waiting = withFolderLock(target, { timing: { ...timing, staleMs: 1 }, waitMs: 30 }, done);
  if (own.started !== undefined) await expect(waiting).rejects.toThrow("is held by");
  else await waiting;
  await writeFile(lock, JSON.stringify(own));
  const controller = new AbortController();
  const stopped = withFolderLock(target, { signal: controller.signal }, done);
  controller.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
});

it("a holder renews its lock and does not remove another's (FOLDERLOCK-1)", async () => {
  await withFolderLock(target, { timing }, async () => {
    const first = await readFile(lock, "utf8");
    await utimes(lock, new Date(0), new Date(0));
    const { stat } = await import("node:fs/promises");
    while ((await stat(lock)).mtimeMs === 0) await readdir(folder);
    expect(await readFile(lock, "utf8")).toBe(first);
    await writeFile(lock, "another's");
  });
  expect(await readFile(lock, "utf8")).toBe("another's");
});

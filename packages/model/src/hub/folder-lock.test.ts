import { spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../test/support/temporary-folder.js";
import { withFolderLock } from "./folder-lock.js";

let folder: string;
let target: string;
beforeEach(() => {
  folder = testFolder();
  target = join(folder, "m");
});

it("only one at a time works under a path, and nothing is left of the lock", async () => {
  let [inside, most] = [0, 0];
  const work = async () => {
    inside++;
    most = Math.max(most, inside);
    await readdir(folder);
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withFolderLock(target, undefined, work)));
  expect(most).toBe(1);
  const failing = withFolderLock(target, undefined, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await readdir(folder)).toEqual([]);
});

it("the lock of a process that is gone is taken over", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  await writeFile(`${target}.lock`, String(pid));
  expect(await withFolderLock(target, undefined, async () => "done")).toBe("done");
});

it("who waits for a living process can be stopped", async () => {
  await writeFile(`${target}.lock`, String(process.pid));
  const controller = new AbortController();
  const waiting = withFolderLock(target, controller.signal, async () => "done");
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withFolderLock } from "./folder-lock.js";

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-lock-"));
  target = join(folder, "m");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
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

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../test/support/temporary-folder.js";
import { lockFolder } from "./folder-lock.js";

test("a folder has one process; the next one gets its id, and the folder after its release", () => {
  const folder = join(testFolder(), "new");
  const first = lockFolder(folder);
  expect(lockFolder(folder)).toEqual({ heldBy: process.pid });
  if (!("release" in first)) throw new Error("the lock was not taken");
  first.release();
  expect(lockFolder(folder)).toHaveProperty("release");
});

test("the lock of a process that was killed is taken over, also when its id is another's, and a damaged one", async () => {
  const folder = testFolder();
  const file = join(folder, "running.json");
  lockFolder(folder);
  const own = JSON.parse(readFileSync(file, "utf8"));
  const child = spawn("sleep", ["600"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  for (const other of [
    { ...own, startedAt: "1" },
    { ...own, host: "another-machine" },
    { ...own, pid: 2 ** 22 + 1 },
    { ...own, pid: child.pid },
  ]) {
    writeFileSync(file, JSON.stringify(other));
    expect(lockFolder(folder), JSON.stringify(other)).toHaveProperty("release");
  }
  writeFileSync(file, "");
  expect(lockFolder(folder)).toHaveProperty("release");
});

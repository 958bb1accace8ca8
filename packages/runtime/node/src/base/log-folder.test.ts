import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { pruneLogs } from "./log-folder.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

test("removes the oldest logs above the bound, none that is open, and nothing else", async () => {
  for (const [index, name] of ["open-1.log", "a-1.log", "b-1.log", "c-1.log", "notes.txt"].entries()) {
    await writeFile(join(folder, name), "x".repeat(100));
    await utimes(join(folder, name), index, index);
  }
  const isOpen = (path: string) => path.endsWith("open-1.log");
  expect(await pruneLogs(folder, 400, isOpen)).toBe(0);
  expect(await pruneLogs(folder, 250, isOpen)).toBe(2);
  expect((await readdir(folder)).sort()).toEqual(["c-1.log", "notes.txt", "open-1.log"]);
});

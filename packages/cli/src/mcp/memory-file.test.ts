import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../test/support/temporary-folder.js";
import { MemoryFile } from "./memory-file.js";

test("a call whose file cannot be written changes nothing (MEMORY-FILE-3)", async () => {
  const folder = testFolder();
  const file = new MemoryFile(join(folder, "memory.jsonl"));
  const { signal } = new AbortController();
  const create = async (content: string) =>
    await file.run("manage_memory", { operation: "create", content, source: "test" }, signal);
  const found = async () => JSON.stringify(await file.run("search_memory", { query: "dog" }, signal));
  await create("Ann has a dog.");
  const before = await found();
  // Writing begins with a file of this name, where a folder is now.
  await mkdir(`${file.path}.${process.pid}.part`);
  await expect(create("Ben has a dog.")).rejects.toThrow(/cannot be written, so nothing was changed/);
  expect(await found()).toBe(before);
});

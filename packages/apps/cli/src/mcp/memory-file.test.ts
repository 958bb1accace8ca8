import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
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

test("the first memory makes its folder, which only its owner may read", async () => {
  const home = testFolder();
  const file = new MemoryFile(join(home, ".local", "state", "memory.jsonl"));
  const { signal } = new AbortController();
  const run = async (tool: string, args: object) => (await file.run(tool, args, signal)).text;
  expect(await run("search_memory", { query: "dog" })).toBe("The memory is empty.");
  expect(await run("manage_memory", { operation: "create", content: "Ann has a dog." })).toContain("Created");
  expect(await run("search_memory", { query: "dog" })).toContain("Ann has a dog.");
  expect((await stat(join(home, ".local"))).mode & 0o777).toBe(0o700);
  await writeFile(join(home, "file"), "");
  const inFile = new MemoryFile(join(home, "file", "memory.jsonl"));
  await expect(inFile.run("manage_memory", { operation: "create", content: "x" }, signal)).rejects.toThrow(
    /^\[INVALID_ARGUMENT\] --memory .*: it, or a part of the path, is a file; give a file in a folder/,
  );
  // The folder that a link leads to is made, and not the one that holds the link.
  await symlink("later/store.jsonl", join(home, "link.jsonl"));
  const linked = new MemoryFile(join(home, "link.jsonl"));
  await linked.run("manage_memory", { operation: "create", content: "Ben has a cat." }, signal);
  expect((await stat(join(home, "later", "store.jsonl"))).isFile()).toBe(true);
});

test("a lock that is a folder is told with the flag, the path and the fix", async () => {
  const file = new MemoryFile(join(testFolder(), "memory.jsonl"));
  await mkdir(`${file.path}.lock`);
  const { signal } = new AbortController();
  await expect(file.run("manage_memory", { operation: "create", content: "x" }, signal)).rejects.toThrow(
    /^\[INVALID_ARGUMENT\] --memory .*memory\.jsonl: cannot be used, since .*: it is a folder; give a file/,
  );
});

test("a read waits for no lock (MEMORY-FILE-4), and a change behind a lock can be stopped", async () => {
  const file = new MemoryFile(join(testFolder(), "memory.jsonl"));
  const { signal } = new AbortController();
  const create = { operation: "create", content: "Ann has a dog." };
  await file.run("manage_memory", create, signal);
  // What another program left there is taken over only after seconds.
  await writeFile(`${file.path}.lock`, String(process.pid));
  const stop = new AbortController();
  const waiting = file.run("manage_memory", create, stop.signal);
  const found = await file.run("search_memory", { query: "dog" }, signal);
  expect(found.text).toContain("Ann has a dog.");
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

test("a folder for the memory file is told with the flag and a file in it, by every tool", async () => {
  const folder = testFolder();
  const { signal } = new AbortController();
  for (const [tool, args] of [
    ["search_memory", { query: "dog" }],
    ["manage_memory", { operation: "create", content: "x" }],
  ] as const)
    await expect(new MemoryFile(folder).run(tool, args, signal)).rejects.toThrow(
      `[INVALID_ARGUMENT] --memory ${folder}: is a folder; give a file, such as ${join(folder, "memory.jsonl")}`,
    );
});

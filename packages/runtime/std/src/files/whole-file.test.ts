import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { durableFiles } from "./durable-files.js";
import { replaceFile, replaceFileSync, WholeFile } from "./whole-file.js";

it("replaces a file, and says on failure what failed, with the old contents in place and nothing beside them", async () => {
  const folder = testFolder();
  const path = join(folder, "notes.json");
  await replaceFile(path, "old");
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const fails = {
    ...durableFiles,
    write: async (part: string) => {
      writeFileSync(part, "ne");
      throw full;
    },
  };
  await expect(replaceFile(path, "new", fails)).rejects.toBe(full);
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["notes.json"]);
  await replaceFile(path, Buffer.from("new"));
  expect(readFileSync(path, "utf8")).toBe("new");
});

it("gives the permissions that are asked for, whatever the umask", () => {
  const path = join(testFolder(), "token");
  const before = process.umask(0o277);
  try {
    replaceFileSync(path, "secret\n", 0o644);
  } finally {
    process.umask(before);
  }
  expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(() => replaceFileSync(join(path, "under-a-file"), "", 0o600)).toThrow("ENOTDIR");
});

it("is not there before it is finished, may be finished under another name, and leaves nothing when discarded", async () => {
  const folder = testFolder();
  const file = await WholeFile.create(join(folder, "upload"));
  await file.write("half ");
  await file.write(Buffer.from("and half"));
  expect(readdirSync(folder)).not.toContain("upload");
  await file.finish(join(folder, "named-by-its-hash"));
  await file.discard();
  expect(readdirSync(folder)).toEqual(["named-by-its-hash"]);
  expect(readFileSync(join(folder, "named-by-its-hash"), "utf8")).toBe("half and half");
  const other = await WholeFile.create(join(folder, "other"));
  await other.write("lost");
  await other.discard();
  expect(readdirSync(folder)).toEqual(["named-by-its-hash"]);
});

import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as proto from "@palimpsest/wire/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { packWorkingDir } from "./working-dir.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const unpacked = (bytes: Uint8Array) => proto.WorkingDirectory.decode(gunzipSync(bytes)).files;
const pathsOf = (bytes: Uint8Array) => unpacked(bytes).map(({ path }) => path);

describe("packWorkingDir", () => {
  test("packs files with their folders and whether they are programs; the same files give the same bytes", async () => {
    await write({ "b/run.sh": "echo", "a.txt": "text" });
    await chmod(join(folder, "b/run.sh"), 0o755);
    const first = await packWorkingDir(folder);
    expect(unpacked(first.bytes)).toMatchObject([
      { path: "a.txt", executable: false },
      { path: "b/run.sh", executable: true },
    ]);
    await write({ "a.txt": "text" });
    expect((await packWorkingDir(folder)).sha256).toBe(first.sha256);
    await write({ "a.txt": "other" });
    expect((await packWorkingDir(folder)).sha256).not.toBe(first.sha256);
  });

  test("leaves out what .gitignore files name, inner ones before outer ones, and .git and node_modules", async () => {
    await write({
      ".gitignore": "*.log\n/out/\n",
      ".git/config": "x",
      "node_modules/p/index.js": "x",
      "out/big.bin": "x",
      "a.log": "x",
      "kept/.gitignore": "!b.log\n",
      "kept/b.log": "x",
      "kept/out/file": "x",
    });
    expect(pathsOf((await packWorkingDir(folder)).bytes)).toEqual([
      ".gitignore",
      "kept/.gitignore",
      "kept/b.log",
      "kept/out/file",
    ]);
  });

  test("refuses symbolic links, unless they are ignored", async () => {
    await symlink("/etc/passwd", join(folder, "link"));
    await expect(packWorkingDir(folder)).rejects.toThrow("is a symbolic link");
    await write({ ".gitignore": "link\n" });
    expect(pathsOf((await packWorkingDir(folder)).bytes)).toEqual([".gitignore"]);
  });

  test("refuses what is no folder", async () => {
    await expect(packWorkingDir(join(folder, "missing"))).rejects.toThrow("does not exist");
    await writeFile(join(folder, "file"), "");
    await expect(packWorkingDir(join(folder, "file"))).rejects.toThrow("is not a folder");
  });
});

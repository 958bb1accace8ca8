import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as proto from "@palimpsest/wire/protocol";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { packPackages } from "./packages.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

async function write(files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(join(folder, path), text);
  }
}

const pack = () => packPackages(join(folder, "package.json"));

test("package.json, lockfile and what they name by file: are packed, and nothing else; the same gives the same bytes", async () => {
  await write({
    "package.json": {
      dependencies: { a: "file:./a", left: "^1.0.0" },
      optionalDependencies: { b: "file:b.tgz" },
      devDependencies: { c: "file:c" },
    },
    "package-lock.json": {
      packages: {
        "": {},
        "node_modules/d": { resolved: "file:d.tgz" },
        "node_modules/e": { resolved: "e", link: true },
      },
    },
    "a/package.json": "{}",
    "a/.gitignore": "dist",
    "a/dist/index.js": "built",
    "a/node_modules/x/index.js": "not sent",
    "b.tgz": "b",
    "c/index.js": "c",
    "d.tgz": "d",
    "e/index.js": "e",
    ".npmrc": "//registry/:_authToken=secret",
    "other.txt": "not sent",
  });
  const { bundle, names } = await pack();
  expect(names).toEqual(["a", "b", "left"]);
  const { files } = proto.WorkingDirectory.decode(gunzipSync(bundle.bytes));
  expect(files.map(({ path }) => path)).toEqual([
    ...["a/.gitignore", "a/dist/index.js", "a/package.json", "b.tgz", "c/index.js", "d.tgz", "e/index.js"],
    ...["package-lock.json", "package.json"],
  ]);
  expect((await pack()).bundle.sha256).toBe(bundle.sha256);
});

test("what could not be installed on a node is refused with what to do", async () => {
  await write({ "package.json": { dependencies: { a: "file:../a" } } });
  await expect(pack()).rejects.toThrow("has no lockfile: create one with `npm install --package-lock-only`");
  await write({ "pnpm-lock.yaml": "" });
  await expect(pack()).rejects.toThrow('package "file:../a"');
  await write({ "package-lock.json": {} });
  await expect(pack()).rejects.toThrow("has package-lock.json and pnpm-lock.yaml: remove the one");
  await rm(join(folder, "pnpm-lock.yaml"));
  await write({ "package.json": { dependencies: { a: "workspace:*" } } });
  await expect(pack()).rejects.toThrow('depends on a as "workspace:*"');
  await write({ "package.json": { dependencies: { a: "file:gone" } } });
  await expect(pack()).rejects.toThrow('package "file:gone" of');
  await write({ "package.json": { dependencies: { a: 1 } } });
  await expect(pack()).rejects.toThrow("dependencies.a");
  await write({ "package.json": "{" });
  await expect(pack()).rejects.toThrow("cannot be read as JSON");
  await expect(packPackages(folder)).rejects.toThrow("give the path of a package.json");
});

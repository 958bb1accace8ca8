import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { expect, test } from "vitest";
import { fileFolder, testFolder } from "../../../../../test/support/temporary-folder.js";
import { bundledModules, bundledProgram, workerSnapshot } from "./bundled-programs.js";

const folder = fileFolder();
const empty = JSON.stringify({ bundler: [], modules: [] });

test.each(["module.js", "bundler.mjs"])("a bundle is used as long as %s is as it was bundled", (changed) => {
  const own = testFolder();
  const stated = (name: string) => {
    writeFileSync(join(own, name), "export const one = 1;\n");
    const { size, mtimeMs } = statSync(join(own, name));
    return [name, size, mtimeMs];
  };
  const manifest = { bundler: [stated("bundler.mjs")], modules: [stated("module.js")] };
  writeFileSync(join(own, "worker.json"), JSON.stringify(manifest));
  expect(bundledProgram("worker", own)).toBe(join(own, "worker.cjs"));
  expect(bundledProgram("cli", own), "one that was never made").toBeUndefined();
  const { atime, mtime } = statSync(join(own, changed));
  utimesSync(join(own, changed), atime, Math.floor(mtime.getTime() / 1000));
  expect(bundledProgram("worker", own), "of a copy by an archive").toBe(join(own, "worker.cjs"));
  utimesSync(join(own, changed), atime, new Date(mtime.getTime() + 5_000));
  expect(bundledProgram("worker", own), "of one that was built anew").toBeUndefined();
  rmSync(join(own, changed));
  expect(bundledProgram("worker", own), "of one that is gone").toBeUndefined();
});

test("a bundle that does not say which bundler made it is not used", () => {
  const own = testFolder();
  writeFileSync(join(own, "worker.json"), "[]");
  expect(bundledProgram("worker", own)).toBeUndefined();
});

test("actors of training come from their bundle only in a process that runs the worker's", () => {
  const own = testFolder();
  writeFileSync(join(own, "learning.json"), empty);
  expect(bundledModules(own), "without the worker's").toEqual({});
  writeFileSync(join(own, "worker.json"), empty);
  expect(bundledModules(own)).toMatchObject({
    "@palimpsest/trainer/actors": join(own, "trainer-actors.mjs"),
  });
});

test("a snapshot is used with its bundle, where and for what it was made", () => {
  const own = testFolder();
  const made = { folder: own, node: process.version, arch: process.arch, tag: cachedDataVersionTag() };
  const describe = (changes: object) =>
    writeFileSync(join(own, "worker.blob.json"), JSON.stringify({ ...made, ...changes }));
  describe({});
  expect(workerSnapshot(own), "without the bundle").toBeUndefined();
  writeFileSync(join(own, "worker.json"), empty);
  expect(workerSnapshot(own)).toBe(join(own, "worker.blob"));
  for (const changes of [{ folder: "/elsewhere" }, { node: "v18.0.0" }, { tag: made.tag + 1 }]) {
    describe(changes);
    expect(workerSnapshot(own)).toBeUndefined();
  }
});

test("faults of the network are not in a bundle: a process with faults uses none", () => {
  writeFileSync(join(folder, "cli.json"), empty);
  expect(bundledProgram("cli", folder)).toBe(join(folder, "cli.cjs"));
  process.env["PALIMPSEST_FAULTS"] = "rules: []";
  try {
    expect(bundledProgram("cli", folder)).toBeUndefined();
  } finally {
    delete process.env["PALIMPSEST_FAULTS"];
  }
});

test("the command runs from a folder whose name has spaces and what a URL would take apart", () => {
  const own = join(folder, "50% done #2 (a b)?");
  for (const name of ["bin", "dist/installation"]) mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(own, "dist/installation/bundled-programs.js"),
    "export const bundledProgram = () => undefined;",
  );
  writeFileSync(join(own, "dist/main.js"), 'process.stdout.write("ran " + process.argv[2]);');
  const command = join(own, "bin/palimpsest.js");
  cpSync(new URL("../../bin/palimpsest.js", import.meta.url), command);
  expect(execFileSync(process.execPath, [command, "status"], { encoding: "utf8" })).toBe("ran status");
});

import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledProgram } from "./bundled-programs.js";

let folder: string;
let module: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-bundled-"));
  module = join(folder, "module.js");
  writeFileSync(module, "export const one = 1;\n");
  const { size, mtimeMs } = statSync(module);
  writeFileSync(join(folder, "worker.json"), JSON.stringify([["module.js", size, mtimeMs]]));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a bundle is used as long as every module is as it was bundled", () => {
  expect(bundledProgram("worker", folder)).toBe(join(folder, "worker.cjs"));
  expect(bundledProgram("cli", folder), "one that was never made").toBeUndefined();
  const { atime, mtime } = statSync(module);
  utimesSync(module, atime, new Date(mtime.getTime() + 5_000));
  expect(bundledProgram("worker", folder), "of a module that was built anew").toBeUndefined();
  rmSync(module);
  expect(bundledProgram("worker", folder), "of a module that is gone").toBeUndefined();
});

test("faults of the network are not in a bundle: a process with faults uses none", () => {
  writeFileSync(join(folder, "cli.json"), "[]");
  expect(bundledProgram("cli", folder)).toBe(join(folder, "cli.cjs"));
  process.env["PALIMPSEST_FAULTS"] = "rules: []";
  try {
    expect(bundledProgram("cli", folder)).toBeUndefined();
  } finally {
    delete process.env["PALIMPSEST_FAULTS"];
  }
});

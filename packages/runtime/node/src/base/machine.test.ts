import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { cpuCount } from "./machine.js";

const all = availableParallelism();

test.each([
  ["a quota of one CPU and a half", "150000 100000", Math.min(1, all)],
  ["half a CPU", "50000 100000", 1],
  ["more than the machine has", "99900000 100000", all],
  ["no quota", "max 100000", all],
])("a container of version 2 with %s", (_, text, expected) => {
  const groups = testFolder();
  writeFileSync(join(groups, "cpu.max"), `${text}\n`);
  expect(cpuCount(groups)).toBe(expected);
});

test.each([
  ["100000", 1],
  ["-1", all],
])("a container of version 1 with cpu.cfs_quota_us %s", (quota, expected) => {
  const groups = testFolder();
  mkdirSync(join(groups, "cpu"));
  writeFileSync(join(groups, "cpu", "cpu.cfs_quota_us"), quota);
  writeFileSync(join(groups, "cpu", "cpu.cfs_period_us"), "100000");
  expect(cpuCount(groups)).toBe(expected);
});

test("a machine without control groups offers its CPUs", () => {
  expect(cpuCount(join(testFolder(), "none"))).toBe(all);
});

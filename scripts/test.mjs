#!/usr/bin/env node
// `npm test [-- VITEST ARGUMENTS]`: sets up what is missing, verifies, runs every test, ends with `N passed, N failed`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { failuresIn } from "./failures.mjs";
import { root } from "./setup/paths.mjs";
import { setup } from "./setup/setup.mjs";
import { checks, verify } from "./verify.mjs";

await setup();
const filters = process.argv.slice(2);
// With arguments a person looks at some tests only: they are not held up by the checks. Otherwise the checks come first:
// beside the tests they would take as much processor time, and with them more processes would compute than there are cores.
if (filters.length === 0) process.stdout.write("Verify\n");
const failedChecks = filters.length > 0 ? [] : await verify();
const checkCount = filters.length > 0 ? 0 : Object.keys(checks).length;
process.stdout.write("Tests\n");

const reportDir = mkdtempSync(join(tmpdir(), "palimpsest-test-"));

/** For a process and those that it starts from now on. */
function lowerPriority(pid) {
  try {
    setPriority(pid, 10);
  } catch {
    // The process has ended, or the system does not allow it: then it runs at the usual priority.
  }
}

/** Runs vitest to its end. Several at a time share the terminal line by line. */
async function vitest(name, args, { alone = false, yielding = false } = {}) {
  const reportFile = join(reportDir, `${name}.json`);
  const child = spawn(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${reportFile}`,
      ...args,
    ],
    { cwd: root, stdio: alone ? "inherit" : ["ignore", "pipe", "pipe"] },
  );
  if (yielding) lowerPriority(child.pid);
  for (const output of [child.stdout, child.stderr])
    if (output) createInterface({ input: output }).on("line", (line) => process.stdout.write(`${line}\n`));
  const [status] = await once(child, "close");
  return { name, status, reportFile };
}

// The tests of processes wait for leases and ends of processes half of the time: the tests that compute yield to them, take
// what they leave, and have every core when those have ended.
const runs =
  filters.length > 0
    ? [vitest("some", filters, { alone: true })]
    : [
        vitest("processes", ["--project=together", "--project=apart"]),
        vitest("computing", ["--project=tensors", "--project=plain-cpu", "--project=alone"], {
          yielding: true,
        }),
      ];
const ended = await Promise.all(runs);
const failures = failedChecks.map((name) => `check: ${name}`);
let passed = checkCount - failedChecks.length;
let skipped = 0;
for (const { name, status, reportFile } of ended) {
  const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined;
  passed += report?.numPassedTests ?? 0;
  skipped += (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  failures.push(...failuresIn(name, report, status));
}
rmSync(reportDir, { recursive: true });
// The runs print what failed where it failed, far above: here stands the name of each, so that the end of a log has them all.
for (const failure of failures) process.stdout.write(`failed ${failure}\n`);
process.stdout.write(
  `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
);
process.exit(failures.length > 0 ? 1 : 0);

#!/usr/bin/env node
// `npm test [-- VITEST ARGUMENTS]`: sets up what is missing, verifies, runs every test, ends with `N passed, N failed`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { yieldToOthers } from "./setup/command.mjs";
import { root } from "./setup/paths.mjs";
import { setup } from "./setup/setup.mjs";
import { checks, verify } from "./verify.mjs";

await setup();
const filters = process.argv.slice(2);
// With arguments a person looks at some tests only: they are not held up by the checks.
const checking = filters.length > 0 ? Promise.resolve([]) : verify({ yielding: true });
const checkCount = filters.length > 0 ? 0 : Object.keys(checks).length;
process.stdout.write(filters.length > 0 ? "Tests\n" : "Tests, and beside them checks\n");

const reportDir = mkdtempSync(join(tmpdir(), "palimpsest-test-"));

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
  if (yielding) yieldToOthers(child.pid, 5);
  for (const output of [child.stdout, child.stderr])
    if (output) createInterface({ input: output }).on("line", (line) => process.stdout.write(`${line}\n`));
  const [status] = await once(child, "close");
  return { status, reportFile };
}

// The tests of processes wait for leases and ends of processes half of the time: the tests that compute, and the checks,
// yield to them and take what they leave. Alone, they would leave a quarter of two cores idle.
const runs =
  filters.length > 0
    ? [vitest("some", filters, { alone: true })]
    : [
        vitest("processes", ["--project=together", "--project=apart"]),
        vitest("computing", ["--project=tensors", "--project=alone"], { yielding: true }),
      ];
const ended = await Promise.all(runs);
const failedChecks = await checking;
let passed = checkCount - failedChecks.length;
let failed = failedChecks.length;
let skipped = 0;
for (const { status, reportFile } of ended) {
  let failures = 0;
  if (existsSync(reportFile)) {
    const report = JSON.parse(readFileSync(reportFile, "utf8"));
    passed += report.numPassedTests;
    skipped += report.numPendingTests + report.numTodoTests;
    failures += report.numFailedTests;
    // A file that does not load runs no test: it counts as one that failed.
    failures += report.testResults.filter(
      (file) => file.status === "failed" && file.assertionResults.length === 0,
    ).length;
  }
  failed += status !== 0 && failures === 0 ? 1 : failures;
}
rmSync(reportDir, { recursive: true });
for (const name of failedChecks) process.stdout.write(`failed check: ${name}\n`);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(failed > 0 ? 1 : 0);

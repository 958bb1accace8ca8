#!/usr/bin/env node
// `npm test [-- VITEST ARGUMENTS]`: sets up what is missing, verifies, runs every test, ends with `N passed, N failed`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./setup/paths.mjs";
import { setup } from "./setup/setup.mjs";
import { checks, verify } from "./verify.mjs";

await setup();
const filters = process.argv.slice(2);
// With arguments a person looks at some tests only: they are not held up by the checks.
const checking = filters.length > 0 ? Promise.resolve([]) : verify({ yielding: true });
const checkCount = filters.length > 0 ? 0 : Object.keys(checks).length;

const reportDir = mkdtempSync(join(tmpdir(), "palimpsest-test-"));
const reportFile = join(reportDir, "report.json");
// The tests wait for leases and ends of processes now and then: the checks, which yield to them, take what they leave.
process.stdout.write(filters.length > 0 ? "Tests\n" : "Tests, and beside them checks\n");
const vitest = spawn(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...filters,
  ],
  { cwd: root, stdio: "inherit" },
);
const [[status], failedChecks] = await Promise.all([once(vitest, "exit"), checking]);
let passed = checkCount - failedChecks.length;
let failed = failedChecks.length;
let skipped = 0;
if (existsSync(reportFile)) {
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped = report.numPendingTests + report.numTodoTests;
  // A file that does not load runs no test: it counts as one that failed.
  failed += report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
}
rmSync(reportDir, { recursive: true });
if (status !== 0 && failed === 0) failed = 1;
for (const name of failedChecks) process.stdout.write(`failed check: ${name}\n`);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(failed > 0 ? 1 : 0);

#!/usr/bin/env node
// `npm run verify`: everything CI checks besides the tests. Exits 1 with the names of what failed.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { apiProblems } from "./api.mjs";
import { generateProtos } from "./generate-protos.mjs";
import { linkProblems } from "./links.mjs";
import { run } from "./setup/command.mjs";
import { root } from "./setup/paths.mjs";
import { wordProblems } from "./words.mjs";

// The checkers' output is read in logs.
process.env.NO_COLOR = "1";
const node = process.execPath;
const bin = (path) => join(root, "node_modules", path);

/** Two checks run at a time: a compiler of one thread takes two thirds of the processor time of one of several. */
const compile = (args) => run(node, [bin("typescript/bin/tsc"), ...args, "--singleThreaded"], { cwd: root });

async function architecture() {
  const report = JSON.parse(
    await run(
      node,
      [
        bin("dependency-cruiser/bin/dependency-cruise.mjs"),
        "--config",
        ".dependency-cruiser.cjs",
        "--output-type",
        "json",
        "packages",
      ],
      { cwd: root },
    ),
  );
  const { totalCruised, violations } = report.summary;
  // A cruiser that reads nothing finds nothing wrong: with an unsupported compiler it does just that.
  if (totalCruised < 50)
    throw new Error(`dependency-cruiser read only ${totalCruised} modules: check its configuration`);
  const errors = violations.filter((violation) => violation.rule.severity === "error");
  if (errors.length > 0)
    throw new Error(
      errors.map((violation) => `${violation.rule.name}: ${violation.from} → ${violation.to}`).join("\n"),
    );
}

/** A check that fails with the lines that it finds. */
const finding = (problemsOf) => async () => {
  const problems = problemsOf();
  if (problems.length > 0) throw new Error(problems.join("\n"));
};

/** Each check in the order in which a person would want to hear of it. */
export const checks = {
  "types (packages)": async () => {
    generateProtos();
    await compile(["-b"]);
  },
  "types (tests)": () => compile(["-p", "tsconfig.test.json"]),
  "format and lint": () =>
    run(node, [bin("@biomejs/biome/bin/biome"), "ci", "--colors=off", "."], { cwd: root }),
  "import direction": architecture,
  "words of the glossary": finding(wordProblems),
  "links of documents": finding(linkProblems),
  "unused code": () => run(node, [bin("knip/bin/knip.js")], { cwd: root }),
  "exports are those that were accepted": finding(apiProblems),
  "documents match the code": () => run(node, ["scripts/generate-docs.mjs", "--check"], { cwd: root }),
  "dashboards are what Grafana's types allow": () =>
    run(node, ["scripts/generate-grafana.mjs", "--check"], { cwd: root }),
};

/** The documents are made by the built packages; the types of the tests take as long as all that is left. */
const first = ["types (packages)", "types (tests)"];

async function passes(name) {
  const startedAt = performance.now();
  try {
    await checks[name]();
    process.stdout.write(`  ✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
    return true;
  } catch (error) {
    const log = (error.log ?? "").trimEnd().split("\n").slice(-60).join("\n");
    process.stdout.write(`  ✗ ${name}: ${error.message}\n${log}\n`);
    return false;
  }
}

/** Runs them all, two at a time where there are two cores; returns the names of those that failed. */
export async function verify() {
  const names = Object.keys(checks);
  const failed = new Set();
  const [packages, ...waiting] = [...first, ...names.filter((name) => !first.includes(name))];
  const check = async (name) => (await passes(name)) || failed.add(name);
  await check(packages);
  const next = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await check(name);
  };
  await Promise.all(availableParallelism() > 1 ? [next(), next()] : [next()]);
  return names.filter((name) => failed.has(name));
}

if (import.meta.filename === process.argv[1] || process.argv[1]?.endsWith("verify.mjs")) {
  if (!existsSync(bin("typescript"))) {
    process.stderr.write("packages are not installed: run `npm test` once, it sets up everything\n");
    process.exit(1);
  }
  process.stdout.write("Verify\n");
  if ((await verify()).length > 0) process.exit(1);
}

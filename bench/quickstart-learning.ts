/**
 * Tests whether the quickstart learns with every seed, and only from the reward. It is run through every real process
 * for several seeds and once with shuffled rewards; one table is printed, and the reports of the runs are written. A
 * run takes about 4 minutes on 2 cores. Needs built code: npm run build.
 * Usage: npx tsx bench/quickstart-learning.ts [--seeds 1,2,3] [--control 1] [--steps N] [--json FILE]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunReport } from "@palimpsest/trainer";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({ seeds: "1,2,3", control: "1", steps: undefined, json: undefined });

const command = fileURLToPath(new URL("../packages/apps/cli/bin/palimpsest.js", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-learning-"));

function quickstart(seed: string, more: readonly string[]): RunReport {
  const file = join(scratch, "report.json");
  const steps = flags.steps === undefined ? [] : ["--steps", flags.steps];
  const args = [
    "quickstart",
    "--seed",
    seed,
    "--run-dir",
    join(scratch, `${seed}${more.join("")}`),
    "--report",
    file,
  ];
  execFileSync(process.execPath, [command, ...args, ...steps, ...more], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return JSON.parse(readFileSync(file, "utf8")) as RunReport;
}

const percent = (share: number | null | undefined) => (share == null ? "–" : `${(share * 100).toFixed(1)} %`);
const reports: RunReport[] = [];
try {
  for (const seed of flags.seeds.split(",")) reports.push(quickstart(seed, []));
  if (flags.control !== "") reports.push(quickstart(flags.control, ["--shuffle-rewards"]));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.table(
  reports.map((report) => ({
    seed: report.seed,
    rewards: report.shuffleRewards ? "shuffled" : "true",
    before: percent(report.exactMatchBefore),
    after: percent(report.exactMatchAfter),
    "16x": percent(report.exactMatchByLength.at(-1)?.after),
    "16x of 1x": percent(report.exactMatchByLength.at(-1)?.share),
    "training s": Math.round(report.secondsByPhase["training"] ?? 0),
    "groups dispatched / trained / failed": `${report.groupsDispatched} / ${report.groupsTrained} / ${report.groupsFailed}`,
  })),
);
if (flags.json !== undefined) {
  // Process ids and paths belong to this machine and say nothing about learning.
  const runs = reports.map(({ processes: _p, files: _f, checkpoint: _c, model: _m, ...report }) => report);
  const machine = { cpus: cpus().length, cpu: cpus()[0]?.model ?? "", node: process.version };
  writeResult(flags.json, { machine, runs });
}

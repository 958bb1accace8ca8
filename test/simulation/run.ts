/**
 * Runs the simulator from the command line:
 *   run.ts --hours 10000 --processes 2 [--first 1]   many seeds; the result also as JSON in bench/results
 *   run.ts --bugs [--seeds 1000] [--first 1]         each planted bug until a seed finds it
 *   run.ts --seed 38 [--long] [--story]              one seed again, with the story of its events
 *   run.ts --seed 1 --values [--story]               the same with values, as every eighth seed of many has them
 *   run.ts --seed 1 --kinds [--story]                the same with durable and light actors and meshes: another eighth
 *   run.ts --seed 1 --shares [--story]               the same with quotas and scopes: a further eighth
 *   run.ts --versions --seeds 10000 [--first 1]      many seeds in which machines get other versions of the software
 *   run.ts --seed 1 --versions [--story]             one of them
 *   run.ts --shares --values --seeds 1000 [--first 1]  many short seeds with quotas of objects
 *   run.ts --training --seed 5 [--story]             the same, of a training run; every fourth seed of many is one too
 * To be run with --conditions=@palimpsest/source.
 */
import { fork } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeResult } from "../../bench/result-file.js";
import { searchPlantedBugs } from "./bug-search.js";
import { searchRunBugs } from "./training/run-bug-search.js";
import { simulateRun } from "./training/simulate-run.js";
import {
  idleCluster,
  kindsOf,
  settingsOf,
  sharesAndValuesOf,
  sharesOf,
  valuesOf,
  versionsOf,
  type WorldSettings,
} from "./world/settings.js";
import { simulate } from "./world/world.js";

interface Share {
  seeds: number;
  hours: number;
  events: number;
  /** Processor time, user and system. */
  cpuSeconds: number;
  readonly counts: Record<string, number>;
  readonly violations: { readonly seed: number; readonly text: string; readonly hash: number }[];
}

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "10" },
    processes: { type: "string", default: "1" },
    first: { type: "string", default: "1" },
    step: { type: "string", default: "1" },
    seed: { type: "string" },
    seeds: { type: "string", default: "1000" },
    training: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    values: { type: "boolean", default: false },
    kinds: { type: "boolean", default: false },
    shares: { type: "boolean", default: false },
    versions: { type: "boolean", default: false },
    story: { type: "boolean", default: false },
    bugs: { type: "boolean", default: false },
  },
});

/** One of every eight runs has values, one has actors of every kind, and one quotas and scopes. */
function settingsOfMany(run: number, seed: number): WorldSettings {
  if (run % 8 === 4) return valuesOf(seed);
  if (run % 8 === 2) return sharesOf(seed);
  return run % 8 === 6 ? kindsOf(seed) : settingsOf(seed, true);
}

function settingsOfOne(seed: number): WorldSettings {
  if (values.versions) return versionsOf(seed);
  if (values.values) return values.shares ? sharesAndValuesOf(seed) : valuesOf(seed);
  return settingsOf(seed, values.long);
}

/** Runs every step-th seed from the first until the hours are simulated. */
async function runShare(hours: number, first: number, step: number): Promise<Share> {
  const share: Share = { seeds: 0, hours: 0, events: 0, cpuSeconds: 0, counts: {}, violations: [] };
  for (let seed = first; share.hours < hours; seed += step) {
    const result =
      share.seeds % 4 === 3
        ? await simulateRun(seed)
        : await simulate(seed, {
            settings: settingsOfMany(share.seeds, seed),
          });
    share.seeds++;
    share.hours += result.simulatedMs / 3_600_000;
    share.events += result.events;
    for (const [name, count] of Object.entries(result.counts)) {
      share.counts[name] = (share.counts[name] ?? 0) + count;
    }
    if (result.violation) {
      share.violations.push({ seed, text: result.violation.message, hash: result.hash });
      process.stderr.write(`seed ${seed}: ${result.violation.message}\n`);
    }
  }
  const { user, system } = process.cpuUsage();
  share.cpuSeconds = (user + system) / 1e6;
  return share;
}

/** Runs every step-th seed with these settings. */
async function runSeeds(
  what: string,
  settingsOfSeed: (seed: number) => WorldSettings,
  seeds: number,
  first: number,
  step: number,
): Promise<void> {
  const startedAt = performance.now();
  const counts: Record<string, number> = {};
  let violations = 0;
  for (let seed = first; seed < first + seeds * step; seed += step) {
    const result = await simulate(seed, { settings: settingsOfSeed(seed) });
    for (const [name, count] of Object.entries(result.counts)) counts[name] = (counts[name] ?? 0) + count;
    if (seed % 100 === 0) process.stderr.write(`${seed}, ${violations} violations so far\n`);
    if (result.violation === undefined) continue;
    violations++;
    process.stderr.write(`seed ${seed}: ${result.violation.message}\n`);
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  process.stdout.write(
    `${seeds} seeds with ${what} in ${minutes} min, ${JSON.stringify(counts)}; ${violations} violations\n`,
  );
  process.exitCode = violations > 0 ? 1 : 0;
}

function forkShare(hours: number, first: number, step: number): Promise<Share> {
  const args = ["--hours", String(hours), "--first", String(first), "--step", String(step)];
  // Most of what a run allocates becomes garbage at once, and a larger young generation copies less of it.
  const execArgv = [...process.execArgv, "--max-semi-space-size=32"];
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv });
  return new Promise((resolve, reject) => {
    child.once("message", (share) => resolve(share as Share));
    child.once("exit", (code) => reject(new Error(`a process of the simulation ended with code ${code}`)));
  });
}

async function runMany(hours: number, processes: number, first: number): Promise<void> {
  const startedAt = performance.now();
  const shares = await Promise.all(
    Array.from({ length: processes }, (_, index) => forkShare(hours / processes, first + index, processes)),
  );
  const sum = (pick: (share: Share) => number) => shares.reduce((total, share) => total + pick(share), 0);
  const counts: Record<string, number> = {};
  for (const share of shares) {
    for (const [name, count] of Object.entries(share.counts)) counts[name] = (counts[name] ?? 0) + count;
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  const result = {
    measured: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    processes,
    settings: idleCluster,
    seeds: sum((share) => share.seeds),
    clusterHours: Math.round(sum((share) => share.hours)),
    minutes: Number(minutes.toFixed(2)),
    clusterHoursPerCpuMinute: Number(
      (sum((share) => share.hours) / (sum((share) => share.cpuSeconds) / 60)).toFixed(1),
    ),
    events: sum((share) => share.events),
    counts,
    violations: shares.flatMap((share) => share.violations),
  };
  const path = fileURLToPath(new URL("../../bench/results/simulation.json", import.meta.url));
  writeResult(path, result);
  process.stdout.write(
    `${result.clusterHours} cluster-hours of ${result.seeds} seeds in ${result.minutes} min by ${processes} processes ` +
      `(${result.clusterHoursPerCpuMinute} per CPU-minute), ${result.events} events, ${JSON.stringify(counts)}; ` +
      `${result.violations.length} violations\n`,
  );
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}

if (values.seed !== undefined) {
  const seed = Number(values.seed);
  const settings = {
    ...settingsOfOne(seed),
    kinds: values.kinds,
    shares: values.shares,
  };
  const result = values.training
    ? await simulateRun(Number(values.seed), { keepStory: values.story })
    : await simulate(Number(values.seed), { settings, keepStory: values.story });
  const end = result.violation?.message ?? "no violation";
  process.stdout.write(
    `${result.story.join("\n")}\nseed ${values.seed}: ${end}; hash ${result.hash}, ${result.events} events, ${JSON.stringify(result.counts)}\n`,
  );
} else if (values.bugs) {
  for await (const row of searchPlantedBugs(Number(values.seeds), Number(values.first) - 1))
    process.stdout.write(`${row}\n`);
  for await (const row of searchRunBugs(Number(values.seeds))) process.stdout.write(`${row}\n`);
} else if (values.versions) {
  await runSeeds(
    "several versions",
    versionsOf,
    Number(values.seeds),
    Number(values.first),
    Number(values.step),
  );
} else if (values.shares && values.values) {
  await runSeeds(
    "quotas of objects",
    sharesAndValuesOf,
    Number(values.seeds),
    Number(values.first),
    Number(values.step),
  );
} else if (process.send !== undefined) {
  process.send(await runShare(Number(values.hours), Number(values.first), Number(values.step)));
  process.disconnect();
} else {
  await runMany(Number(values.hours), Number(values.processes), Number(values.first));
}

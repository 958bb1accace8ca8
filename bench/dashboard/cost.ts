/**
 * What it costs a training run to be watched: all pages of metrics scraped every 5 s, as Prometheus does, and a dashboard that is open
 * on the cluster, its events, the timeline and the curves, which asks as often as the pages do. In one live run windows of some
 * steps with and without it take turns; pairs of neighbors are compared. The machine may be shared, so CPU time of the run's
 * processes stands beside wall time. The policy does not change (its learning rate is 1e-12), so every step is the same work.
 * Asking 20 times as often as in life (`--times`) lifts the cost above the noise of two busy cores; what is told is the change over
 * `times`, since scrapes and questions cost the same each. What processes note of themselves cannot be switched off: its cost is
 * the processor time of an idle process with and without it.
 * Needs built code. Usage:
 *   npx tsx --conditions=@palimpsest/source bench/dashboard/cost.ts [--pairs 16] [--steps 4] [--times 20] [--json FILE]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createMetrics } from "@palimpsest/telemetry";
import { writeRecipe } from "../../test/support/recipe.js";
import { TestCluster } from "../../test/support/test-cluster.js";
import { TrainingRun } from "../../test/support/training-run.js";
import { medianOf, medianRange } from "./paired.js";
import { Watcher } from "./watcher.js";

const { values: flags } = parseArgs({
  options: {
    pairs: { type: "string", default: "16" },
    steps: { type: "string", default: "4" },
    times: { type: "string", default: "20" },
    json: { type: "string" },
  },
});
const [pairs, stepsOfWindow, times] = [Number(flags.pairs), Number(flags.steps), Number(flags.times)];
/** Before the first window: compilation, first use of everything. */
const warmSteps = 4;

/** Processor time of a process and all of its threads, in seconds; the kernel counts it in hundredths. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A window's figures; each is per unit of work, or a rate. */
interface Window {
  readonly samplerTokensPerSecond: number;
  readonly learnerTokensPerSecond: number;
  readonly stepSeconds: number;
  readonly samplerCpuPerStep: number;
  readonly learnerCpuPerStep: number;
  readonly allCpuPerStep: number;
}

/** Time of one observation in a histogram with labels, as calls and episodes make them. */
function observationNs(): number {
  const histogram = createMetrics({ component: "bench", processMetrics: false }).histogram(
    "palimpsest_queue_job_seconds",
  );
  const count = 200_000;
  const startedAt = process.hrtime.bigint();
  for (let at = 0; at < count; at++) histogram.observe({ kind: "rollout", outcome: "ok" }, at % 7);
  return Number(process.hrtime.bigint() - startedAt) / count;
}

/** Processor time per second of a process that does nothing, in percent: with what every process tells of itself, and without. */
async function idlePercent(): Promise<{ readonly without: number; readonly withMetrics: number }> {
  const idleMs = 5_000;
  const measure = async () => {
    const before = process.cpuUsage();
    await delay(idleMs);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / idleMs / 10;
  };
  const without = await measure();
  createMetrics({ component: "idle" });
  return { without, withMetrics: await measure() };
}

const idle = await idlePercent();
const cluster = await TestCluster.start({ workers: 1, headFlags: ["--runs", "$DIR"] });
const folder = await cluster.recipeFolder("cost");
const recipe = writeRecipe(folder, {
  steps: 1_000_000,
  groupsPerStep: 64,
  learner: { schedule: { learningRate: 1e-12 } },
});
const run = TrainingRun.start(cluster, recipe, join(cluster.dir, "run"));
const watcher = await Watcher.of(cluster, times);
try {
  await run.untilStep(warmSteps);
  const [info, actors, nodes] = [
    await cluster.client.info(),
    await cluster.client.actors(),
    await cluster.client.nodes(),
  ];
  const pidsOf = (role: string) => actors.filter((actor) => actor.role === role).map(({ pid }) => pid);
  const samplers = pidsOf("rollout");
  const learners = pidsOf("learner");
  const service = [info.pid, info.redisPid, ...nodes.map(({ pid }) => pid)];
  const every = [...actors.map(({ pid }) => pid), ...service, run.driver.pid];
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + cpuSeconds(pid), 0);

  async function window(isWatched: boolean): Promise<Window> {
    const first = run.steps.length;
    // A step that has begun before the watching is in no window.
    if (isWatched) watcher.start();
    await run.untilStep(first + 1);
    const before = {
      at: performance.now(),
      samplers: sum(samplers),
      learners: sum(learners),
      all: sum(every),
    };
    await run.untilStep(first + 1 + stepsOfWindow);
    const after = {
      at: performance.now(),
      samplers: sum(samplers),
      learners: sum(learners),
      all: sum(every),
    };
    await watcher.stop();
    const steps = run.steps.slice(first + 1, first + 1 + stepsOfWindow);
    const done = run.steps.length - first - 1;
    return {
      samplerTokensPerSecond: medianOf(steps.map((step) => step.samplerTokensPerSecond)),
      learnerTokensPerSecond: medianOf(steps.map((step) => step.learnerTokensPerSecond)),
      stepSeconds: (after.at - before.at) / 1_000 / done,
      samplerCpuPerStep: (after.samplers - before.samplers) / done,
      learnerCpuPerStep: (after.learners - before.learners) / done,
      allCpuPerStep: (after.all - before.all) / done,
    };
  }

  const watched: Window[] = [];
  const alone: Window[] = [];
  for (let pair = 0; pair < pairs; pair++)
    // Each goes first in every other pair, so that a drift meets both.
    for (const isWatched of pair % 2 === 0 ? [false, true] : [true, false])
      (isWatched ? watched : alone).push(await window(isWatched));

  const figures = Object.keys(watched[0] ?? {}) as (keyof Window)[];
  const rows = figures.map((figure) => {
    const without = alone.map((one) => one[figure]);
    const change = watched.map((one, at) => ((one[figure] / (without[at] ?? Number.NaN) - 1) * 100) / times);
    const [low, high] = medianRange(change);
    const round = (value: number) => Number(value.toPrecision(4));
    return {
      ...{
        figure,
        alone: round(medianOf(without)),
        watched: round(medianOf(watched.map((one) => one[figure]))),
      },
      ...{ changePercent: round(medianOf(change)), lowPercent: round(low), highPercent: round(high) },
    };
  });
  const machine = { cpus: cpus().length, cpu: cpus()[0]?.model ?? "", loadAverage: loadavg()[0] ?? 0 };
  const asked = { scrapes: watcher.scrapes, scrapedBytes: watcher.scrapedBytes, requests: watcher.requests };
  const recording = { idlePercent: idle, nsPerObservation: Math.round(observationNs()) };
  console.table(rows);
  const result = { machine, pairs, stepsOfWindow, times, asked, recording, rows };
  console.log(JSON.stringify({ machine, asked, recording }));
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await watcher.stop();
  run.driver.kill("SIGTERM");
  await run.end();
  await cluster.stop();
}

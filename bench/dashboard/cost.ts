/**
 * Measures what observation costs a training run: all pages of metrics are scraped every 5 s, as Prometheus does, while
 * an open dashboard polls the cluster, its events, the timeline and the curves as often as its pages do. Within one
 * live run, windows of some steps with and without observation alternate, and neighboring windows are compared as
 * pairs. The criterion is processor time per token of the sampler and of the learner; wall time, printed beside it,
 * also includes what the polling program and others take of the cores. The policy does not change (its learning rate is
 * 1e-12), so every step is the same work. Polling more often than in practice (`--times`) lifts the cost above the
 * noise. The reported figure is the change divided by the factor that was actually reached, since each scrape and
 * request costs the same and a busy cluster answers them later. Pairs are measured for `--minutes`: more pairs give
 * narrower ranges. What processes record about themselves cannot be switched off; its cost is the processor time of an
 * idle process with and without it. Needs built code. Usage:
 *   npx tsx --conditions=@palimpsest/source bench/dashboard/cost.ts [--minutes 8] [--steps 3] [--times 40] [--json
 *     FILE]
 */
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createMetrics } from "@palimpsest/telemetry";
import { writeRecipe } from "../../test/support/recipe.js";
import { TestCluster } from "../../test/support/test-cluster.js";
import { TrainingRun } from "../../test/support/training-run.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { medianOf, medianRange } from "./paired.js";
import { Watcher } from "./watcher.js";

const flags = benchFlags({ minutes: "8", steps: "3", times: "40", json: undefined });
const [minutes, stepsOfWindow, times] = [Number(flags.minutes), Number(flags.steps), Number(flags.times)];
/** With fewer pairs there is no range of 95 % confidence. */
const leastPairs = 6;
/** Steps before the first window: they include compilation and the first use of everything. */
const warmSteps = 4;

/** Processor time of a process and all of its threads, in seconds. The kernel counts it in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The figures of one window; each is per unit of work, or a rate. */
interface Window {
  readonly samplerTokensPerSecond: number;
  readonly learnerTokensPerSecond: number;
  readonly stepSeconds: number;
  readonly samplerCpuPerToken: number;
  readonly learnerCpuPerToken: number;
  readonly allCpuPerStep: number;
}

/** Time of one observation in a histogram with labels, as calls and episodes make it, in nanoseconds. */
function observationNs(): number {
  const histogram = createMetrics({ component: "bench", processMetrics: false }).histogram(
    "palimpsest_queue_job_seconds",
  );
  const count = 200_000;
  const startedAt = process.hrtime.bigint();
  for (let at = 0; at < count; at++) histogram.observe({ kind: "rollout", outcome: "ok" }, at % 7);
  return Number(process.hrtime.bigint() - startedAt) / count;
}

/**
 * Processor time per second of an idle process, in percent: with the metrics that every process records about itself,
 * and without.
 */
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

const round1 = (value: number) => Math.round(value * 10) / 10;
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
    // A step that began before the watcher started belongs to no window.
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
    const sampled = run.steps
      .slice(first + 1)
      .reduce((sum, step) => sum + step.samplerTokensPerSecond * step.rolloutSeconds, 0);
    const trained = run.steps
      .slice(first + 1)
      .reduce((sum, step) => sum + step.learnerTokensPerSecond * step.updateSeconds, 0);
    return {
      samplerTokensPerSecond: medianOf(steps.map((step) => step.samplerTokensPerSecond)),
      learnerTokensPerSecond: medianOf(steps.map((step) => step.learnerTokensPerSecond)),
      stepSeconds: (after.at - before.at) / 1_000 / done,
      samplerCpuPerToken: (after.samplers - before.samplers) / sampled,
      learnerCpuPerToken: (after.learners - before.learners) / trained,
      allCpuPerStep: (after.all - before.all) / done,
    };
  }

  const watched: Window[] = [];
  const alone: Window[] = [];
  const untilMs = performance.now() + minutes * 60_000;
  let pairs = 0;
  for (; pairs < leastPairs || performance.now() < untilMs; pairs++)
    // Each variant goes first in every other pair, so that a drift of the machine affects both.
    for (const isWatched of pairs % 2 === 0 ? [false, true] : [true, false])
      (isWatched ? watched : alone).push(await window(isWatched));

  const asMuch = watcher.timesInTruth;
  const figures = Object.keys(watched[0] ?? {}) as (keyof Window)[];
  const rows = figures.map((figure) => {
    const without = alone.map((one) => one[figure]);
    const change = watched.map((one, at) => ((one[figure] / (without[at] ?? Number.NaN) - 1) * 100) / asMuch);
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
  const result = {
    machine,
    pairs,
    stepsOfWindow,
    times,
    timesInTruth: round1(asMuch),
    asked,
    recording,
    rows,
  };
  console.log(JSON.stringify({ machine, pairs, timesInTruth: round1(asMuch), asked, recording }));
  if (flags.json !== undefined) writeResult(flags.json, result);
} finally {
  await watcher.stop();
  run.driver.kill("SIGTERM");
  await run.end();
  await cluster.stop();
}

/**
 * Measures what it costs that processes report the outcomes of calls and tasks: a cluster has two nodes, one of them
 * started with --no-task-events, and windows of the same calls and tasks alternate between them. Rates per second vary
 * with whatever else the machine does. The processor time that the node and its processes take per call varies less,
 * and its increase bounds the loss of throughput. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/task-events.ts [--windows 9] [--json FILE] [--note TEXT]
 */
import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { TestCluster } from "../../test/support/test-cluster.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { Echo, echo } from "./echo.js";
import { rateIn } from "./window.js";

const flags = benchFlags({ windows: "9", json: undefined, note: "" });
const windowMs = 2_000;
const inFlight = 1_000;
const source = { from: new URL("./echo.ts", import.meta.url) };

const loadBefore = loadavg();
const cluster = await TestCluster.start({ workers: 0 });
const rows = [];
try {
  const pids = {
    on: (await cluster.startWorker(["--labels", "events=on"])).pid,
    off: (await cluster.startWorker(["--labels", "events=off", "--no-task-events"])).pid,
  };
  const { client } = cluster;
  const on = { labels: { events: "on" } };
  const off = { labels: { events: "off" } };
  const actors = client.actor(Echo, source);
  const [telling, silent] = await Promise.all([actors.options(on).spawn(), actors.options(off).spawn()]);
  const task = client.task(echo, source, { resources: { cpu: 1 } });
  const cases = [
    {
      name: "1:1 calls, 1,000 in flight",
      on: () => burst((value) => telling.echo(value)),
      off: () => burst((value) => silent.echo(value)),
    },
    {
      name: "tasks, 1,000 in flight",
      on: () => burst(task.options(on)),
      off: () => burst(task.options(off)),
    },
  ];
  for (const one of cases) {
    const rates = { on: [] as number[], off: [] as number[] };
    const cpu = { on: [] as number[], off: [] as number[] };
    // The first pair is the warm-up.
    for (let pair = 0; pair <= Number(flags.windows); pair++) {
      for (const side of pair % 2 === 0 ? (["on", "off"] as const) : (["off", "on"] as const)) {
        // A worker that was given back in the meantime is replaced by another one.
        await one[side]();
        let count = 0;
        const beforeMs = cpuMs(pids[side]);
        const rate = await rateIn(windowMs, async () => {
          const done = await one[side]();
          count += done;
          return done;
        });
        const usedUs = ((cpuMs(pids[side]) - beforeMs) * 1_000) / count;
        if (pair === 0) continue;
        rates[side].push(rate);
        cpu[side].push(usedUs);
      }
    }
    const ratio = median(cpu.on.map((used, index) => used / (cpu.off[index] ?? used)));
    rows.push({
      name: one.name,
      withEvents: Math.round(median(rates.on)),
      withoutEvents: Math.round(median(rates.off)),
      cpuUsWith: Math.round(median(cpu.on) * 10) / 10,
      cpuUsWithout: Math.round(median(cpu.off) * 10) / 10,
      cpuMorePercent: Math.round((ratio - 1) * 1_000) / 10,
    });
  }
} finally {
  await cluster.stop();
}
console.table(rows);
if (flags.json !== undefined) {
  const machine = { cpus: cpus().length, node: process.version, loadAverage: [loadBefore, loadavg()] };
  const report = { windows: Number(flags.windows), ...machine, note: flags.note, rows };
  writeResult(flags.json, report);
}

async function burst(call: (value: string) => PromiseLike<string>): Promise<number> {
  await Promise.all(Array.from({ length: inFlight }, () => call("ok")));
  return inFlight;
}

/** Processor time in milliseconds of a node, of its running processes and of those that have ended. */
function cpuMs(pid: number): number {
  const tickMs = 10;
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "utf8");
        const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
        const ticks = (index: number) => Number(fields[index]);
        return [
          { pid: Number(name), parent: ticks(1), own: ticks(11) + ticks(12), ended: ticks(13) + ticks(14) },
        ];
      } catch {
        // The process has ended.
        return [];
      }
    });
  const used = stats.filter((stat) => stat.pid === pid || stat.parent === pid);
  return used.reduce((sum, { own, ended }) => sum + own + ended, 0) * tickMs;
}

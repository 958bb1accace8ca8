/**
 * Measures the runtime as a program uses it: a head, a worker and a driver, each in its own process. With --against
 * CHECKOUT another built checkout alternates with this one (runtime/ray.ts compares with Ray). Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime.ts [--cases actors,tasks] [--rounds 5] [--against CHECKOUT] [--json FILE]
 */
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { Cluster } from "../packages/runtime/client/src/index.js";
import { median } from "./contender.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";
import { measureActors } from "./runtime/actors.js";
import { startCluster } from "./runtime/cluster.js";
import { measureTasks } from "./runtime/tasks.js";

type Figures = Readonly<Record<string, number>>;

const measures: Readonly<Record<string, (cluster: Cluster) => Promise<Figures>>> = {
  actors: async (cluster) => ({ ...(await measureActors(cluster)) }),
  tasks: async (cluster) => ({ ...(await measureTasks(cluster)) }),
};

const values = benchFlags({
  cases: Object.keys(measures).join(","),
  rounds: "5",
  against: undefined,
  json: undefined,
});
const here = fileURLToPath(new URL("..", import.meta.url));
const roots = values.against === undefined ? [here] : [here, values.against];
const cases = values.cases.split(",");
const cpuCount = 2;

const figures: Figures[][] = roots.map(() => []);
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [index, root] of roots.entries()) {
    const { client, stop } = await startCluster(root, cpuCount);
    const measured: Record<string, number> = {};
    for (const name of cases) Object.assign(measured, await measures[name]?.(client));
    figures[index]?.push(measured);
    await stop();
  }
}

const rounded = (value: number) => Math.round(value * 10) / 10;
const medianOf = (rounds: readonly Figures[] | undefined, name: string) =>
  rounds && rounds.length > 0 ? rounded(median(rounds.map((round) => round[name] ?? Number.NaN))) : undefined;
const rows = Object.keys(figures[0]?.[0] ?? {}).map((name) => {
  const against = medianOf(figures[1], name);
  return {
    name,
    median: medianOf(figures[0], name),
    ...(against === undefined ? {} : { against }),
  };
});
console.table(rows);
if (values.json) {
  const report = { rows, rounds: figures, cpus: cpus().length, node: process.version };
  writeResult(values.json, report);
}

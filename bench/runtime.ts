/**
 * The runtime, as a program uses it: a head, a worker and a driver, each a process. With --against CHECKOUT another built
 * checkout is measured in turns with this one.
 *
 * Usage: npx tsx bench/runtime.ts [--cases actors,tasks] [--rounds 5] [--against CHECKOUT] [--json FILE]
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Cluster } from "../packages/client/src/index.js";
import { median } from "./contender.js";
import { measureActors } from "./runtime/actors.js";
import { startCluster } from "./runtime/cluster.js";
import { measureTasks } from "./runtime/tasks.js";

type Figures = Readonly<Record<string, number>>;

const measures: Readonly<Record<string, (cluster: Cluster) => Promise<Figures>>> = {
  actors: async (cluster) => ({ ...(await measureActors(cluster)) }),
  tasks: async (cluster) => ({ ...(await measureTasks(cluster)) }),
};

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: Object.keys(measures).join(",") },
    rounds: { type: "string", default: "5" },
    against: { type: "string" },
    json: { type: "string" },
  },
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
const rows = Object.keys(figures[0]?.[0] ?? {}).map((name) => {
  const [ours = 0, theirs] = figures.map((rounds) =>
    median(rounds.map((round) => round[name] ?? Number.NaN)),
  );
  return { name, median: rounded(ours), ...(theirs === undefined ? {} : { against: rounded(theirs) }) };
});
console.table(rows);
if (values.json) {
  const report = { rows, rounds: figures, cpus: cpus().length, node: process.version };
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

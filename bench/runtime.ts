/**
 * Measures the runtime as a program uses it: a head, a worker and a driver, each in its own process. With --against
 * CHECKOUT another built checkout alternates with this one. Ray is measured as well when a Python with ray is available
 * (PALIMPSEST_RAY_PYTHON, default python3). Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime.ts [--cases actors,tasks] [--rounds 5] [--against CHECKOUT] [--json FILE]
 */
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Cluster } from "../packages/runtime/client/src/index.js";
import { Contender, median } from "./contender.js";
import { writeResult } from "./result-file.js";
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

const python = process.env["PALIMPSEST_RAY_PYTHON"] ?? "python3";
const rayProgram = fileURLToPath(new URL("./runtime/ray_runtime.py", import.meta.url));

/** Returns Ray's figures of one round, or undefined when Ray is not available. */
async function measureRay(): Promise<Figures | undefined> {
  const ray = new Contender("ray", python, [rayProgram]);
  const measured: Record<string, number> = {};
  for (const name of cases) {
    const answer = await ray.ask({ name });
    if (answer === undefined) return undefined;
    Object.assign(measured, answer);
  }
  await ray.close();
  return measured;
}

const figures: Figures[][] = roots.map(() => []);
const rayFigures: Figures[] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [index, root] of roots.entries()) {
    const { client, stop } = await startCluster(root, cpuCount);
    const measured: Record<string, number> = {};
    for (const name of cases) Object.assign(measured, await measures[name]?.(client));
    figures[index]?.push(measured);
    await stop();
  }
  const measured = await measureRay();
  if (measured) rayFigures.push(measured);
}

const rounded = (value: number) => Math.round(value * 10) / 10;
const medianOf = (rounds: readonly Figures[] | undefined, name: string) =>
  rounds && rounds.length > 0 ? rounded(median(rounds.map((round) => round[name] ?? Number.NaN))) : undefined;
const rows = Object.keys(figures[0]?.[0] ?? {}).map((name) => {
  const [against, ray] = [medianOf(figures[1], name), medianOf(rayFigures, name)];
  return {
    name,
    median: medianOf(figures[0], name),
    ...(against === undefined ? {} : { against }),
    ...(ray === undefined ? {} : { ray }),
  };
});
console.table(rows);
if (rayFigures.length === 0) console.log("Ray is not beside it: no Python with ray is there");
if (values.json) {
  const report = { rows, rounds: figures, ray: rayFigures, cpus: cpus().length, node: process.version };
  writeResult(values.json, report);
}

/**
 * Compares the runtime with Ray: each window of ours is followed by one of Ray's, and the table has their medians and
 * the ratio of these. Without a Python that has ray and numpy (PALIMPSEST_RAY_PYTHON, default python3) only ours is
 * measured. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * While one system is measured the other rests and may prepare processes for the next window, for about as long as a
 * window takes; the rows "without rest" use up what was prepared before each window.
 *
 * Usage: npx tsx bench/runtime/ray.ts [--windows 5] [--rows TEXT] [--json FILE] [--note TEXT] [--store FOLDER]; --rows
 *   measures those whose names contain the text; --store is the folder of both systems' object stores
 */
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { TestCluster } from "../../test/support/test-cluster.js";
import { Contender, median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { Echo } from "./echo.js";
import { rayCases } from "./ray-cases.js";
import { rateIn } from "./window.js";

const flags = benchFlags({ windows: "5", rows: "", json: undefined, note: "", store: undefined });
const windowMs = 1_000;

/** Milliseconds of `head start`, `worker join`, connecting and an actor's first answer. */
async function startUp(): Promise<{ readonly cluster: TestCluster; readonly firstCallMs: number }> {
  const beganMs = performance.now();
  // As many warm processes as a worker has unless it is told otherwise; those of tests have none.
  const warm = String(Math.min(4, cpus().length));
  const store = flags.store === undefined ? [] : ["--object-store-dir", flags.store];
  const cluster = await TestCluster.start({ workerFlags: ["--warm-processes", warm, ...store] });
  const source = { from: new URL("./echo.ts", import.meta.url) };
  const actor = await cluster.client.actor(Echo, source).spawn();
  await actor.echo("ok");
  return { cluster, firstCallMs: performance.now() - beganMs };
}

const loadBefore = loadavg();
const { cluster, firstCallMs } = await startUp();
const python = process.env["PALIMPSEST_RAY_PYTHON"] ?? "python3";
const ray = new Contender("ray", python, [
  fileURLToPath(new URL("./ray_cases.py", import.meta.url)),
  ...(flags.store === undefined ? [] : [flags.store]),
]);
const rows = [];
let version: string | undefined;
try {
  const started = (await ray.ask({ name: "version" })) as
    | { readonly version: string; readonly firstCallMs: number }
    | undefined;
  version = started?.version;
  const seconds = { ours: firstCallMs / 1_000, ray: started ? started.firstCallMs / 1_000 : undefined };
  rows.push({
    name: "start to first call",
    unit: "s",
    palimpsest: round(seconds.ours),
    ...(seconds.ray === undefined
      ? {}
      : { ray: round(seconds.ray), timesFaster: round(seconds.ray / seconds.ours) }),
  });
  const cases = await rayCases(cluster.client);
  for (const { name, unit, drainMs, once } of cases.filter(({ name }) => name.includes(flags.rows))) {
    const ours: number[] = [];
    const theirs: number[] = [];
    // The first window of each system is its warm-up.
    for (let done = 0; done <= Number(flags.windows); done++) {
      if (drainMs !== undefined) await rateIn(drainMs, once);
      const our = await rateIn(windowMs, once);
      const answer =
        version === undefined
          ? undefined
          : ((await ray.ask({ name, windowMs, ...(drainMs === undefined ? {} : { drainMs }) })) as
              | { rate: number }
              | undefined);
      if (done === 0) continue;
      ours.push(our);
      if (answer) theirs.push(answer.rate);
    }
    const scale = unit === "GB/s" ? 1e9 : 1;
    const our = median(ours) / scale;
    const their = theirs.length > 0 ? median(theirs) / scale : undefined;
    const beside = their === undefined ? {} : { ray: round(their), timesFaster: round(our / their) };
    rows.push({ name, unit, palimpsest: round(our), ...beside });
  }
} finally {
  await ray.close();
  await cluster.stop();
}
console.table(rows);
if (flags.json !== undefined) {
  const machine = { cpus: cpus().length, node: process.version, loadAverage: [loadBefore, loadavg()] };
  const report = { ray: version, windows: Number(flags.windows), ...machine, note: flags.note, rows };
  writeResult(flags.json, report);
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}

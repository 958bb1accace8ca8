/**
 * Measures the quickstart's figures on this machine: tokens per second of sampler and learner (traced, eager and on
 * wasm), and the time from `head start` to the first answer of an actor. The cases alternate, so that a drift of the
 * machine's speed affects all of them; medians are printed. Needs built code: npm run build.
 * Usage: npx tsx --conditions=@palimpsest/source bench/quickstart.ts [--rounds 3] [--seconds 3] [--json FILE]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestCluster } from "../test/support/test-cluster.js";
import { WordCounter } from "../test/support/word-counter.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({ rounds: "3", seconds: "3", json: undefined });

const root = fileURLToPath(new URL("..", import.meta.url));
const model = join(root, "recipes/bases/quickstart");
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
const cases = ["tensorflow:graph", "tensorflow:eager", "wasm:eager"];

/** Runs another bench in a separate process and reads the JSON that it writes. */
function bench(file: string, args: readonly string[]): unknown {
  const json = join(scratch, "figures.json");
  const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
  const all = [tsx, "--conditions=@palimpsest/source", join(root, "bench", file), ...args, "--json", json];
  execFileSync(process.execPath, [...all, "--seconds", flags.seconds, "--model", model], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return JSON.parse(readFileSync(json, "utf8"));
}

const found = new Map<string, number[]>();
function note(name: string, value: number): void {
  found.set(name, [...(found.get(name) ?? []), value]);
}

interface SamplerFigures {
  readonly rows: readonly {
    readonly batch: number;
    readonly sampledPerSecond: number;
    readonly promptPerSecond: number;
  }[];
}
interface LearnerFigures {
  readonly results: readonly {
    readonly updateTokensPerSecond: number;
    readonly updateWithKlTokensPerSecond: number;
  }[];
}

async function firstCallSeconds(): Promise<number> {
  const startedAt = performance.now();
  const cluster = await TestCluster.start();
  try {
    const source = { from: new URL("../test/support/word-counter.ts", import.meta.url) };
    const counter = await cluster.client.actor(WordCounter, source).spawn();
    await counter.add("first");
    return (performance.now() - startedAt) / 1000;
  } finally {
    await cluster.stop();
  }
}

try {
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const name of cases) {
      const generation = bench("model.ts", [
        "--cases",
        name,
        "--batches",
        "64,256",
        "--sampled",
        "64",
      ]) as SamplerFigures;
      for (const row of generation.rows)
        note(`sampler, 64 new tokens, batch ${row.batch}, ${name}`, row.sampledPerSecond);
      const episodes = bench("model.ts", [
        "--cases",
        name,
        "--batches",
        "64",
        "--threads",
        "1",
      ]) as SamplerFigures;
      for (const row of episodes.rows)
        note(
          `sampler, episodes' turns (prompt + sampled), 1 thread, ${name}`,
          row.sampledPerSecond + row.promptPerSecond,
        );
      const learner = bench("quickstart-update.ts", ["--cases", name]) as LearnerFigures;
      for (const row of learner.results) {
        note(`learner update 64×64, ${name}`, row.updateTokensPerSecond);
        note(`learner update with KL 64×64, ${name}`, row.updateWithKlTokensPerSecond);
      }
    }
    note("head start to first actor call, seconds", await firstCallSeconds());
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
const rows = [...found]
  .sort(([a], [b]) => a.localeCompare(b))
  .map(([figure, values]) => {
    const ordered = sorted(values);
    const median = ordered[Math.floor(ordered.length / 2)] ?? Number.NaN;
    return { figure, min: ordered[0], median, max: ordered.at(-1), runs: values.length };
  });
const machine = {
  cpus: cpus().length,
  cpu: cpus()[0]?.model ?? "",
  loadAverage: loadavg()[0] ?? 0,
  node: process.version,
};
console.log(JSON.stringify(machine));
console.table(rows);
if (flags.json !== undefined) writeResult(flags.json, { machine, rows });

/**
 * Tokens per second of the learner's update in every mode, beside PyTorch when a Python with it is given: contenders take
 * turns in one run, each in a process of its own, and medians of their turns are compared. The PyTorch program is
 * bench/peers/torch_update.py: the same decoder, clipped loss, clipping and AdamW, float32, fused attention.
 * Usage: npx tsx --conditions=@palimpsest/source bench/learner.ts [--shapes 3.4M,115k] [--cases tensorflow:graph,
 *   tensorflow:graph:all,tensorflow:eager,tensorflow:xla,wasm:eager] [--rounds 5] [--seconds 2] [--threads 2] [--python PYTHON] [--json FILE]
 * Half of each row is prompt, the same in a group of 8. The bucket says how many tokens are trained, as recipes do, so the
 * last block's feed-forward and the logits are computed for those alone; with ":all" after the mode (tensorflow:graph:all)
 * for every place, as PyTorch does; with ":shared" a group's prompt is computed once. All train the same numbers.
 * The Python may also come by PALIMPSEST_BENCH_PYTHON.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Contender, median } from "./contender.js";

const { values: flags } = parseArgs({
  options: {
    shapes: { type: "string", default: "3.4M,115k" },
    cases: {
      type: "string",
      default:
        "tensorflow:graph,tensorflow:graph:shared,tensorflow:graph:all,tensorflow:eager,tensorflow:xla,wasm:eager",
    },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    threads: { type: "string", default: "2" },
    python: { type: "string" },
    json: { type: "string" },
  },
});

const shapes: Readonly<Record<string, Readonly<Record<"rows" | "length", number> & Record<string, number>>>> =
  {
    "3.4M": { layers: 4, hidden: 256, heads: 4, headDim: 64, inner: 688, vocab: 1024, rows: 16, length: 256 },
    "115k": { layers: 2, hidden: 64, heads: 2, headDim: 32, inner: 172, vocab: 256, rows: 64, length: 64 },
  };

interface Turn {
  readonly updates: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface Ready {
  readonly firstMs?: number;
  readonly kernelUs?: number;
  readonly stats?: Readonly<Record<string, { traceMs: number; loadMs: number; operations: number }>>;
}

const python = flags.python ?? process.env["PALIMPSEST_BENCH_PYTHON"];
const hasTorch = python !== undefined && spawnSync(python, ["-c", "import torch"]).status === 0;
if (!hasTorch)
  console.log("PyTorch is left out: give a Python that has it by --python or PALIMPSEST_BENCH_PYTHON");

async function bench(shapeName: string) {
  const named = shapes[shapeName];
  if (named === undefined)
    throw new Error(`no shape ${shapeName}; there are ${Object.keys(shapes).join(", ")}`);
  const shape = { ...named, threads: Number(flags.threads) };
  const contenders: { readonly contender: Contender; readonly ready: Ready; readonly turns: Turn[] }[] = [];
  const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  if (hasTorch && python !== undefined) {
    const contender = new Contender("pytorch", python, [path("./peers/torch_update.py")]);
    await contender.ask(shape);
    contenders.push({ contender, ready: {}, turns: [] });
  }
  for (const name of flags.cases.split(",")) {
    const [prefer, mode, places] = name.split(":");
    const args = ["--import", "tsx", "--conditions=@palimpsest/source", path("./learner-case.ts")];
    const contender = new Contender(name, process.execPath, args);
    const ready = (await contender.ask({ shape, prefer, mode, places: places ?? "trained" })) as Ready;
    contenders.push({ contender, ready, turns: [] });
  }
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const { contender, turns } of contenders)
      turns.push((await contender.ask({ seconds: Number(flags.seconds) })) as Turn);
  }
  const tokens = shape.rows * shape.length;
  const rows = [];
  for (const { contender, ready, turns } of contenders) {
    const policy = Object.entries(ready.stats ?? {}).find(([name]) => name.startsWith("policy"))?.[1];
    rows.push({
      shape: shapeName,
      contender: contender.name,
      tokensPerSecond: Math.round(median(turns.map((turn) => (tokens * turn.updates) / turn.seconds))),
      // What a busy machine changes less.
      tokensPerCpuSecond: Math.round(median(turns.map((turn) => (tokens * turn.updates) / turn.cpuSeconds))),
      peakMiB: Math.round(((await contender.close()) as { readonly peakBytes: number }).peakBytes / 2 ** 20),
      firstUpdateMs: ready.firstMs === undefined ? undefined : Math.round(ready.firstMs),
      traceMs: policy === undefined ? undefined : Math.round(policy.traceMs),
      loadMs: policy === undefined ? undefined : Math.round(policy.loadMs),
      operations: policy?.operations,
      // What the host spends on one small kernel in this mode.
      hostUsPerKernel: ready.kernelUs === undefined ? undefined : Number(ready.kernelUs.toFixed(2)),
    });
  }
  const [first] = rows;
  const peer = first?.contender === "pytorch" ? first : undefined;
  return rows.map((row) => ({
    ...row,
    timesPyTorch:
      peer === undefined ? undefined : Number((row.tokensPerSecond / peer.tokensPerSecond).toFixed(2)),
    timesPyTorchByCpu:
      peer === undefined ? undefined : Number((row.tokensPerCpuSecond / peer.tokensPerCpuSecond).toFixed(2)),
  }));
}

const results = [];
for (const shape of flags.shapes.split(",")) results.push(...(await bench(shape)));
const machine = { cpus: cpus().length, cpu: cpus()[0]?.model ?? "", loadAverage: loadavg()[0] ?? 0 };
console.log(JSON.stringify(machine));
console.table(results);
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);

/**
 * Measures tokens per second of the learner's update in every mode, beside PyTorch when a Python with it is given. The
 * systems alternate in one run, each in its own process, and the medians of their turns are compared. The PyTorch
 * programs are bench/peers/torch_update.py (the same decoder, clipped loss, gradient clipping and AdamW with fused
 * attention) and, for shapes with adapters, bench/peers/peft_update.py (Hugging Face's Llama with PEFT's adapters).
 * Usage: npx tsx --conditions=@palimpsest/source bench/learner.ts [--shapes 3.4M,115k,smollm2-lora]
 *   [--cases tensorflow:graph:float32,tensorflow:graph:bfloat16:shared,…] [--peers float32,bfloat16,float32:compile]
 *   [--rounds 5] [--seconds 2] [--threads 2] [--python PYTHON] [--json FILE]
 * A case is backend:mode, then in any order: float32 or bfloat16 (default: auto, as recipes have it); all, shared, apart or
 * alike; unrolled or scan; products (memory.keep). Half of each row is prompt, the same in a group of 8. The bucket says how
 * many tokens are trained, as recipes do, so that the last block's feed-forward and the logits are computed for those
 * alone; with "all" for every position, as torch_update.py does; with "shared" a group's prompt is computed once. All
 * train the same numbers, and so do "apart" and "alike": only three quarters of each prompt are the group's, which "alike"
 * computes once. A peer is a precision (bfloat16 is autocast over float32 weights), with ":compile" through
 * torch.compile. Ratios are to the first peer.
 * The Python may also be named by PALIMPSEST_BENCH_PYTHON.
 */
import { spawnSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { Contender, median } from "./contender.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({
  shapes: "3.4M,115k",
  cases:
    "tensorflow:graph,tensorflow:graph:shared,tensorflow:graph:all,tensorflow:eager,tensorflow:xla,wasm:eager",
  peers: "float32,bfloat16",
  rounds: "5",
  seconds: "2",
  threads: "2",
  python: undefined,
  json: undefined,
});

interface NamedShape extends Readonly<Record<"rows" | "length", number>> {
  readonly lora?: { readonly rank: number; readonly alpha: number };
  readonly [size: string]: unknown;
}

const shapes: Readonly<Record<string, NamedShape>> = {
  "3.4M": { layers: 4, hidden: 256, heads: 4, headDim: 64, inner: 688, vocab: 1024, rows: 16, length: 256 },
  "115k": { layers: 2, hidden: 64, heads: 2, headDim: 32, inner: 172, vocab: 256, rows: 64, length: 64 },
  "smollm2-lora": {
    ...{ layers: 30, hidden: 576, heads: 9, kvHeads: 3, headDim: 64, inner: 1536, vocab: 49_152 },
    ...{ rows: 8, length: 128, lora: { rank: 16, alpha: 32 } },
  },
};

interface Turn {
  readonly updates: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface Ready {
  readonly firstMs?: number;
  readonly precision?: string;
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
    const program = path(`./peers/${named.lora === undefined ? "torch" : "peft"}_update.py`);
    for (const peer of flags.peers.split(",").filter((name) => name !== "")) {
      const [precision, compile] = peer.split(":");
      const contender = new Contender(`pytorch:${peer}`, python, [program]);
      const ready = await contender.ask({ ...shape, precision, compile: compile !== undefined });
      if (ready === undefined) console.log(`pytorch:${peer} does not run here and is left out`);
      else contenders.push({ contender, ready: ready as Ready, turns: [] });
    }
  }
  for (const name of flags.cases.split(",")) {
    const [prefer, mode, ...more] = name.split(":");
    const find = (...words: string[]) => more.find((word) => words.includes(word));
    const args = ["--import", "tsx", "--conditions=@palimpsest/source", path("./learner-case.ts")];
    const contender = new Contender(name, process.execPath, args, "inherit");
    const places = find("all", "shared", "apart", "alike") ?? "trained";
    const precision = find("float32", "bfloat16") ?? "auto";
    const memory = {
      layers: find("unrolled", "scan") ?? "auto",
      keep: find("products") ?? "auto",
    };
    const ready = await contender.ask({ shape, prefer, mode, precision, memory, places });
    contenders.push({ contender, ready: ready as Ready, turns: [] });
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
      precision: ready.precision,
      tokensPerSecond: Math.round(median(turns.map((turn) => (tokens * turn.updates) / turn.seconds))),
      // This figure depends less on how busy the machine is.
      tokensPerCpuSecond: Math.round(median(turns.map((turn) => (tokens * turn.updates) / turn.cpuSeconds))),
      peakMiB: Math.round(((await contender.close()) as { readonly peakBytes: number }).peakBytes / 2 ** 20),
      firstUpdateMs: ready.firstMs === undefined ? undefined : Math.round(ready.firstMs),
      traceMs: policy === undefined ? undefined : Math.round(policy.traceMs),
      loadMs: policy === undefined ? undefined : Math.round(policy.loadMs),
      operations: policy?.operations,
      // The microseconds that the host spends on one small kernel in this mode.
      hostUsPerKernel: ready.kernelUs === undefined ? undefined : Number(ready.kernelUs.toFixed(2)),
    });
  }
  const [first] = rows;
  const peer = first?.contender.startsWith("pytorch") === true ? first : undefined;
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
if (flags.json !== undefined) writeResult(flags.json, { machine, results });

/**
 * Compares sampling of two small shapes, in every mode, with transformers' generate, and sampling of
 * SmolLM2-135M-Instruct with llama.cpp. The systems run in separate processes and alternate, so that a drift of the
 * machine's speed affects all of them. Medians over rounds are printed, and ratios to the peer of the same run. Tokens
 * per second count sampled tokens over everything: queue, host work, prompts, device. Our precision is `auto`, as in
 * recipes: bfloat16 for 3.4M where the CPU has it; transformers runs in float32 and in bfloat16.
 *
 * What bounds it on two cores, from profiles and from kernels measured alone, and what would lift it:
 * - 3.4M, batch 64, in bfloat16 on AVX-512: a third of the kernels' time is products with the layers' weights, at 117
 *   GFLOP/s per core for the 32 rows of a lane (197 for the 1,024 tokens of a prompt call), a fifth those with keys and
 *   values, which read 11 to 14 GB/s, a twentieth the float32 head, and as much each the prompts and the writes of the
 *   cache. Two threads that share operations of 0.1 to 0.8 ms lose a quarter of it, so each samples half of the batch
 *   (`lanes`). A fused attention kernel would lift most of the rest; stock libtensorflow has none on this CPU.
 * - 115k is bound by the fixed cost of small operations and of calls: with 32 steps per call (`stepsPerCall`, in a recipe
 *   `rollout.stepsPerCall`) instead of 8 a token takes 0.76 and 0.80 of the processor time at 64 and 256 rows.
 * - SmolLM2, one request: every weight is read for every token (docs/sampler.md). Many requests, on
 *   two cores with AVX-512 and its bfloat16 but without AMX: of a step in two lanes, eight tenths are matrix products.
 *   They read every weight once per lane: a product of 576 × 1536 takes 263 us with 8 rows, 420 with 32 and 1,155 with
 *   128, half of the first for reading (136 if the weights are zeros, which all lie in one page of memory). Weights are
 *   stored [out, in]: with 32 rows [in, out] took 500 us. The head and the draw took 36 and 122 ms with 32 and 128 rows per lane in
 *   float32, 23 and 78 with the head in bfloat16. Products alone would allow 350, 940 and 1,300 tokens/s at 16, 64 and 256
 *   requests. What is measured is sampled while all requests sample; reading prompts has rows of its own.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/sampling.ts [--rounds 5] [--shapes 3.4M,115k,smollm2]
 *   [--batches 64,256] [--cases tensorflow:graph,tensorflow:eager,tensorflow:xla,wasm:eager] [--threads 2]
 *   [--prompt 32] [--new 128] [--python python3 with torch and transformers; else PALIMPSEST_BENCH_PYTHON]
 *   [--smollm2 FOLDER] [--requests 1,16,64,256] [--llama FOLDER with node-llama-cpp installed --gguf FILE] [--json
 *   FILE]
 */
import { existsSync, readFileSync } from "node:fs";
import { cpus, homedir, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Contender, median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  rounds: "5",
  shapes: "3.4M,115k,smollm2",
  batches: "64,256",
  cases: "tensorflow:graph,tensorflow:eager,tensorflow:xla,wasm:eager",
  threads: "2",
  prompt: "32",
  new: "128",
  python: undefined,
  smollm2: undefined,
  requests: "1,16,64,256",
  llama: undefined,
  gguf: undefined,
  json: fileURLToPath(new URL("../results/model.json", import.meta.url)),
});

const here = fileURLToPath(new URL(".", import.meta.url));
const rounds = Number(flags.rounds);
const threads = Number(flags.threads);
const batches = flags.batches.split(",").map(Number);
/** By model and batch. No request stops early here, so long calls waste nothing; small batches are bound most by what a call costs. */
const stepsPerCall: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "115k": { 64: 32, 256: 32 },
  "3.4M": { 64: 16, 256: 8 },
};
const shapes: Readonly<Record<string, unknown>> = {
  "3.4M": { vocabSize: 1024, hiddenSize: 256, layers: 4, heads: 4, intermediateSize: 688 },
  "115k": { vocabSize: 256, hiddenSize: 64, layers: 2, heads: 2, intermediateSize: 172 },
};

interface Row {
  readonly model: string;
  readonly measure: string;
  readonly contender: string;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly unit: string;
  readonly peakMB: number;
  ratio?: string;
}
const rows: Row[] = [];

function ours(file: string): [string, string[]] {
  const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
  return [process.execPath, [tsx, "--conditions=@palimpsest/source", join(here, file)]];
}

/** Starts the systems one after the other; those that do not start are skipped with a message. */
async function start(setups: readonly (readonly [Contender, unknown])[]): Promise<Contender[]> {
  const ready: Contender[] = [];
  for (const [contender, setup] of setups) {
    if ((await contender.ask(setup)) === undefined)
      console.log(`${contender.name} does not start here: skipped`);
    else ready.push(contender);
  }
  return ready;
}

/** Runs one warm-up and then alternating rounds; adds a row for each system and field, with its ratio to `peer`. */
async function compare(
  contenders: readonly Contender[],
  peer: string,
  labels: { readonly model: string; readonly measure: string },
  question: unknown,
  units: Readonly<Record<string, string>>,
): Promise<void> {
  const answers = new Map<Contender, Record<string, number>[]>(
    contenders.map((contender) => [contender, []]),
  );
  const peaks = new Map<Contender, number>();
  for (let round = -1; round < rounds; round++) {
    for (const contender of contenders) {
      const answer = (await contender.ask(question)) as Record<string, number> | undefined;
      if (answer === undefined) continue;
      if (round >= 0) answers.get(contender)?.push(answer);
      peaks.set(contender, answer["peakBytes"] ?? 0);
    }
  }
  for (const [field, unit] of Object.entries(units))
    addRows(answers, peaks, peer, { ...labels, unit }, field);
}

function addRows(
  answers: ReadonlyMap<Contender, readonly Record<string, number>[]>,
  peaks: ReadonlyMap<Contender, number>,
  peer: string,
  labels: Pick<Row, "model" | "measure" | "unit">,
  field: string,
): void {
  const found = [...answers].map(
    ([contender, all]) => [contender, all.flatMap((answer) => answer[field] ?? [])] as const,
  );
  const of = (name: string) =>
    median(found.filter(([contender]) => contender.name === name).flatMap(([, values]) => values));
  for (const [contender, values] of found) {
    if (values.length === 0) continue;
    const ratio = of(contender.name) / of(peer);
    rows.push({
      ...labels,
      contender: contender.name,
      median: Number(median(values).toPrecision(4)),
      low: Number(Math.min(...values).toPrecision(4)),
      high: Number(Math.max(...values).toPrecision(4)),
      peakMB: Math.round((peaks.get(contender) ?? 0) / 1e6),
      ...(Number.isNaN(ratio) ? {} : { ratio: `${ratio.toFixed(2)}x ${peer}` }),
    });
  }
}

const python = flags.python ?? process.env["PALIMPSEST_BENCH_PYTHON"];
if (python === undefined) console.log("transformers: skipped, no --python and no PALIMPSEST_BENCH_PYTHON");

for (const [model, shape] of Object.entries(shapes)) {
  if (!flags.shapes.split(",").includes(model)) continue;
  const setup = { shape, batches, threads, promptTokens: Number(flags.prompt), newTokens: Number(flags.new) };
  const setups = flags.cases.split(",").map((name) => {
    const [backend, mode] = name.split(":");
    const options = { backend, mode, precision: "auto", stepsPerCall: stepsPerCall[model] };
    return [new Contender(name, ...ours("sampling-case.ts")), { ...setup, ...options }] as const;
  });
  const peers =
    python === undefined
      ? []
      : (["float32", "bfloat16"] as const).map((dtype) => {
          const name = dtype === "float32" ? "transformers" : `transformers, ${dtype}`;
          return [
            new Contender(name, python, [join(here, "../peers/hf_generate.py")]),
            { ...setup, dtype },
          ] as const;
        });
  const contenders = await start([...setups, ...peers]);
  for (const batch of batches) {
    const labels = { model, measure: `batch ${batch}` };
    await compare(contenders, "transformers", labels, { batch }, { tokensPerSecond: "sampled tokens/s" });
  }
  for (const contender of contenders) await contender.close();
}

const folder = flags.smollm2 ?? join(homedir(), ".cache/palimpsest/models/smollm2-135m-instruct");
if (flags.shapes.split(",").includes("smollm2")) {
  if (!existsSync(folder))
    console.log(`smollm2: skipped, no ${folder}; palimpsest model download smollm2-135m-instruct`);
  else {
    const llama = flags.llama !== undefined && flags.gguf !== undefined;
    if (!llama) console.log("llama.cpp: skipped, no --llama and --gguf");
    const model = "smollm2-135m-instruct";
    const peer = `llama.cpp, ${threads} threads`;
    const contendersFor = async (requests: number, maxLength: number) => {
      const common = { requests, maxLength };
      const ofLanes = requests < 16 ? [1] : [1, threads];
      return await start([
        ...ofLanes.map((lanes): readonly [Contender, unknown] => [
          new Contender(`tensorflow:graph, ${lanes} lanes`, ...ours("smollm2-case.ts")),
          { kind: "ours", folder, threads, lanes, ...common },
        ]),
        ...(llama ? [1, threads] : []).map((count): readonly [Contender, unknown] => [
          new Contender(`llama.cpp, ${count} threads`, ...ours("smollm2-case.ts")),
          { kind: "llama.cpp", folder: flags.llama, gguf: flags.gguf, threads: count, ...common },
        ]),
      ]);
    };
    for (const batch of flags.requests.split(",").map(Number)) {
      const contenders = await contendersFor(batch, 128);
      const labels = { model, measure: `${batch} at once, 64 new tokens each` };
      const units = {
        tokensPerSecond: "sampled tokens/s while all sample",
        wholeTokensPerSecond: "sampled tokens/s over everything",
        promptShare: "share of the time until all prompts are read",
      };
      await compare(contenders, peer, labels, { batch, newTokens: 64 }, units);
      for (const contender of contenders) await contender.close();
    }
    const contenders = await contendersFor(1, 1152);
    const labels = { model, measure: "first token of a prompt of 1000" };
    await compare(contenders, peer, labels, { promptTokens: 1000 }, { seconds: "seconds" });
    for (const contender of contenders) await contender.close();
  }
}

const machine = {
  cpus: cpus().length,
  cpu: cpus()[0]?.model ?? "",
  loadAverage: loadavg()[0] ?? 0,
  node: process.version,
};
console.log(JSON.stringify(machine));
console.table(rows);
const before: unknown = existsSync(flags.json) ? JSON.parse(readFileSync(flags.json, "utf8")) : {};
const report = {
  ...(before as object),
  sampling: { machine, rounds, threads, prompt: flags.prompt, new: flags.new, rows },
};
writeResult(flags.json, report);

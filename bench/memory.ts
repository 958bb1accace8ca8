/**
 * Measures the memory that models take to load, sample and train on this machine's CPU: the highest resident set of a
 * separate process for each case, in total and by phase, beside the estimate of `estimateMemory`. Weights are random
 * unless a model folder is given.
 * Usage: npx tsx --conditions=@palimpsest/source bench/memory.ts [--cases smollm2:lora,smollm2:full] [--reference
 *   initial] [--rows 4] [--length 512] [--layers auto] [--no-sampler] [--model FOLDER] [--json FILE]
 * Cases: shape:training; shapes tiny, smollm2, qwen-0.5b; trainings lora, full. qwen-0.5b:full needs 20 GiB.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadBackend } from "../packages/learning/jit/src/index.js";
import {
  createLearner,
  estimateMemory,
  type LearnerConfigInput,
} from "../packages/learning/learner/src/index.js";
import {
  createSampler,
  loadModel,
  type ModelConfig,
  type Parameters,
  parameterCount,
  parameterShapes,
  parseModelConfig,
} from "../packages/learning/model/src/index.js";
import { fullRowGroups } from "./full-rows.js";
import { shapes } from "./model/shapes.js";
import { writeResult } from "./result-file.js";

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    cases: { type: "string", default: "tiny:lora,tiny:full,smollm2:lora,smollm2:full" },
    case: { type: "string" },
    reference: { type: "string", default: "initial" },
    rows: { type: "string", default: "4" },
    length: { type: "string", default: "512" },
    layers: { type: "string", default: "auto" },
    sampler: { type: "boolean", default: true },
    model: { type: "string" },
    out: { type: "string" },
    json: { type: "string" },
  },
});

const GIB = 2 ** 30;
const gib = (bytes: number): number => Number((bytes / GIB).toFixed(2));

/** The resident set of this process in bytes: the current and the highest. */
function resident(): { readonly now: number; readonly highest: number } {
  const status = readFileSync("/proc/self/status", "utf8");
  const field = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  return { now: field("VmRSS"), highest: field("VmHWM") };
}

/** Returns small uniform numbers, since drawing from a normal distribution would take longer than the rest. */
function randomWeights(model: ModelConfig): Parameters {
  let seed = 1;
  return Object.fromEntries(
    Object.entries(parameterShapes(model)).map(([name, shape]) => {
      const values = new Float32Array(shape.reduce((product, dimension) => product * dimension, 1));
      for (let i = 0; i < values.length; i++) {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
        values[i] = name.endsWith("Norm") ? 1 : (seed / 0x7fffffff - 0.5) * 0.06;
      }
      return [name, values];
    }),
  );
}

interface Phase {
  readonly phase: string;
  readonly seconds: number;
  readonly rssGib: number;
  readonly highestGib: number;
}

async function runCase(shape: string, training: string): Promise<Record<string, unknown>> {
  const phases: Phase[] = [];
  const timed = async <T>(phase: string, act: () => Promise<T> | T): Promise<T> => {
    const started = performance.now();
    const result = await act();
    const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
    const { now, highest } = resident();
    phases.push({ phase, seconds, rssGib: gib(now), highestGib: gib(highest) });
    process.stderr.write(`${shape}:${training} ${JSON.stringify(phases.at(-1))}\n`);
    return result;
  };
  const backend = await timed("backend", () => loadBackend({ prefer: "tensorflow" }));
  const { config: model, parameters } = await timed("load", async () => {
    if (flags.model !== undefined) return await loadModel(flags.model);
    const known: Readonly<Record<string, object | undefined>> = shapes;
    const named = known[shape];
    const config = named && parseModelConfig(named);
    if (config === undefined)
      throw new Error(`no shape ${shape}; give one of ${Object.keys(shapes).join(", ")}`);
    return { config, parameters: randomWeights(config) };
  });
  const rows = Number(flags.rows);
  const length = Number(flags.length);
  const half = Math.floor(length / 2);
  const config: LearnerConfigInput = {
    preset: "memagent",
    groupSize: rows,
    lora: training === "lora" ? { rank: 16, alpha: 32 } : null,
    kl: { coefficient: flags.reference === "none" ? 0 : 1e-3 },
    reference: flags.reference === "none" ? "none" : "initial",
    buckets: [{ rows, length, trainedTokens: rows * (length - half) }],
    memory: { layers: flags.layers === "scan" || flags.layers === "unrolled" ? flags.layers : "auto" },
  };
  const samplerConfig = { maxBatch: rows, maxLength: length };
  const sampler = flags.sampler
    ? await timed("sampler", () =>
        createSampler({ backend, config: model, parameters, weightsHash: "bench", ...samplerConfig }),
      )
    : undefined;
  if (sampler !== undefined)
    await timed("sample", () =>
      Promise.all(
        Array.from({ length: rows }, (_, seed) =>
          sampler.generate({
            promptTokenIds: Array.from({ length: half }, (_unused, i) => (i * 7919) % model.vocabSize),
            maxTokens: 16,
            temperature: 1,
            stopTokenIds: [],
            seed,
          }),
        ),
      ),
    );
  const learner = await timed("learner", () =>
    createLearner({ backend, model, parameters, config, objectives: ["policy"] }),
  );
  const groups = fullRowGroups({ rows, length, vocabSize: model.vocabSize, groupSize: rows });
  const metrics = await timed("update", () => learner.update(groups));
  const stats = Object.values(learner.stats);
  const traceMs = stats.reduce((sum, { traceMs: own }) => sum + own, 0);
  const estimate = estimateMemory(model, config, flags.sampler ? samplerConfig : undefined);
  await sampler?.close();
  learner.close();
  return {
    case: `${shape}:${training}`,
    parameters: parameterCount(model),
    highestGib: gib(resident().highest),
    estimatedGib: gib(estimate.totalBytes),
    updateSeconds: phases.at(-1)?.seconds,
    traceMs: Math.round(traceMs),
    loadMs: Math.round(stats[0]?.loadMs ?? 0),
    gradientNorm: metrics.gradientNorm,
    phases,
    estimate,
  };
}

if (flags.case !== undefined) {
  const [shape = "", training = ""] = flags.case.split(":");
  const result = await runCase(shape, training);
  writeFileSync(flags.out ?? "/dev/stdout", JSON.stringify(result));
} else {
  const folder = mkdtempSync(join(tmpdir(), "bench-memory-"));
  const results: Record<string, unknown>[] = [];
  try {
    for (const name of flags.cases.split(",")) {
      const out = join(folder, "result.json");
      const own = process.argv.slice(2);
      const args = [
        ...process.execArgv,
        fileURLToPath(import.meta.url),
        ...own,
        "--case",
        name,
        "--out",
        out,
      ];
      const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: "3" };
      const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"], env });
      if (status !== 0) throw new Error(`case ${name} ended with status ${status}`);
      results.push(JSON.parse(readFileSync(out, "utf8")) as Record<string, unknown>);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.table(results.map(({ phases: _phases, estimate: _estimate, ...row }) => row));
  if (flags.json !== undefined) writeResult(flags.json, results);
}

/**
 * Measures what an update, a supervised step and a checkpoint cost for the quickstart-sized model: compiled, eager, and
 * on wasm. Rows are full, so the row tokens are all the tokens that are computed.
 * Usage: npx tsx --conditions=@palimpsest/source bench/quickstart-update.ts [--rows 64] [--length 64] [--seconds 3]
 *   [--model FOLDER] [--json FILE] [--cases tensorflow:graph,tensorflow:eager,wasm:eager]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { loadBackend } from "../packages/learning/jit/src/index.js";
import { createLearner, type Learner } from "../packages/learning/learner/src/index.js";
import {
  initParameters,
  loadModel,
  parameterCount,
  parseModelConfig,
} from "../packages/learning/model/src/index.js";
import { benchFlags } from "./flags.js";
import { fullRowGroups, someTokens } from "./full-rows.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({
  rows: "64",
  length: "64",
  seconds: "3",
  cases: "tensorflow:graph,tensorflow:eager,wasm:eager",
  model: undefined,
  json: undefined,
});
const rows = Number(flags.rows);
const length = Number(flags.length);
const seconds = Number(flags.seconds);

const shipped = flags.model === undefined ? undefined : await loadModel(flags.model);
const model =
  shipped?.config ??
  parseModelConfig({
    architecture: "llama",
    vocabSize: 256,
    hiddenSize: 64,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    headDim: 16,
    intermediateSize: 172,
    tieWordEmbeddings: true,
    maxPositions: length,
  });

const groups = fullRowGroups({ rows, length, vocabSize: model.vocabSize, groupSize: 8 });
const supervised = Array.from({ length: rows }, (_, row) => ({
  tokenIds: someTokens(length, row, model.vocabSize),
  lossMask: Array.from({ length }, (_unused, i) => (i === 0 ? 0 : 1)),
}));

/** Returns the mean milliseconds of wall and processor time over at least `seconds`, after one call that compiles. */
async function measure(
  call: () => Promise<unknown>,
): Promise<{ firstMs: number; ms: number; cpuMs: number }> {
  const first = performance.now();
  await call();
  const firstMs = performance.now() - first;
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  let calls = 0;
  while (performance.now() - start < seconds * 1000) {
    await call();
    calls += 1;
  }
  const ms = (performance.now() - start) / calls;
  const { user, system } = process.cpuUsage(cpuStart);
  return { firstMs, ms, cpuMs: (user + system) / 1000 / calls };
}

async function benchCase(prefer: "tensorflow" | "wasm" | "cpu", mode: "graph" | "eager" | "xla") {
  const backend = await loadBackend({ prefer });
  const make = (reference: "none" | "initial"): Learner =>
    createLearner({
      backend,
      mode,
      model,
      parameters: initParameters(model, 1),
      config: {
        preset: "memagent",
        reference,
        kl: { coefficient: reference === "none" ? 0 : 1e-3 },
        buckets: [{ rows, length }],
      },
    });
  const perSecond = (ms: number) => Math.round((rows * length * 1000) / ms);
  const plain = make("none");
  const update = await measure(() => plain.update(groups));
  const sft = await measure(() => plain.sft(supervised));
  plain.close();
  const withKl = make("initial");
  const kl = await measure(() => withKl.update(groups));
  const folder = mkdtempSync(join(tmpdir(), "bench-learner-"));
  const checkpoint = await measure(() =>
    withKl.saveCheckpoint(folder, { consumedGroupIds: [], dataCursor: null }),
  );
  rmSync(folder, { recursive: true, force: true });
  withKl.close();
  return {
    backend: prefer,
    mode,
    updateTokensPerSecond: perSecond(update.ms),
    updateWithKlTokensPerSecond: perSecond(kl.ms),
    supervisedTokensPerSecond: perSecond(sft.ms),
    // This figure depends little on other work on the machine; two free cores reach about twice as many per second.
    updateTokensPerCpuSecond: perSecond(update.cpuMs),
    firstUpdateMs: Math.round(update.firstMs),
    checkpointMs: Number(checkpoint.ms.toFixed(1)),
  };
}

const results = [];
for (const name of flags.cases.split(",")) {
  const [prefer, mode] = name.split(":") as ["tensorflow", "graph"];
  results.push(await benchCase(prefer, mode));
}
const machine = { cpus: cpus().length, cpu: cpus()[0]?.model ?? "", loadAverage: loadavg()[0] ?? 0 };
const shape = { parameters: parameterCount(model), rows, length };
console.log(JSON.stringify({ ...machine, ...shape }));
console.table(results);
if (flags.json !== undefined) writeResult(flags.json, { machine, shape, results });

/**
 * Runs the comparison of `palimpsest model check` for several references at once: log-probabilities, entropies, losses,
 * gradients, AdamW and greedy sampling against Hugging Face's numbers.
 * Usage: tsx bench/gpu/references.ts --references FOLDER[,FOLDER] [--mode xla] [--json FILE]
 */
import { basename } from "node:path";
import { checkReference, passes, readReferenceNumbers } from "../../packages/learning/checks/src/index.js";
import { type JitMode, loadBackend } from "../../packages/learning/jit/src/index.js";
import { loadModel } from "../../packages/learning/model/src/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({ references: undefined, mode: "auto", json: undefined });
const backend = await loadBackend({ prefer: "tensorflow" });
const tf32 = process.env["NVIDIA_TF32_OVERRIDE"] !== "0";
const mode = flags.mode as "auto" | JitMode;
const results = [];
for (const folder of flags.references?.split(",") ?? []) {
  const started = performance.now();
  const model = await loadModel(folder);
  const measures = await checkReference(model, await readReferenceNumbers(folder), { backend, mode });
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  const missed = measures.filter((measure) => !passes(measure));
  const reference = basename(folder);
  results.push({
    reference,
    mode,
    gpu: backend.gpu,
    tf32,
    seconds,
    measured: measures.length,
    missed,
    measures,
  });
  console.log(`${reference}, ${mode}, ${seconds} s: ${missed.length} of ${measures.length} missed`);
  for (const { name, value, bar, where } of missed)
    console.log(`  ${name}: ${value}, bar ${bar} ${where ?? ""}`);
}
if (flags.json !== undefined) writeResult(flags.json, results);
process.exit(results.length > 0 && results.every(({ missed }) => missed.length === 0) ? 0 : 1);

/**
 * Shows what a user sees when a GPU's memory runs out, and what still works afterwards: an update that is too large, a
 * sampler whose table is too large, and a learner that fits, in the same process.
 * Exits with 1 if anything but MEMORY_EXHAUSTED was thrown.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/shortage.ts [--rows 64]; the update has ROWS rows of 4,096
 * tokens through 494M parameters.
 */

import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createLearner } from "../../packages/learning/learner/src/index.js";
import { createSampler, parseModelConfig } from "../../packages/learning/model/src/index.js";
import { PalimpsestError } from "../../packages/runtime/wire/src/index.js";
import { benchFlags } from "../flags.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { shapes } from "../model/shapes.js";

const flags = benchFlags({ rows: "64" });
const rows = Number(flags.rows);
const model = parseModelConfig(shapes["qwen-0.5b"]);
const { vocabSize } = model;
const backend = await loadBackend({ prefer: "tensorflow", threads: 8 });
const parameters = quickParameters(model);

function tell(what: string, error: unknown): void {
  const known = error instanceof PalimpsestError;
  const { code, message } = known ? error : { code: "none", message: String(error) };
  console.log(JSON.stringify({ what, code, message: message.slice(0, 600) }));
  if (code !== "MEMORY_EXHAUSTED") process.exitCode = 1;
}

async function update(rowCount: number, length: number): Promise<number> {
  const learner = createLearner({
    backend,
    mode: "xla",
    model,
    parameters,
    objectives: ["policy"],
    config: {
      preset: "memagent",
      reference: "none",
      kl: { coefficient: 0 },
      measureEntropy: false,
      precision: "bfloat16",
      memory: { keep: "products" },
      buckets: [{ rows: rowCount, length }],
    },
  });
  try {
    const { gradientNorm } = await learner.update(
      fullRowGroups({ rows: rowCount, length, vocabSize, groupSize: 8 }),
    );
    return gradientNorm;
  } finally {
    learner.close();
  }
}

await update(rows, 4096).then(
  () => tell("update", "it fitted"),
  (error: unknown) => tell("update", error),
);
try {
  const settings = {
    precision: "bfloat16",
    mode: "xla",
    cache: "slots",
    maxLength: 4096,
    maxBatch: 2048,
  } as const;
  const sampler = createSampler({ backend, config: model, parameters, weightsHash: "bench", ...settings });
  await sampler.generate({
    promptTokenIds: [1, 2, 3],
    maxTokens: 8,
    temperature: 1,
    stopTokenIds: [],
    seed: 1,
  });
  tell("sampler", "it fitted");
} catch (error) {
  tell("sampler", error);
}
console.log(JSON.stringify({ what: "a fitting update afterwards", gradientNorm: await update(8, 512) }));
process.exit();

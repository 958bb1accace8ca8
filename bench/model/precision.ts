/**
 * Compares SmolLM2-135M (or another folder) in float32 and in bfloat16 on this CPU: requests with a short prompt are
 * sent at once and timed from the first sampled token of the last one on, so that prompts do not count. Processor
 * seconds are the figure to trust while others use the machine.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/precision.ts [--precision float32,bfloat16] [--batches
 *   1,16,64,256] [--single auto,off,int8: weights of a request that runs alone] [--new 33] [--prompt 24] [--rounds 3]
 *   [--threads 2] [--max-length 128] [--model FOLDER]
 */
import { homedir, loadavg } from "node:os";
import { join } from "node:path";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createSampler, loadModel } from "../../packages/learning/model/src/index.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";

const flags = benchFlags({
  precision: "float32,bfloat16",
  batches: "1,16,64,256",
  single: "auto",
  new: "33",
  prompt: "24",
  rounds: "3",
  threads: "2",
  "max-length": "128",
  model: join(homedir(), ".cache/palimpsest/models/smollm2-135m-instruct"),
});

const threads = Number(flags.threads);
const backend = await loadBackend({ threads });
const { config, parameters } = await loadModel(flags.model);
const wanted = Number(flags.new);
type Precision = "float32" | "bfloat16";
type SingleWeights = "auto" | "off" | Precision | "int8";
const settings = (flags.precision.split(",") as Precision[]).flatMap((precision) =>
  (flags.single.split(",") as SingleWeights[]).map((singleWeights) => ({ precision, singleWeights })),
);
for (const { precision, singleWeights } of settings) {
  for (const batch of flags.batches.split(",").map(Number)) {
    const sampler = createSampler({
      backend,
      config,
      parameters,
      precision,
      singleWeights,
      maxBatch: batch,
      maxLength: Number(flags["max-length"]),
      prefixCache: false,
      weightsHash: "bench",
    });
    const walls: number[] = [];
    const processors: number[] = [];
    for (let round = -1; round < Number(flags.rounds); round++) {
      let begun = 0;
      let counted = 0;
      let from = performance.now();
      let cpu = process.cpuUsage();
      await Promise.all(
        Array.from({ length: batch }, (_, i) => {
          const length = Number(flags.prompt);
          const promptTokenIds = Array.from(
            { length },
            (_unused, t) => 100 + (((round + 2) * 7919 + i * 104_729 + t * 31) % (config.vocabSize - 100)),
          );
          let seen = false;
          const onTokens = (tokenIds: readonly number[]) => {
            counted += tokenIds.length;
            if (seen) return;
            seen = true;
            begun += 1;
            if (begun < batch) return;
            // Tokens that were sampled before do not belong to the timed part.
            counted = 0;
            from = performance.now();
            cpu = process.cpuUsage();
          };
          const sampling = { maxTokens: wanted, temperature: 1, stopTokenIds: [], seed: round * 1000 + i };
          return sampler.generate({ promptTokenIds, ...sampling, onTokens });
        }),
      );
      if (round < 0) continue;
      const { user, system } = process.cpuUsage(cpu);
      walls.push(counted / ((performance.now() - from) / 1000));
      processors.push(counted / ((user + system) / 1e6));
    }
    await sampler.close();
    const [wall, processor] = [median(walls), median(processors)].map((rate) => Number(rate.toFixed(1)));
    const single = batch === 1 ? { singleWeights } : {};
    console.log({ precision, ...single, requests: batch, "tokens/s": wall, "tokens/processor s": processor });
  }
}
console.log(`load ${loadavg()[0]?.toFixed(1)}, ${threads} threads`);
process.exit(0);

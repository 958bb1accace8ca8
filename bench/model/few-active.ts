/**
 * Measures what a call over a table of slots costs when few of them are in use: requests in all slots and in few alternate in one sampler,
 * and the time of each sampling function is divided by that of the whole table, which a call cost before, however few were in use.
 * Usage: tsx --conditions=@palimpsest/source bench/model/few-active.ts [--slots 64] [--rounds 5] [--json FILE]
 */
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createSampler, parseModelConfig } from "../../packages/learning/model/src/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { quickParameters } from "./quick-parameters.js";

const flags = benchFlags({ slots: "64", rounds: "5", json: undefined });
const slots = Number(flags.slots);
const config = parseModelConfig({
  ...{
    architecture: "qwen2",
    vocabSize: 4096,
    hiddenSize: 256,
    layers: 4,
    heads: 4,
    kvHeads: 2,
    headDim: 64,
  },
  ...{ intermediateSize: 688, maxPositions: 256, tieWordEmbeddings: true },
});
const backend = await loadBackend({ prefer: "tensorflow", threads: 1 });
const sampler = createSampler({
  ...{ backend, config, parameters: quickParameters(config), weightsHash: "bench" },
  ...{ cache: "slots", mode: "graph", precision: "float32", maxBatch: slots, maxLength: 127 },
});
const sample = async (requests: number) => {
  const request = { promptTokenIds: [1, 2, 3], maxTokens: 65, temperature: 1, stopTokenIds: [] };
  await Promise.all(Array.from({ length: requests }, (_, seed) => sampler.generate({ ...request, seed })));
};
for (let round = 0; round < Number(flags.rounds); round++)
  for (const part of [1, 2, 4]) await sample(slots / part);
/** The first call of each is left out. */
const msPerCall = Object.entries(sampler.functionStats).flatMap(([name, { calls, totalMs, firstCallMs }]) =>
  name.startsWith("decode") && calls > 1 ? [[name, (totalMs - firstCallMs) / (calls - 1)] as const] : [],
);
await sampler.close();
const whole = msPerCall.find(([name]) => name.startsWith(`decode_${slots}x`))?.[1] ?? Number.NaN;
const result = msPerCall.map(([name, ms]) => ({
  ...{ name, msPerCall: Number(ms.toFixed(1)), shareOfWhole: Number((ms / whole).toFixed(3)) },
}));
for (const line of result) console.log(JSON.stringify(line));
if (flags.json !== undefined) writeResult(flags.json, result);
process.exit(0);

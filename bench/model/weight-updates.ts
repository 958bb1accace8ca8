/**
 * Measures what new weights cost a sampler that is always asked: askers send requests of many lengths, one after the other, and every
 * so many sampled tokens whole weights come, which are applied once running replies are done (drained) or between two calls (in flight).
 * The two samplers alternate over the same requests. Prints for each the tokens that a device call kept, the share of the batch that
 * was in use, the replies that more than one version sampled, and the tokens that were sampled between the arrival of weights and
 * their use. Counts, not times, so that they hold on a busy machine; `seconds` is for a quiet one.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/weight-updates.ts [--shape tiny] [--askers 32] [--requests 192]
 *   [--replies 200] [--every 3000] [--json FILE]
 * --replies: the longest; the shortest has a quarter of its tokens. --every: sampled tokens between two weights.
 */
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createSampler, initParameters, parseModelConfig } from "../../packages/learning/model/src/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { shapes } from "./shapes.js";

const flags = benchFlags({
  shape: "tiny",
  askers: "32",
  requests: "192",
  replies: "200",
  every: "3000",
  json: "",
});
const shape = shapes[flags.shape as keyof typeof shapes];
if (shape === undefined) throw new Error(`--shape ${flags.shape}: give ${Object.keys(shapes).join(", ")}`);
const [askers, requests, replies, every] = [flags.askers, flags.requests, flags.replies, flags.every].map(
  Number,
) as [number, number, number, number];
const config = parseModelConfig(shape);
const versions = [1, 2].map((seed) => initParameters(config, seed));
const backend = await loadBackend();

async function measure(weightUpdates: "drained" | "in-flight") {
  const sampler = createSampler({
    ...{ backend, config, parameters: versions[0] ?? {}, weightsHash: "0", weightUpdates },
    ...{ maxBatch: askers, maxLength: 64 + replies, cache: "slots", singleWeights: "off" },
  });
  let [sampled, next, version] = [0, 0, 0];
  let mixed = 0;
  let due = every;
  const waited: number[] = [];
  const changes: Promise<void>[] = [];
  const onTokens = ({ length }: readonly number[]) => {
    sampled += length;
    if (sampled < due) return;
    due += every;
    const at = sampled;
    version += 1;
    const changed = sampler.setWeights(versions[version % 2] ?? {}, version, String(version));
    changes.push(changed.then(() => void waited.push(sampled - at)));
  };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: askers }, async () => {
      while (next < requests) {
        const seed = next++;
        const maxTokens = Math.round(replies * (0.25 + (0.75 * ((seed * 7919) % 97)) / 96));
        const promptTokenIds = Array.from(
          { length: 48 },
          (_, at) => (seed * 31 + at * at) % config.vocabSize,
        );
        const result = await sampler.generate({
          promptTokenIds,
          maxTokens,
          temperature: 1,
          stopTokenIds: [],
          seed,
          onTokens,
        });
        if (result.versionRuns !== undefined) mixed += 1;
      }
    }),
  );
  await Promise.all(changes);
  const seconds = (performance.now() - startedAt) / 1000;
  const decode = Object.entries(sampler.functionStats).filter(
    ([name]) => name.startsWith("decode") || name.startsWith("sample"),
  );
  const calls = decode.reduce((sum, [, stats]) => sum + stats.calls, 0);
  const row = {
    updates: weightUpdates,
    tokens: sampled,
    calls,
    tokensPerCall: sampled / calls,
    occupancy: sampler.stats.occupancy,
    weights: version,
    mixedReplies: mixed,
    tokensUntilUse: waited.toSorted((a, b) => a - b)[waited.length >> 1] ?? 0,
    seconds,
  };
  await sampler.close();
  return row;
}

const rows = [await measure("drained"), await measure("in-flight")];
console.table(rows);
if (flags.json !== "")
  writeResult(flags.json, {
    bench: "weight-updates",
    shape: flags.shape,
    askers,
    requests,
    replies,
    every,
    rows,
  });

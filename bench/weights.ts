/**
 * Measures weights through the object stores of two nodes (real processes on this machine), as a run moves them: a
 * model folder is read, published to one node, fetched from that node, and fetched through the other. Prints a table;
 * with --json FILE it also writes the figures. Needs built code (`npx tsc -b packages/apps/cli`) and a model: --model
 * FOLDER, default SmolLM2 of the cache.
 */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { grpcNetwork } from "@palimpsest/wire";
import { hashWeights, loadModel, parameterShapes } from "../packages/learning/model/src/index.js";
import { fetchWeights, publishWeights } from "../packages/learning/trainer/src/weights/weights.js";
import { Objects } from "../packages/runtime/client/src/index.js";
import { TestCluster } from "../test/support/test-cluster.js";
import { until } from "../test/support/until.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const cache = process.env["PALIMPSEST_CACHE"] ?? join(homedir(), ".cache/palimpsest");
const flags = benchFlags({ model: join(cache, "models/smollm2-135m-instruct"), json: undefined });
if (!existsSync(flags.model)) {
  console.log(`skipped: no model in ${flags.model}; palimpsest model download smollm2-135m-instruct`);
  process.exit(0);
}

const rows: { what: string; seconds: number; megabytesPerSecond: number }[] = [];
let bytes = 0;
async function timed<T>(what: string, work: () => Promise<T> | T): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  rows.push({ what, seconds, megabytesPerSecond: bytes / 1e6 / seconds });
  return result;
}

const cluster = await TestCluster.start();
try {
  await cluster.startWorker();
  const nodes = await until("both nodes are known", async () => {
    const known = await cluster.client.nodes();
    return known.length === 2 && known;
  });
  const [first, second] = nodes.map(
    ({ objectsAddress }) =>
      new Objects({
        address: async () => objectsAddress,
        network: grpcNetwork({ token: cluster.token }),
        holder: cluster.client.sessionId,
        defaultTimeoutMs: 120_000,
      }),
  );
  if (!first || !second) throw new Error("two nodes are needed");
  const { config, parameters } = await loadModel(flags.model);
  bytes = Object.values(parameters).reduce((sum, { byteLength }) => sum + byteLength, 0);
  await timed("read the folder again", () => loadModel(flags.model));
  await timed("hash alone", () => hashWeights(parameters));
  const version = { runId: "bench", policyVersion: 0 };
  const manifest = await timed("publish, hash included", () =>
    publishWeights(first, version, parameters, parameterShapes(config)),
  );
  await timed("fetch on that node, both hashes proved", () => fetchWeights(first, manifest));
  await timed("fetch through the other node, the first time", () => fetchWeights(second, manifest));
  await timed("fetch on the other node, again", () => fetchWeights(second, manifest));
  for (const objects of [first, second]) await objects.close();
} finally {
  await cluster.stop();
}
const peakMib = process.resourceUsage().maxRSS / 1024;
console.log(`${(bytes / 1e6).toFixed(0)} MB of weights; this process took ${peakMib.toFixed(0)} MiB at most`);
console.table(
  rows.map(({ what, seconds, megabytesPerSecond }) => ({
    what,
    seconds: seconds.toFixed(2),
    "MB/s": megabytesPerSecond.toFixed(0),
  })),
);
if (flags.json) writeResult(flags.json, { bytes, peakMib, rows });
